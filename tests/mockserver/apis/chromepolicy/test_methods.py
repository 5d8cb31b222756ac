from typing import Any

import pytest

from mockserver.apis.chromepolicy import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import CUSTOMER, ENG, GROUP, ROOT, SALES, WEB, ask, refused

RESOLVE = "chromepolicy.customers.policies.resolve"
MINE = {"customer": "customers/my_customer"}


def resolved(world: World, resource: str, schemas: str, **more: object) -> list[JsonObject]:
    key: JsonObject = {"targetResource": resource, **more}
    body = {"policyTargetKey": key, "policySchemaFilter": schemas}
    found: list[JsonObject] = ask(API, world, RESOLVE, MINE, body).get("resolvedPolicies", [])
    return found


def test_schemas_are_named_with_the_real_customer_id(tenant: World) -> None:
    answer = ask(
        API,
        tenant,
        "chromepolicy.customers.policySchemas.list",
        {"parent": "customers/my_customer", "pageSize": 1},
    )
    name = f"customers/{CUSTOMER}/policySchemas/chrome.devices.Reboot"
    assert answer["policySchemas"][0]["name"] == name
    assert answer["nextPageToken"]


def test_a_filter_without_matches_answers_an_empty_object(tenant: World) -> None:
    params = {"parent": "customers/my_customer", "filter": "namespace=chrome.printers"}
    assert ask(API, tenant, "chromepolicy.customers.policySchemas.list", params) == {}


def test_one_schema_is_found_by_its_name(tenant: World) -> None:
    name = "customers/my_customer/policySchemas/chrome.users.Incognito"
    found = ask(API, tenant, "chromepolicy.customers.policySchemas.get", {"name": name})
    assert found["schemaName"] == "chrome.users.Incognito"


def test_an_unknown_schema_names_the_nearest(tenant: World) -> None:
    name = "customers/my_customer/policySchemas/chrome.users.Incognita"
    error = refused(API, tenant, "chromepolicy.customers.policySchemas.get", {"name": name})
    assert (error.status, error.message) == (404, "Requested entity was not found.")
    assert error.miss is not None
    assert error.miss.nearest == "chrome.users.Incognito"


def test_the_nearest_value_on_the_way_to_the_root_holds(tenant: World) -> None:
    [policy] = resolved(tenant, f"orgunits/{WEB}", "chrome.users.Incognito")
    assert policy == {
        "targetKey": {"targetResource": f"orgunits/{WEB}"},
        "sourceKey": {"targetResource": f"orgunits/{ENG}"},
        "value": {"policySchema": "chrome.users.Incognito", "value": {"mode": "BLOCKED"}},
    }


def test_the_customers_default_has_no_source(tenant: World) -> None:
    [policy] = resolved(tenant, f"orgunits/{SALES}", "chrome.users.*")
    assert "sourceKey" not in policy
    assert policy["value"]["value"] == {"mode": "ALLOWED"}


def test_an_app_says_where_it_was_added(tenant: World) -> None:
    [policy] = resolved(tenant, f"orgunits/{WEB}", "chrome.users.apps.*")
    assert policy["sourceKey"]["targetResource"] == f"orgunits/{ENG}"
    assert policy["addedSourceKey"]["targetResource"] == f"orgunits/{ROOT}"
    assert policy["targetKey"]["additionalTargetKeys"] == {"app_id": "chrome:aaaa"}


def test_additional_keys_narrow_what_is_resolved(tenant: World) -> None:
    other = {"additionalTargetKeys": {"app_id": "chrome:bbbb"}}
    assert resolved(tenant, f"orgunits/{WEB}", "chrome.users.apps.*", **other) == []


def test_a_group_has_its_own_values_only(tenant: World) -> None:
    [policy] = resolved(tenant, f"groups/{GROUP}", "chrome.users.apps.InstallType")
    assert policy["value"]["value"] == {"appInstallType": "BLOCKED"}
    assert resolved(tenant, f"groups/{GROUP}", "chrome.users.*") == []


def test_resolved_policies_come_in_pages(tenant: World) -> None:
    body: JsonObject = {
        "policyTargetKey": {"targetResource": f"orgunits/{ENG}"},
        "policySchemaFilter": "chrome.users.apps.*",
        "pageSize": 1,
    }
    first = ask(API, tenant, RESOLVE, MINE, body)
    assert "nextPageToken" not in first
    body["policySchemaFilter"] = "chrome.users.*"
    assert len(ask(API, tenant, RESOLVE, MINE, body)["resolvedPolicies"]) == 1


