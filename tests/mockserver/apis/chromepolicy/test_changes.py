from typing import Any

import pytest

from mockserver.apis.chromepolicy import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ENG, GROUP, ROOT, SALES, WEB, ask, refused

POLICIES = "chromepolicy.customers.policies"
MODIFY, INHERIT = f"{POLICIES}.orgunits.batchModify", f"{POLICIES}.orgunits.batchInherit"
MINE = {"customer": "customers/my_customer"}
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
