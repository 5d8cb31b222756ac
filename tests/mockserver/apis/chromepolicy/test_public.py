import re

import pytest

from mockserver.apis.chromepolicy import API
from mockserver.apis.chromepolicy.schemas import fields, public_keys, public_row, public_schemas
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ENG, SALES, ask, refused

POLICIES = "chromepolicy.customers.policies"
MODIFY, RESOLVE = f"{POLICIES}.orgunits.batchModify", f"{POLICIES}.resolve"
MINE = {"customer": "customers/my_customer"}
BLOCKING = "chrome.users.UrlBlocking"


def test_the_list_holds_full_names_with_their_fields() -> None:
    assert len(public_schemas()) > 1000
    assert all(re.fullmatch(r"chrome(\.[a-z]+)+\.\w+", name) for name in public_schemas())
    assert all(public_schemas().values())
    assert "reportingConnector" in public_schemas()["chrome.users.OnSecurityEvent"]


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        (BLOCKING, ()),
        ("chrome.users.apps.InstallType", ("app_id",)),
        ("chrome.devices.kiosk.apps.Permissions", ("app_id",)),
        ("chrome.networks.wifi.Details", ("network_id",)),
        ("chrome.printers.AllowForUsers", ("printer_id",)),
    ],
)
def test_a_namespace_tells_the_additional_keys(name: str, keys: tuple[str, ...]) -> None:
    assert public_keys(name) == keys


def test_what_is_known_of_a_schema_is_its_fields_and_those_in_use() -> None:
    row = public_row(BLOCKING, ["newer"])
    assert row is not None
    assert fields(row).keys() == {*public_schemas()[BLOCKING], "newer"}
    assert public_row("chrome.users.Nope", ()) is None


def resolved(world: World, schema: str) -> JsonObject:
    body = {
        "policyTargetKey": {"targetResource": f"orgunits/{SALES}"},
        "policySchemaFilter": schema,
    }
    return ask(API, world, RESOLVE, MINE, body)


def change(schema: str, *, app: str = "", **value: object) -> JsonObject:
    key: JsonObject = {"targetResource": f"orgunits/{SALES}"}
    if app:
        key["additionalTargetKeys"] = {"app_id": app}
    policy = {"policySchema": schema, "value": value}
    return {
        "requests": [{"policyTargetKey": key, "policyValue": policy, "updateMask": ",".join(value)}]
    }


def test_a_public_schema_has_no_value_until_one_is_set(tenant: World) -> None:
    assert resolved(tenant, BLOCKING) == {}
    assert ask(API, tenant, MODIFY, MINE, change(BLOCKING, urlBlocklist=["*"])) == {}
    (policy,) = resolved(tenant, BLOCKING)["resolvedPolicies"]
    assert policy["value"] == {"policySchema": BLOCKING, "value": {"urlBlocklist": ["*"]}}


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (change(BLOCKING, urlBlocked=["*"]), 400, "'urlBlocked' of the update mask is not in"),
        (change(BLOCKING, app="chrome:a", urlBlocklist=["*"]), 400, "target keys: none"),
        (change("chrome.users.apps.PermissionsAndUrlAccess", x=1), 400, "target keys: app_id"),
        (change("chrome.users.UrlBlockin", urlBlocklist=["*"]), 404, "not found"),
    ],
)
def test_what_a_public_schema_does_not_have_is_refused(
    tenant: World, body: JsonObject, status: int, text: str
) -> None:
    error = refused(API, tenant, MODIFY, MINE, body)
    assert error.status == status
    assert text in error.message


def test_the_nearest_public_name_is_told(tenant: World) -> None:
    body = {
        "policyTargetKey": {"targetResource": f"orgunits/{ENG}"},
        "policySchemaFilter": "chrome.users.UrlBlockin",
    }
    error = refused(API, tenant, RESOLVE, MINE, body)
    assert (error.status, BLOCKING in str(vars(error))) == (404, True)
