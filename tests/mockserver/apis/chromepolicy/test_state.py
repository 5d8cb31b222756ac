import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.chromepolicy import API
from mockserver.apis.chromepolicy.state import (
    Target,
    check_target,
    known_schemas,
    mask_paths,
    read_target,
    remove_value,
    resolve,
    set_value,
    target_key,
    value_after_request,
)
from mockserver.googleapi import ApiError, Call
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ENG, GROUP, ROOT, SALES, WEB, ask, refused, world

PATHS = {ROOT: (ROOT,), ENG: (ENG, ROOT), WEB: (WEB, ENG, ROOT), SALES: (SALES, ROOT)}
UNITS = tuple(PATHS)
SCHEMA = "chrome.users.X"


def unit(bare: str) -> Target:
    return Target("orgunits", bare)


def test_schemas_that_only_have_values_are_known_too(tenant: World) -> None:
    before = known_schemas(tenant)
    set_value(tenant, unit(ENG), SCHEMA, {"a": 1})
    assert known_schemas(tenant) == tuple(sorted((*before, SCHEMA)))


@given(st.dictionaries(st.sampled_from(UNITS), st.integers()), st.sampled_from(UNITS))
def test_the_first_explicit_value_on_the_way_up_holds(values: dict[str, int], at: str) -> None:
    tenant = world(API)
    for bare, number in values.items():
        set_value(tenant, unit(bare), SCHEMA, {"n": number})
    expected = next((bare for bare in PATHS[at] if bare in values), None)
    found = [(item.source, item.value) for item in resolve(tenant, unit(at), [SCHEMA])]
    wanted = [] if expected is None else [(f"orgunits/{expected}", {"n": values[expected]})]
    assert found == wanted


@given(st.sampled_from(UNITS), st.sampled_from(UNITS))
def test_taking_a_value_away_undoes_setting_it(at: str, seen_from: str) -> None:
    tenant = world(API)
    set_value(tenant, unit(ROOT), SCHEMA, {"n": 0})
    before = resolve(tenant, unit(seen_from), [SCHEMA])
    if at != ROOT:
        set_value(tenant, unit(at), SCHEMA, {"n": 1})
        remove_value(tenant, unit(at), SCHEMA)
    remove_value(tenant, unit(at), "chrome.users.Y")
    assert resolve(tenant, unit(seen_from), [SCHEMA]) == before


def test_a_policy_whose_target_is_the_customer_holds_where_nothing_is_nearer() -> None:
    """The live API knows no such target, but snapshots about a wrong scope hold it."""
    target = {"targetResource": "customers/C0example"}
    policy = {"sourceKey": target, "value": {"policySchema": SCHEMA, "value": {"n": 1}}}
    tenant = world(API, connectorPolicies=[policy])
    [found] = resolve(tenant, unit(ENG), [SCHEMA])
    assert (found.source, found.value) == ("customers/C0example", {"n": 1})
    set_value(tenant, unit(ROOT), SCHEMA, {"n": 2})
    [found] = resolve(tenant, unit(ENG), [SCHEMA])
    assert (found.source, found.value) == (f"orgunits/{ROOT}", {"n": 2})


def test_a_target_is_read_and_written_alike() -> None:
    key = {"targetResource": "groups/1", "additionalTargetKeys": {"b": "2", "a": "1"}}
    target = read_target(key, "k")
    assert target == Target("groups", "1", (("a", "1"), ("b", "2")))
    assert target_key(target.resource, target.keys) == key


@pytest.mark.parametrize(
    "key", [None, {}, {"targetResource": "orgunits/"}, {"targetResource": "orgunits/a/b"}]
)
def test_what_names_no_target_is_refused(key: JsonObject | None) -> None:
    with pytest.raises(ApiError) as caught:
        read_target(key, "k")
    assert caught.value.details[0]["fieldViolations"][0]["field"] == "k.target_resource"


def test_an_unknown_target_names_the_nearest(tenant: World) -> None:
    with pytest.raises(ApiError) as caught:
        check_target(tenant, Target("orgunits", f"{ENG}x"))
    assert caught.value.miss is not None
    assert caught.value.miss.nearest == f"orgunits/{ENG}"


LIST = "chromepolicy.customers.policies.groups.listGroupPriorityOrdering"
UPDATE = "chromepolicy.customers.policies.groups.updateGroupPriorityOrdering"
MINE = {"customer": "customers/my_customer"}
APP: JsonObject = {
    "policyTargetKey": {"additionalTargetKeys": {"app_id": "chrome:aaaa"}},
    "policyNamespace": "chrome.users.apps",
}


def test_groups_with_a_value_for_the_app_are_listed(tenant: World) -> None:
    assert ask(API, tenant, LIST, MINE, APP) == {**APP, "groupIds": [GROUP]}


def test_an_order_that_was_set_is_kept(tenant: World) -> None:
    assert ask(API, tenant, UPDATE, MINE, {**APP, "groupIds": [GROUP]}) == {}
    assert ask(API, tenant, LIST, MINE, APP)["groupIds"] == [GROUP]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({**APP, "policyTargetKey": {}}, id="no app"),
        pytest.param({**APP, "policyNamespace": ""}, id="no namespace"),
        pytest.param({**APP, "groupIds": ["other"]}, id="another group"),
    ],
)
def test_what_is_no_order_is_refused(tenant: World, body: JsonObject) -> None:
    assert refused(API, tenant, UPDATE, MINE, body).status == 400


def call_in(world: World) -> Call:
    return Call(id="x", params={}, body={}, world=world)


@pytest.mark.parametrize(
    ("mask", "paths"),
    [
        ("a", ["a"]),
        ("a_b,cD", ["aB", "cD"]),
        ("*", ["x", "y"]),
        ("a.b_c", ["a.bC"]),
        ("", []),
    ],
)
def test_a_mask_names_paths_in_lower_camel(mask: str, paths: list[str]) -> None:
    assert mask_paths(mask, {"x": 1, "y": 2}) == paths


def test_only_masked_fields_change_and_the_others_are_named(tenant: World) -> None:
    call = call_in(tenant)
    request = {"updateMask": "a_b", "policyValue": {"value": {"a_b": 1, "other": 2}}}
    value = value_after_request(call, "requests[0]", request, None, {"kept": 0})
    assert value == {"kept": 0, "aB": 1}
    assert call.ignored == ["requests[0].policyValue.value.other"]


def test_nested_paths_change_a_copy(tenant: World) -> None:
    current = {"outer": {"kept": 0}}
    request: JsonObject = {
        "updateMask": "outer.x,new.y",
        "policyValue": {"value": {"outer": {"x": 1}, "new": {"y": 2}}},
    }
    value = value_after_request(call_in(tenant), "r", request, None, current)
    assert value == {"outer": {"kept": 0, "x": 1}, "new": {"y": 2}}
    assert current == {"outer": {"kept": 0}}


def test_a_masked_path_without_value_is_refused(tenant: World) -> None:
    request = {"updateMask": "a.b", "policyValue": {"value": {"a": 1}}}
    with pytest.raises(ApiError, match=r"'a.b' of the update mask has no value"):
        value_after_request(call_in(tenant), "r", request, None, {})
