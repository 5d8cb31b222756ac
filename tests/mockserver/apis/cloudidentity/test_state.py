from mockserver.apis.cloudidentity.state import complete_query, next_sort_order
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