@pytest.mark.parametrize(
    ("resource", "schemas", "status", "text"),
    [
        pytest.param("", "chrome.users.*", 400, "required", id="no target"),
        pytest.param("users/1", "chrome.users.*", 400, "'orgunits' or 'groups'", id="user"),
        pytest.param("orgunits/03nope", "chrome.users.*", 404, "not found", id="no such unit"),
        pytest.param("groups/nope", "chrome.users.*", 404, "not found", id="no such group"),
        pytest.param(f"orgunits/{ENG}", "chrome.*", 400, "Invalid policy schema", id="namespace"),
        pytest.param(f"orgunits/{ENG}", "", 400, "Invalid policy schema", id="no filter"),
        pytest.param(
            f"orgunits/{ENG}",
            "chrome.users.Incognito,chrome.devices.Reboot",
            400,
            "Invalid policy schema",
            id="comma list",
        ),
        pytest.param(f"orgunits/{ENG}", "chrome.users.Nope", 404, "not found", id="no schema"),
    ],
)
def test_what_cannot_be_resolved_is_refused(
    tenant: World, resource: str, schemas: str, status: int, text: str
) -> None:
    body = {"policyTargetKey": {"targetResource": resource}, "policySchemaFilter": schemas}
    error = refused(API, tenant, RESOLVE, MINE, body)
    assert error.status == status
    assert text in error.message


def test_another_customer_is_refused(tenant: World) -> None:
    body = {"policyTargetKey": {"targetResource": f"orgunits/{ENG}"}}
    assert refused(API, tenant, RESOLVE, {"customer": "customers/C0other"}, body).status == 403


def test_the_lenient_profile_forgives_a_comma_list(tenant: World) -> None:
    body = {
        "policyTargetKey": {"targetResource": f"orgunits/{ENG}"},
        "policySchemaFilter": "chrome.users.Incognito, chrome.users.Nope,",
    }
    answer = ask(API, tenant, RESOLVE, MINE, body, profile="lenient")
    assert len(answer["resolvedPolicies"]) == 1


POLICIES = "chromepolicy.customers.policies"
MODIFY, INHERIT = f"{POLICIES}.orgunits.batchModify", f"{POLICIES}.orgunits.batchInherit"
APP = {"app_id": "chrome:aaaa"}


def change(
    unit: str = f"orgunits/{SALES}",
    schema: str = "chrome.users.Incognito",
    mask: str = "mode",
    keys: JsonObject | None = None,
    **value: Any,
) -> JsonObject:
    key: JsonObject = {"targetResource": unit}
    if keys:
        key["additionalTargetKeys"] = keys
    return {
        "policyTargetKey": key,
        "policyValue": {"policySchema": schema, "value": value or {"mode": "BLOCKED"}},
        "updateMask": mask,
    }


def inherit(unit: str, schema: str, **keys: str) -> JsonObject:
    key: JsonObject = {"targetResource": unit}
    return {
        "policyTargetKey": {**key, "additionalTargetKeys": keys} if keys else key,
        "policySchema": schema,
    }


def value_at(world: World, unit: str, schemas: str = "chrome.users.Incognito") -> JsonObject:
    body = {"policyTargetKey": {"targetResource": unit}, "policySchemaFilter": schemas}
    found: JsonObject = ask(API, world, f"{POLICIES}.resolve", MINE, body)["resolvedPolicies"][0]
    return found


def test_a_modification_is_seen_by_the_next_resolve(tenant: World) -> None:
    assert ask(API, tenant, MODIFY, MINE, {"requests": [change()]}) == {}
    found = value_at(tenant, f"orgunits/{SALES}")
    assert found["sourceKey"] == {"targetResource": f"orgunits/{SALES}"}
    assert found["value"]["value"] == {"mode": "BLOCKED"}


def test_a_modification_starts_from_the_inherited_value(tenant: World) -> None:
    request = change(f"orgunits/{WEB}", mask="max_windows", maxWindows="3")
    ask(API, tenant, MODIFY, MINE, {"requests": [request]})
    found = value_at(tenant, f"orgunits/{WEB}")
    assert found["value"]["value"] == {"mode": "BLOCKED", "maxWindows": "3"}


def test_inheriting_takes_the_explicit_value_away(tenant: World) -> None:
    request = inherit(f"orgunits/{ENG}", "chrome.users.Incognito")
    ask(API, tenant, INHERIT, MINE, {"requests": [request]})
    assert "sourceKey" not in value_at(tenant, f"orgunits/{ENG}")


