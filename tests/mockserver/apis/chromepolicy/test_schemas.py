import re
from typing import Any

import pytest

from mockserver.apis.chromepolicy import API
from mockserver.apis.chromepolicy.schemas import (
    allows_target,
    default_values,
    is_schema_filter,
    matching_schemas,
    public_keys,
    public_schema,
    public_schemas,
    schema_fields,
    value_violations,
)
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ENG, SALES, ask, refused


def of(kind: str, **more: Any) -> JsonObject:
    return {"name": "f", "type": kind, **more}


def schema(field: JsonObject, **definition: Any) -> JsonObject:
    messages = [{"name": "Leaf", "field": [field]}, *definition.pop("messages", [])]
    return {"schemaName": "a.b.Leaf", "definition": {"messageType": messages, **definition}}


INNER = {"name": "Inner", "field": [{"name": "x", "type": "TYPE_BOOL"}]}
MESSAGE = schema(of("TYPE_MESSAGE", typeName=".a.b.Inner"), messages=[INNER])
ENUM = schema(
    of("TYPE_ENUM", typeName="E"),
    enumType=[{"name": "E", "value": [{"name": "A", "number": 0}, {"name": "B", "number": 1}]}],
)
MANY = schema(of("TYPE_STRING", label="LABEL_REPEATED"))


@pytest.mark.parametrize(
    ("row", "value"),
    [
        (schema(of("TYPE_BOOL")), True),
        (schema(of("TYPE_STRING")), "x"),
        (schema(of("TYPE_INT64")), "12"),
        (schema(of("TYPE_INT32")), 12),
        (schema(of("TYPE_DOUBLE")), 1.5),
        (schema(of("TYPE_UNHEARD")), object()),
        (ENUM, "B"),
        (ENUM, 1),
        (schema(of("TYPE_ENUM", typeName="Elsewhere")), "ANY"),
        (MANY, ["x", "y"]),
        (MESSAGE, {"x": True}),
        (MESSAGE, None),
        (schema(of("TYPE_MESSAGE", typeName="Elsewhere")), {"y": 1}),
        ({}, "no definition"),
    ],
)
def test_values_of_the_right_type_are_right(row: JsonObject, value: Any) -> None:
    assert value_violations(row, "f", value) == ()


@pytest.mark.parametrize(
    ("row", "value", "path"),
    [
        (schema(of("TYPE_BOOL")), "true", "f"),
        (schema(of("TYPE_STRING")), 1, "f"),
        (schema(of("TYPE_INT64")), "x", "f"),
        (schema(of("TYPE_INT32")), 1.5, "f"),
        (schema(of("TYPE_INT32")), float("inf"), "f"),
        (schema(of("TYPE_INT32")), True, "f"),
        (schema(of("TYPE_DOUBLE")), "1", "f"),
        (ENUM, "C", "f"),
        (ENUM, True, "f"),
        (MANY, "x", "f"),
        (MANY, ["x", 1], "f[1]"),
        (MESSAGE, "x", "f"),
        (MESSAGE, {"y": 1}, "f.y"),
        (MESSAGE, {"x": 1}, "f.x"),
    ],
)
def test_values_of_another_type_are_wrong(row: JsonObject, value: Any, path: str) -> None:
    assert [where for where, _ in value_violations(row, "f", value)] == [path]


def test_enums_and_messages_may_be_nested() -> None:
    row = schema(of("TYPE_MESSAGE", typeName="Deep"))
    row["definition"]["messageType"][0]["nestedType"] = [
        {
            "name": "Deep",
            "enumType": [{"name": "N", "value": [{"name": "A"}]}],
            "field": [{"name": "n", "type": "TYPE_ENUM", "typeName": ".a.b.Leaf.Deep.N"}],
        }
    ]
    assert value_violations(row, "f", {"n": "A"}) == ()
    assert value_violations(row, "f", {"n": "B"}) != ()


def test_the_message_named_like_the_leaf_holds_the_fields() -> None:
    row = schema(of("TYPE_BOOL"), messages=[INNER])
    row["definition"]["messageType"].reverse()
    assert list(schema_fields(row)) == ["f"]
    assert list(schema_fields({**row, "schemaName": "a.b.Other"})) == ["x"]
    assert schema_fields({}) == {}


def test_defaults_are_those_that_are_described() -> None:
    row = {"fieldDescriptions": [{"field": "a", "defaultValue": False}, {"field": "b"}]}
    assert default_values(row) == {"a": False}


