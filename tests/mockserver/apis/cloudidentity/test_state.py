import pytest

from mockserver.apis.cloudidentity.state import complete_query, next_sort_order, policy_test
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World, unit_query


def test_a_query_is_completed_from_either_form() -> None:
    unit = {"orgUnit": "orgUnits/03ph1", "query": unit_query("03ph1")}
    assert complete_query({"orgUnit": "03ph1"}, "") == unit
    assert complete_query({"query": unit_query("03ph1")}, "") == unit
    assert complete_query({}, "03ph1") == unit


def test_a_query_that_means_more_than_one_unit_has_no_org_unit() -> None:
    text = f"{unit_query('a')} || {unit_query('b')}"
    assert complete_query({"query": text}, "root") == {"query": text}


def test_nothing_is_made_of_nothing() -> None:
    assert complete_query({}, "") == {}


def test_the_first_policy_of_a_type_has_the_first_sort_order(tenant: World) -> None:
    assert next_sort_order(tenant, "settings/unheard") == 1


MINE = "customers/C0example"
POLICY: JsonObject = {
    "name": "policies/ak1",
    "customer": MINE,
    "type": "ADMIN",
    "setting": {"type": "settings/rule.dlp", "value": {"state": "ACTIVE"}},
    "policyQuery": {"orgUnit": "orgUnits/03ph1"},
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('customer == "customers/C0example"', True),
        ('customer == "customers/my_customer"', True),
        ("setting.type.matches('^settings/rule\\\\..*$')", True),
        ("setting.type.matches('dlp')", True),
        ("setting.type.matches('^rule')", False),
        ("setting.type.startsWith('settings/rule')", True),
        ("setting.type.contains('gmail') || setting.type.endsWith('dlp')", True),
        ("customer == 'customers/my_customer' && (setting.type == 'x' || type == 'ADMIN')", True),
        ("!(setting.value.state == 'ACTIVE')", False),
        ("setting.value.missing == 'x'", False),
        ("policyQuery.orgUnit == 'orgUnits/03ph1'", True),
    ],
)
def test_cel_chooses_policies(text: str, found: bool) -> None:
    assert policy_test(text, MINE)(POLICY) is found


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("customer == 'x' AND type == 'y'", id="AND is not CEL"),
        pytest.param("(type == 'x'", id="open parenthesis"),
        pytest.param("(" * 100, id="deep"),
        pytest.param("type == 'x' || " * 1000 + "true", id="long"),
        pytest.param("colour == 'red'", id="unknown field"),
        pytest.param("setting.type", id="not a truth"),
        pytest.param("setting.type.matches('(')", id="bad expression"),
    ],
)
def test_what_is_no_filter_is_refused(text: str) -> None:
    with pytest.raises(ApiError) as caught:
        policy_test(text, MINE)(POLICY)
    assert (caught.value.status, caught.value.message) == (400, "Filter is invalid")


def test_another_customers_policies_are_forbidden() -> None:
    with pytest.raises(ApiError) as caught:
        policy_test('customer == "customers/C0other"', MINE)
    assert caught.value.status == 403


@pytest.mark.parametrize(
    "text",
    [
        "'" + "\\\\" * 2000,
        '"' + '\\"' * 40,
        "setting.type == 'a' || " * 300 + "true",
        '"""' + "\\" * 99,
    ],
    ids=["backslashes", "quotes", "a long chain", "three quotes"],
)
def test_a_filter_that_would_be_read_for_ever_is_refused(text: str) -> None:
    with pytest.raises(ApiError) as caught:
        policy_test(text, "customers/C1")
    assert caught.value.status == 400
