from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.errors import Problem
from mockserver.googleapi import Api, Collection
from mockserver.snapshots.contracts import Contracts, document_of, items_of
from mockserver.snapshots.vocabulary import Vocabulary


def problems(raw: dict[str, Any]) -> list[Problem]:
    return list(Contracts(APIS).problems(raw))


def test_the_target_of_a_resolved_policy_is_its_target_key() -> None:
    """CEPR-29: `targetKey`, not `policyTargetKey`, is what the live API answers."""
    entry = {"policyTargetKey": {"targetResource": "orgunits/03x"}, "value": {"policySchema": "a"}}
    (problem,) = problems({"connectorPolicies": [entry]})
    assert (problem.where, problem.level) == ("/connectorPolicies/0/policyTargetKey", "warning")
    assert problem.hint == "did you mean 'targetKey'?"
    assert "chromepolicy:v1" in problem.message


def test_resources_of_every_form_are_held_against_their_schema() -> None:
    """CEPR-29, CEP-68: fixtures are validated against the shape of the real API."""
    raw = {
        "orgUnits": [{"name": 1}],
        "auditEvents": {"items": [{"actor": {"mail": "x"}}]},
        "members": {"a@example.com": [{"role": ["OWNER"]}]},
        "dlpRules": [{"anything": 1}],
    }
    assert [item.where for item in problems(raw)] == [
        "/orgUnits/0/name",
        "/auditEvents/items/0/actor/mail",
        "/members/a@example.com/0/role",
    ]


def test_what_snapshots_share_is_looked_at_once() -> None:
    contracts, unit = Contracts(APIS), {"nam": "x"}
    assert len(list(contracts.problems({"orgUnits": [unit]}))) == 1
    assert list(contracts.problems({"orgUnits": [unit, {"name": "y"}]})) == []


def test_every_schema_that_a_collection_names_is_there() -> None:
    for api in APIS:
        for collection in api.collections:
            name, _, schema = collection.resource.partition("#")
            document = document_of(name) if name else None
            assert not name or (document is not None and schema in document.schemas)


def test_a_document_that_is_not_installed_holds_nothing_against_anything() -> None:
    api = Api("x", (), {}, collections=(Collection("things", "", resource="none:v1#Thing"),))
    assert list(Contracts((api,)).problems({"things": [{}]})) == []


def test_resources_of_any_api_are_held_against_their_documents() -> None:
    """The nearest name is told, and so are the fields of an object that is none."""
    event = {"id": "1", "sumary": "x", "start": "2026-11-21", "attendees": [{"mail": "a"}]}
    raw = {
        "resources": {
            "calendar:v3": {
                "events": [event, {"calendarId": "primary", "summary": "told parent"}],
                "calendars/primary/events": [{"calendarId": 1, "etag": 7}],
                "event": [{}],
                "calendars": {},
            },
            "none:v1": {"x": [{}]},
            "drive:v3": [],
        }
    }
    at = "/resources/calendar:v3"
    assert [(each.where, each.level) for each in problems(raw)] == [
        (f"{at}/events/0/sumary", "warning"),
        (f"{at}/events/0/start", "warning"),
        (f"{at}/events/0/attendees/0/mail", "warning"),
        (f"{at}/calendars~1primary~1events/0/etag", "warning"),
    ]
    hints = [each.hint for each in problems(raw)]
    assert hints[0] == "did you mean 'summary'?"
    assert hints[1] == "its fields: date, dateTime, timeZone"


@pytest.mark.parametrize(
    ("value", "items"),
    [
        ([1, 2], [("/0", 1), ("/1", 2)]),
        ({"items": [1]}, [("/items/0", 1)]),
        ({"a~/b": [1], "c": []}, [("/a~0~1b/0", 1)]),
        ({"id": "C01"}, [("", {"id": "C01"})]),
        ({}, [("", {})]),
        (None, []),
        ("text", []),
    ],
    ids=str,
)
def test_the_resources_of_every_form_are_found(value: Any, items: list[Any]) -> None:
    assert list(items_of(value)) == items


def test_names_are_those_of_the_emulated_apis() -> None:
    known = Vocabulary()
    assert {method for api in APIS for method in api.handlers} <= known.methods
    assert {"users", "orgUnits"} <= known.collections
    assert "listOrgUnits" in known.tools


def test_what_is_inside_is_known_where_a_document_tells() -> None:
    known = Vocabulary()
    assert {"orgUnitPath", "parentOrgUnitId"} <= known.fields("orgUnits")
    assert {"customerId", "orgUnitPath", "name"} <= known.params("directory.orgunits.update")
    assert {"customerId", "type"} <= known.params("directory.orgunits.list")
    assert known.arguments("getChromeConnectorConfiguration") == {"orgUnit"}
    assert (known.fields("customer"), known.fields("none")) == (frozenset(), frozenset())
    assert (known.params("none"), known.arguments("none")) == (frozenset(), frozenset())
