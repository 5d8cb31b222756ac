import pytest

from mockserver.apis.cloudidentity import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import CUSTOMER, ENG, SALES, ask, refused, world

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


CREATE = "cloudidentity.policies.create"
PATCH, DELETE = "cloudidentity.policies.patch", "cloudidentity.policies.delete"
RULE: JsonObject = {
    "customer": "customers/my_customer",
    "policyQuery": {"orgUnit": f"orgUnits/{SALES}"},
    "setting": {"type": "settings/rule.dlp", "value": {"displayName": "No printing"}},
}
LENGTH: JsonObject = {
    "policyQuery": {"orgUnit": f"orgUnits/{ENG}"},
    "setting": {"type": "settings/security.password", "value": {"minimumLength": 8}},
}


def test_a_created_policy_is_listed(tenant: World) -> None:
    operation = ask(API, tenant, CREATE, body=RULE, version="v1beta1")
    policy = operation["response"]
    assert operation["done"] is True
    assert operation["name"].startswith("operations/")
    assert policy.pop("@type").endswith("policies.v1beta1.Policy")
    assert ask(API, tenant, "cloudidentity.policies.get", {"name": policy["name"]}) == policy


def test_a_created_policy_is_completed_by_the_server(tenant: World) -> None:
    policy = ask(API, tenant, CREATE, body=RULE)["response"]
    assert policy["customer"] == f"customers/{CUSTOMER}"
    assert policy["type"] == "ADMIN"
    assert SALES in policy["policyQuery"]["query"]
    assert policy["policyQuery"]["sortOrder"] == 3
    assert policy["setting"]["value"]["createTime"] == "2026-03-02T09:00:00.000Z"


def test_a_query_for_a_group_is_enough(tenant: World) -> None:
    body = {**RULE, "policyQuery": {"group": "groups/01grp000000"}}
    policy = ask(API, tenant, CREATE, body=body)["response"]
    assert "groupId('01grp000000')" in policy["policyQuery"]["query"]


@pytest.mark.parametrize(
    ("change", "status", "text"),
    [
        pytest.param({"customer": "customers/C0x"}, 403, "permission", id="customer"),
        pytest.param({"policyQuery": {}}, 400, "query is required", id="no query"),
        pytest.param(
            {"policyQuery": {"orgUnit": "orgUnits/03nope"}}, 400, "Unknown org unit", id="unit"
        ),
        pytest.param(
            {"setting": {"type": "rule.dlp", "value": {"a": 1}}}, 400, "'settings/'", id="type"
        ),
        pytest.param({"setting": {"type": "settings/x"}}, 400, "value of", id="no value"),
        pytest.param(LENGTH, 409, "already exists", id="rival"),
    ],
)
def test_what_is_no_policy_is_refused(
    tenant: World, change: JsonObject, status: int, text: str
) -> None:
    error = refused(API, tenant, CREATE, body={**RULE, **change})
    assert error.status == status
    assert text in error.message


def test_the_lenient_profile_adds_the_prefix(tenant: World) -> None:
    body = {**RULE, "setting": {"type": "rule.dlp", "value": {"displayName": "x"}}}
    policy = ask(API, tenant, CREATE, body=body, profile="lenient")["response"]
    assert policy["setting"]["type"] == "settings/rule.dlp"


def test_a_patch_replaces_the_value_and_keeps_the_creation_time(tenant: World) -> None:
    body = {"setting": {"value": {"displayName": "Changed"}}}
    policy = ask(API, tenant, PATCH, {"name": "policies/akcards"}, body)["response"]
    assert policy["setting"]["value"] == {
        "displayName": "Changed",
        "createTime": "2026-03-01T09:00:00Z",
        "updateTime": "2026-03-02T09:00:00.000Z",
    }


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        pytest.param("policies/nope", {}, 404, id="unknown"),
        pytest.param("policies/akpasswords", {"setting": {"value": {"a": 1}}}, 400, id="system"),
        pytest.param("policies/akcards", {}, 400, id="no value"),
        pytest.param(
            "policies/akcards",
            {"setting": {"type": "settings/x", "value": {"a": 1}}},
            400,
            id="other type",
        ),
        pytest.param(
            "policies/akcards",
            {"policyQuery": {"orgUnit": "orgUnits/03"}, "setting": {"value": {"a": 1}}},
            400,
            id="other unit",
        ),
    ],
)
def test_what_cannot_be_patched_is_refused(
    tenant: World, name: str, body: JsonObject, status: int
) -> None:
    assert refused(API, tenant, PATCH, {"name": name}, body).status == status


def test_a_deleted_policy_is_gone(tenant: World) -> None:
    name = {"name": "policies/akcards"}
    operation = ask(API, tenant, DELETE, name)
    assert operation["response"] == {"@type": "type.googleapis.com/google.protobuf.Empty"}
    assert refused(API, tenant, DELETE, name).status == 404


def test_a_system_policy_cannot_be_deleted(tenant: World) -> None:
    error = refused(API, tenant, DELETE, {"name": "policies/akpasswords"})
    assert error.code_name == "FAILED_PRECONDITION"
