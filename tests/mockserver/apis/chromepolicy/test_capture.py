from mockserver.apis.chromepolicy.capture import CAPTURES, explicit_value_of
from mockserver.model import AnsweredCall

ASKED = AnsweredCall("chromepolicy.customers.policies.resolve", {}, {}, {})
VALUE = {"policySchema": "chrome.users.A", "value": {"a": True}}
UNIT = {"targetResource": "orgunits/03ph2"}
ROOT = {"targetResource": "orgunits/03ph1"}


def test_a_resolved_policy_becomes_explicit_where_it_comes_from() -> None:
    found = explicit_value_of({"targetKey": UNIT, "sourceKey": ROOT, "value": VALUE}, ASKED)
    assert found == {"policyTargetKey": ROOT, "value": VALUE}


def test_the_app_of_a_policy_is_kept_though_only_the_target_tells_it() -> None:
    app = {"additionalTargetKeys": {"app_id": "chrome:a"}}
    policy = {"targetKey": {**UNIT, **app}, "sourceKey": ROOT, "value": VALUE}
    found = explicit_value_of(policy, ASKED)
    assert found == {"policyTargetKey": {**ROOT, **app}, "value": VALUE}


def test_a_default_of_the_schema_is_no_explicit_value() -> None:
    assert explicit_value_of({"targetKey": UNIT, "value": VALUE}, ASKED) is None


def test_schemas_are_told_by_their_names() -> None:
    [capture] = CAPTURES["chromepolicy.customers.policySchemas.list"]
    assert capture.identity == ("schemaName",)
