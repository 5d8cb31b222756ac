import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.model import JsonObject
from mockserver.state import ACTIONS, TRIGGERS, flat_rule, rule_value, unit_of_query, unit_query

_RULES = st.fixed_dictionaries(
    {
        "displayName": st.text(min_size=1),
        "triggers": st.lists(st.sampled_from(sorted(TRIGGERS)), unique=True),
        "action": st.sampled_from(sorted(ACTIONS)),
        "state": st.sampled_from(["ACTIVE", "INACTIVE"]),
    },
    optional={"description": st.text(min_size=1), "condition": st.text(min_size=1)},
)


@given(_RULES)
def test_a_flat_rule_survives_the_way_through_a_policy(rule: JsonObject) -> None:
    policy = {"name": "policies/a", "setting": {"value": rule_value(rule)}}
    assert flat_rule(policy) == {"name": "policies/a", **rule}


@pytest.mark.parametrize(
    ("given", "field", "value"),
    [
        ({"triggers": ["google.workspace.x"]}, "triggers", ["google.workspace.x"]),
        ({"action": {"driveAction": {}}}, "action", {"driveAction": {}}),
        ({}, "action", {"chromeAction": {"auditOnly": {}}}),
        ({"condition": {"contentCondition": "x"}}, "condition", {"contentCondition": "x"}),
        ({"severity": "HIGH"}, "severity", "HIGH"),
    ],
)
def test_what_is_no_flat_word_goes_through(given: JsonObject, field: str, value: object) -> None:
    assert rule_value(given)[field] == value


def test_one_org_unit_is_read_out_of_a_query_and_two_are_not() -> None:
    assert unit_of_query(unit_query("03ph1")) == "03ph1"
    assert unit_of_query(unit_query("a") + " || " + unit_query("b")) == ""