def test_inheriting_what_is_not_set_changes_nothing(tenant: World) -> None:
    request = inherit(f"orgunits/{SALES}", "chrome.users.Incognito")
    assert ask(API, tenant, INHERIT, MINE, {"requests": [request]}) == {}
    assert tenant.diff() == {}


def test_an_app_is_removed_with_all_its_values(tenant: World) -> None:
    request = inherit(f"orgunits/{ENG}", "chrome.users.apps.*", **APP)
    ask(API, tenant, INHERIT, MINE, {"requests": [request]})
    found = value_at(tenant, f"orgunits/{ENG}", "chrome.users.apps.*")
    assert found["sourceKey"]["targetResource"] == f"orgunits/{ROOT}"


def test_an_app_cannot_be_removed_where_it_was_not_added(tenant: World) -> None:
    request = inherit(f"orgunits/{SALES}", "chrome.users.apps.*", **APP)
    assert refused(API, tenant, INHERIT, MINE, {"requests": [request]}).status == 400


def test_groups_have_their_own_methods(tenant: World) -> None:
    group = f"groups/{GROUP}"
    schema = "chrome.users.apps.InstallType"
    request = change(group, schema, "*", APP, appInstallType="FORCED")
    ask(API, tenant, f"{POLICIES}.groups.batchModify", MINE, {"requests": [request]})
    assert value_at(tenant, group, schema)["value"]["value"] == {"appInstallType": "FORCED"}
    gone = inherit(group, schema, **APP)
    ask(API, tenant, f"{POLICIES}.groups.batchDelete", MINE, {"requests": [gone]})
    body = {"policyTargetKey": {"targetResource": group}, "policySchemaFilter": schema}
    assert ask(API, tenant, f"{POLICIES}.resolve", MINE, body) == {}


APPS = "chrome.users.apps.InstallType"


@pytest.mark.parametrize(
    ("requests", "status", "text"),
    [
        pytest.param([], 400, "must not be empty", id="no request"),
        pytest.param([change(), change()], 400, "same policy_schema and policy", id="twice"),
        pytest.param(
            [change(), change(schema="chrome.devices.Reboot")], 400, "root namespace", id="spaces"
        ),
        pytest.param(
            [change(), change(schema=APPS, keys=APP)], 400, "same key names", id="key names"
        ),
        pytest.param([change(f"groups/{GROUP}")], 400, "of type 'orgunits'", id="group"),
        pytest.param([change("users/1")], 400, "'orgunits' or 'groups'", id="user"),
        pytest.param([change("orgunits/03nope")], 404, "not found", id="no unit"),
        pytest.param([change(schema="chrome.users.Nope")], 404, "not found", id="no schema"),
        pytest.param([change(schema="")], 400, "schema is required", id="schema missing"),
        pytest.param([change(schema=APPS)], 400, "keys: app_id", id="no app"),
        pytest.param([change(keys=APP)], 400, "keys: none", id="app too many"),
        pytest.param([change(mask="")], 400, "mask is required", id="no mask"),
        pytest.param([change(mask="nope")], 400, "not in the policy schema", id="mask unknown"),
        pytest.param([change(mask="max_windows")], 400, "has no value", id="mask without value"),
        pytest.param([change(mode="MAYBE")], 400, '(TYPE_ENUM), "MAYBE"', id="enum"),
        pytest.param([change(mask="*", maxWindows="x")], 400, "(TYPE_INT64)", id="integer"),
        pytest.param([change(mask="*", maxWindows=11)], 400, "between 1 and 9", id="range"),
        pytest.param([change(), change(f"orgunits/{ENG}", mask="x")], 400, "'x'", id="second bad"),
    ],
)
def test_a_batch_with_a_mistake_changes_nothing(
    tenant: World, requests: list[JsonObject], status: int, text: str
) -> None:
    error = refused(API, tenant, MODIFY, MINE, {"requests": requests})
    assert error.status == status
    assert text in error.message


def test_a_schema_refuses_targets_it_is_not_for(tenant: World) -> None:
    body = {"requests": [change(f"groups/{GROUP}")]}
    error = refused(API, tenant, f"{POLICIES}.groups.batchModify", MINE, body)
    assert "cannot be set on 'groups'" in error.message


def test_every_mistake_is_named_at_once(tenant: World) -> None:
    body = {"requests": [change(schema=""), change(f"groups/{GROUP}")]}
    error = refused(API, tenant, MODIFY, MINE, body)
    fields = [item["field"] for item in error.details[0]["fieldViolations"]]
    assert fields == [
        "requests[1].policy_schema",
        "requests[0].policy_schema",
        "requests[1].policy_target_key.target_resource",
    ]
