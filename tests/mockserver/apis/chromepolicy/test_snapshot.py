from typing import Any

import pytest

from mockserver.apis.chromepolicy.snapshot import CAPTURES, explicit_value_of, import_snapshot
from mockserver.googleapi import SnapshotImport
from mockserver.model import AnsweredCall, JsonObject
from tests.tenants import ENG, SALES

VALUE: JsonObject = {"policySchema": "chrome.users.X", "value": {"a": 1}}


def imported(**raw: Any) -> SnapshotImport:
    found = SnapshotImport(raw=raw, customer="C0example")
    import_snapshot(found)
    return found


def test_schemas_are_named_for_the_customer() -> None:
    found = imported(policySchemas=[{"name": "customers/C1/policySchemas/chrome.users.X"}])
    [row] = found.tables["policySchemas"].values()
    assert row["name"] == "customers/C0example/policySchemas/chrome.users.X"
    assert row["schemaName"] == "chrome.users.X"
    assert [where for where, _ in found.changes] == ["/policySchemas/0/name"]


@pytest.mark.parametrize("given", [f"orgunits/{ENG}", f"orgUnits/id:{ENG}", f"id:{ENG}"])
def test_org_unit_ids_are_brought_into_one_form(given: str) -> None:
    found = imported(policies=[{"policyTargetKey": {"targetResource": given}, "value": VALUE}])
    assert list(found.tables["policies"]) == [f"orgunits/{ENG}|chrome.users.X|"]
    assert len(found.changes) == (given != f"orgunits/{ENG}")


def test_a_resolved_connector_becomes_explicit_at_its_source() -> None:
    entry: JsonObject = {"targetKey": {"targetResource": f"orgunits/{ENG}"}, "value": VALUE}
    inherited = {**entry, "sourceKey": {"targetResource": f"orgunits/{SALES}"}}
    found = imported(connectorPolicies=[inherited, entry])
    targets = [key.partition("|")[0] for key in found.tables["policies"]]
    assert targets == [f"orgunits/{SALES}", f"orgunits/{ENG}"]
    assert found.changes[0][1].endswith("at its sourceKey")


def test_additional_keys_are_part_of_a_values_key() -> None:
    key = {"targetResource": "groups/1", "additionalTargetKeys": {"app_id": "chrome:a"}}
    found = imported(policies=[{"policyTargetKey": key, "value": VALUE}])
    assert list(found.tables["policies"]) == ["groups/1|chrome.users.X|app_id=chrome:a"]


TARGET = {"targetResource": "orgunits/03"}


@pytest.mark.parametrize(
    ("raw", "where"),
    [
        pytest.param({"policySchemas": [{}]}, "/policySchemas/0", id="schema without name"),
        pytest.param(
            {"policySchemas": [{"schemaName": "a"}, {"schemaName": "a"}]},
            "/policySchemas/1",
            id="schema twice",
        ),
        pytest.param(
            {"policies": [{"value": VALUE}]}, "/policies/0/policyTargetKey", id="no target"
        ),
        pytest.param(
            {"policies": [{"policyTargetKey": TARGET}]}, "/policies/0/value", id="no value"
        ),
        pytest.param(
            {"policies": [{"policyTargetKey": TARGET, "value": {"value": {}}}]},
            "/policies/0/value/policySchema",
            id="no schema",
        ),
        pytest.param(
            {"policies": [{"policyTargetKey": TARGET, "value": {**VALUE, "value": 1}}]},
            "/policies/0/value/value",
            id="value is no object",
        ),
        pytest.param(
            {"policies": [{"policyTargetKey": {"targetResource": "users/1"}, "value": VALUE}]},
            "/policies/0/policyTargetKey/targetResource",
            id="target is a user",
        ),
        pytest.param(
            {"policies": [{"policyTargetKey": {"a": 1}, "value": VALUE}]},
            "/policies/0/policyTargetKey/targetResource",
            id="target without resource",
        ),
        pytest.param(
            {"connectorPolicies": [{"value": VALUE}]}, "/connectorPolicies/0/targetKey", id="no key"
        ),
        pytest.param({"connectorPolicies": {}}, "/connectorPolicies", id="no list"),
    ],
)
def test_what_cannot_be_served_is_a_problem_in_its_place(raw: JsonObject, where: str) -> None:
    assert [problem.where for problem in imported(**raw).problems] == [where]


ASKED = AnsweredCall("chromepolicy.customers.policies.resolve", {}, {}, {})
ANSWERED = {"policySchema": "chrome.users.A", "value": {"a": True}}
UNIT = {"targetResource": "orgunits/03ph2"}
ROOT = {"targetResource": "orgunits/03ph1"}


def test_a_resolved_policy_becomes_explicit_where_it_comes_from() -> None:
    found = explicit_value_of({"targetKey": UNIT, "sourceKey": ROOT, "value": ANSWERED}, ASKED)
    assert found == {"policyTargetKey": ROOT, "value": ANSWERED}


def test_the_app_of_a_policy_is_kept_though_only_the_target_tells_it() -> None:
    app = {"additionalTargetKeys": {"app_id": "chrome:a"}}
    policy = {"targetKey": {**UNIT, **app}, "sourceKey": ROOT, "value": ANSWERED}
    found = explicit_value_of(policy, ASKED)
    assert found == {"policyTargetKey": {**ROOT, **app}, "value": ANSWERED}


def test_a_default_of_the_schema_is_no_explicit_value() -> None:
    assert explicit_value_of({"targetKey": UNIT, "value": ANSWERED}, ASKED) is None


def test_schemas_are_told_by_their_names() -> None:
    [capture] = CAPTURES["chromepolicy.customers.policySchemas.list"]
    assert capture.identity == ("schemaName",)
