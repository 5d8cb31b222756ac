import pytest

from mockserver.apis.cloudidentity import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ask, refused, world

LIST = "cloudidentity.policies.list"


def names(answer: JsonObject) -> list[str]:
    return [policy["name"] for policy in answer.get("policies", ())]


def test_policies_are_filtered_by_cel(tenant: World) -> None:
    params = {"filter": "setting.type.matches('^settings/rule')"}
    assert names(ask(API, tenant, LIST, params)) == ["policies/akcards"]


def test_without_a_filter_all_policies_are_listed(tenant: World) -> None:
    assert names(ask(API, tenant, LIST)) == ["policies/akpasswords", "policies/akcards"]


def test_nothing_found_is_an_empty_object(tenant: World) -> None:
    assert ask(API, tenant, LIST, {"filter": "setting.type == 'x'"}) == {}


def test_pages_hold_fifty_unless_asked_and_a_hundred_at_most() -> None:
    rules = [{"displayName": f"Rule {number}", "triggers": ["PRINT"]} for number in range(120)]
    many = world(API, dlpRules=rules)
    first = ask(API, many, LIST)
    assert len(first["policies"]) == 50
    second = ask(API, many, LIST, {"pageSize": 500, "pageToken": first["nextPageToken"]})
    assert (len(second["policies"]), "nextPageToken" in second) == (70, False)
    assert len(ask(API, many, LIST, {"pageSize": 500})["policies"]) == 100


def test_one_policy_is_found_by_its_name(tenant: World) -> None:
    found = ask(API, tenant, "cloudidentity.policies.get", {"name": "policies/akcards"})
    assert found["setting"]["value"]["displayName"] == "No card numbers"


def test_an_unknown_policy_names_the_nearest(tenant: World) -> None:
    error = refused(API, tenant, "cloudidentity.policies.get", {"name": "policies/akcard"})
    assert error.status == 404
    assert error.miss is not None
    assert error.miss.nearest == "policies/akcards"


@pytest.mark.parametrize(("profile", "count"), [("google", 0), ("lenient", 1)])
def test_only_the_lenient_profile_forgives_a_missing_prefix(
    tenant: World, profile: str, count: int
) -> None:
    params = {"filter": "setting.type.matches('^rule.dlp')"}
    answer = ask(API, tenant, LIST, params, profile=profile)  # type: ignore[arg-type]
    assert len(names(answer)) == count