def test_a_schema_without_valid_targets_allows_all() -> None:
    assert allows_target({}, "GROUP")
    assert not allows_target({"validTargetResources": ["ORG_UNIT"]}, "GROUP")


LIST = "chromepolicy.customers.policySchemas.list"
MINE = {"parent": "customers/my_customer"}


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("chrome.users.ShowLogoutButton", True),
        ("chrome.users.*", True),
        ("chrome.users.apps.*", True),
        ("chrome.printers.*", True),
        ("chrome.users.Show*", True),
        ("*", False),
        ("*.users", False),
        ("chrome.*", False),
        ("chrome.*.apps.*", False),
        ("chrome.users.A,chrome.users.B", False),
        ("", False),
    ],
)
def test_wildcards_are_for_the_leaf_only(text: str, valid: bool) -> None:
    assert is_schema_filter(text) is valid


def test_a_wildcard_stays_within_its_namespace() -> None:
    known = ("chrome.users.Ab", "chrome.users.Bc", "chrome.users.apps.Ab")
    assert matching_schemas("chrome.users.*", known) == known[:2]
    assert matching_schemas("chrome.users.A*", known) == known[:1]
    assert matching_schemas("chrome.users.apps.Ab", known) == known[2:]


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("name=chrome.users", ["Incognito", "InstallType", "Pinned"]),
        ("namespace=chrome.users", ["Incognito"]),
        ("namespace=CHROME.USERS.APPS", ["InstallType", "Pinned"]),
        ("description=installed", ["InstallType"]),
        ("windows", ["Incognito"]),
        ("access_restrictions=premium", ["Incognito"]),
        ("policy_api_lifecycle=API_CURRENT", ["Incognito"]),
        ("field_descriptions.field=maxwindows", ["Incognito"]),
        ('field_descriptions.input_constraint="1 to 9"', ["Incognito"]),
        ("field_descriptions.description=mode", ["Incognito"]),
        ("additional_target_keys:app_id", ["InstallType", "Pinned"]),
        ("(namespace=chrome.users.apps) AND (NOT name=Pinned)", ["InstallType"]),
        ("namespace=chrome.devices OR name=Pinned", ["Reboot", "Pinned"]),
        ("namespace!=chrome.users.apps", ["Reboot", "Incognito"]),
    ],
)
def test_schemas_are_listed_by_filter(tenant: World, text: str, leaves: list[str]) -> None:
    found = ask(API, tenant, LIST, {**MINE, "filter": text})["policySchemas"]
    assert [item["schemaName"].rpartition(".")[2] for item in found] == leaves


@pytest.mark.parametrize("text", ["colour=red", "(name=x", "near(x)"])
def test_what_is_no_filter_is_refused(tenant: World, text: str) -> None:
    error = refused(API, tenant, LIST, {**MINE, "filter": text})
    assert (error.status, error.message[:14]) == (400, "Invalid filter")


POLICIES = "chromepolicy.customers.policies"
MODIFY, RESOLVE = f"{POLICIES}.orgunits.batchModify", f"{POLICIES}.resolve"
PUBLIC_MINE = {"customer": "customers/my_customer"}
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
    row = public_schema(BLOCKING, ["newer"])
    assert row is not None
    assert schema_fields(row).keys() == {*public_schemas()[BLOCKING], "newer"}
    assert public_schema("chrome.users.Nope", ()) is None


def resolved(world: World, schema: str) -> JsonObject:
    body = {
        "policyTargetKey": {"targetResource": f"orgunits/{SALES}"},
        "policySchemaFilter": schema,
    }
    return ask(API, world, RESOLVE, PUBLIC_MINE, body)


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
    assert ask(API, tenant, MODIFY, PUBLIC_MINE, change(BLOCKING, urlBlocklist=["*"])) == {}
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
    error = refused(API, tenant, MODIFY, PUBLIC_MINE, body)
    assert error.status == status
    assert text in error.message


def test_the_nearest_public_name_is_told(tenant: World) -> None:
    body = {
        "policyTargetKey": {"targetResource": f"orgunits/{ENG}"},
        "policySchemaFilter": "chrome.users.UrlBlockin",
    }
    error = refused(API, tenant, RESOLVE, PUBLIC_MINE, body)
    assert (error.status, BLOCKING in str(vars(error))) == (404, True)
