import json
from pathlib import Path

from harness.demo.flows import FLOWS
from harness.demo.knowledge import DLP_DETECTORS, EVENT_KINDS, ROUTES, SETTINGS

BASE = Path(__file__).parents[3] / "fixtures" / "chrome-enterprise" / "base"


def test_every_route_leads_to_a_flow() -> None:
    assert {flow for flow, _ in ROUTES} == FLOWS.keys()


def test_every_setting_is_a_schema_of_the_tenant() -> None:
    schemas = json.loads((BASE / "40-policy-schemas.json").read_text(encoding="utf-8"))
    names = {schema["schemaName"] for schema in schemas["policySchemas"]}
    assert {setting.schema for setting in SETTINGS} <= names


def test_symptoms_are_written_as_texts_are_folded() -> None:
    phrases = [word for _, words in ROUTES for word in words]
    phrases += [word for words in DLP_DETECTORS.values() for word in words]
    assert [word for word in phrases if word != word.lower().strip() or "-" in word] == []


def test_kinds_of_events_have_names_of_their_own() -> None:
    assert len({kind.name for kind in EVENT_KINDS}) == len(EVENT_KINDS)
