"""Roles, devices, licences, settings of groups and Vault, over the accounts of the Directory."""

import pytest

from mockserver.apis.administration.methods import HANDLERS, NEWER_HANDLERS
from mockserver.apis.directory import API
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import GROUPS, ROLES, USERS, find_user, remove_belongings
from tests.mockserver.apis.conftest import Generic
from tests.tenants import CUSTOMER, world

DIRECTORY, ANN = "admin:directory_v1", "ann@example.com"
OWN: JsonObject = {"customer": "my_customer"}


@pytest.fixture
def tenant() -> Generic:
    units = [{"orgUnitPath": "/Sales", "name": "Sales"}, {"orgUnitPath": "/Eng", "name": "Eng"}]
    made = world(
        API, orgUnits=units, users=[{"id": "11", "primaryEmail": ANN, "name": {"givenName": "Ann"}}]
    )
    made.put(GROUPS, "g1", {"id": "g1", "email": "crew@example.com", "name": "Crew"})
    for key, status in (("c1", "ACTIVE"), ("c2", "DEPROVISIONED")):
        row = {"deviceId": key, "status": status, "orgUnitPath": "/Sales", "notes": f"at {key}"}
        made.put(f"{DIRECTORY}/chromeosdevices", f"customer/-/devices/chromeos/{key}", row)
    return Generic(made, {**HANDLERS, **NEWER_HANDLERS})


def _refused(
    tenant: Generic, key: str, method: str, params: JsonObject, body: JsonObject | None = None
) -> int:
    with pytest.raises(ApiError) as caught:
        tenant.ask(key, method, params, body)
    return caught.value.status


def test_a_role_is_assigned_to_who_is_there_and_goes_with_them(tenant: Generic) -> None:
    [system, *_] = tenant.get(DIRECTORY, "directory.roles.list", **OWN)["items"]
    privilege = {"serviceId": "00haapch16h1ysv", "privilegeName": "USERS_RETRIEVE"}
    body = {"roleName": "Desk", "rolePrivileges": [privilege]}
    role = tenant.get(DIRECTORY, "directory.roles.insert", body, **OWN)
    given: JsonObject = {"roleId": role["roleId"], "assignedTo": "11"}
    made = tenant.get(DIRECTORY, "directory.roleAssignments.insert", given, **OWN)
    assert (made["scopeType"], made["assigneeType"]) == ("CUSTOMER", "user")
    listed = tenant.get(DIRECTORY, "directory.roleAssignments.list", userKey=ANN, **OWN)["items"]
    assert [each["roleId"] for each in listed] == [role["roleId"]]
    user = find_user(tenant.world, ANN)
    assert user is not None
    assert (user["isAdmin"], user["isDelegatedAdmin"]) == (False, True)
    named = {"customer": CUSTOMER, "roleId": role["roleId"]}
    unknown, nobody = {**privilege, "privilegeName": "FLY"}, "nobody@example.com"
    refusals = [
        ("directory.roles.insert", OWN, body, 409),
        ("directory.roles.insert", OWN, {"roleName": "X", "rolePrivileges": [unknown]}, 400),
        ("directory.roles.delete", {**named, "roleId": system["roleId"]}, {}, 400),
        ("directory.roles.delete", named, {}, 412),
        ("directory.roleAssignments.insert", OWN, given, 409),
        ("directory.roleAssignments.insert", OWN, {**given, "assignedTo": nobody}, 400),
        ("directory.roleAssignments.insert", OWN, {**given, "roleId": "1"}, 404),
        ("directory.roleAssignments.list", {**OWN, "userKey": nobody}, {}, 404),
    ]  # fmt: skip
    for method, params, sent, status in refusals:
        assert _refused(tenant, DIRECTORY, method, params, sent) == status, method
    remove_belongings(tenant.world, user)
    assert not len(tenant.world.table(f"{DIRECTORY}/roleAssignments"))
    assert len(tenant.world.table(ROLES)) == 8


@pytest.mark.parametrize(
    ("device", "body", "expected"),
    [
        ("c1", {"action": "disable"}, "DISABLED"),
        ("c1", {"action": "deprovision", "deprovisionReason": "retiring_device"}, "DEPROVISIONED"),
        ("c1", {"action": "deprovision"}, 400),
        ("c1", {"action": "paint"}, 400),
        ("c2", {"action": "reenable"}, 412),
        ("c9", {"action": "disable"}, 404),
    ],
)
def test_a_device_is_brought_into_a_state(
    tenant: Generic, device: str, body: JsonObject, expected: str | int
) -> None:
    params: JsonObject = {"customerId": "my_customer", "resourceId": device}
    act = "directory.chromeosdevices.action"
    if isinstance(expected, int):
        assert _refused(tenant, DIRECTORY, act, params, body) == expected
        return
    tenant.ask(DIRECTORY, act, params, body)
    got: JsonObject = {"customerId": CUSTOMER, "deviceId": device}
    assert tenant.get(DIRECTORY, "directory.chromeosdevices.get", **got)["status"] == expected


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({}, ["c1", "c2"]),
        ({"query": "status:active"}, ["c1"]),
        ({"query": "c2"}, ["c2"]),
        ({"query": 'note:"at c2"'}, ["c2"]),
        ({"orgUnitPath": "/Sales"}, ["c1", "c2"]),
        ({"orgUnitPath": "/", "includeChildOrgunits": True}, ["c1", "c2"]),
        ({"orgUnitPath": "/"}, []),
    ],
)
def test_devices_are_found(tenant: Generic, params: JsonObject, found: list[str]) -> None:
    asked = {"customerId": "my_customer", **params}
    answer = tenant.get(DIRECTORY, "directory.chromeosdevices.list", None, **asked)
    assert [each["deviceId"] for each in answer.get("chromeosdevices", ())] == found


def test_a_command_waits_for_its_device_and_units_are_there(tenant: Generic) -> None:
    place: JsonObject = {"customerId": "my_customer"}
    issue, chrome = "admin.customer.devices.chromeos.issueCommand", "directory.chromeosdevices"
    made = tenant.get(DIRECTORY, issue, {"commandType": "REBOOT"}, deviceId="c1", **place)
    get = {"customerId": CUSTOMER, "deviceId": "c1", **made}
    command = tenant.get(DIRECTORY, "admin.customer.devices.chromeos.commands.get", None, **get)
    assert (command["type"], command["state"]) == ("REBOOT", "PENDING")
    move = {**place, "orgUnitPath": "/Eng"}
    tenant.ask(DIRECTORY, f"{chrome}.moveDevicesToOu", move, {"deviceIds": ["c1"]})
    count = "admin.customer.devices.chromeos.countChromeOsDevices"
    assert tenant.get(DIRECTORY, count, orgUnitPath="/Sales", **place) == {"count": "1"}
    whole = tenant.get(DIRECTORY, count, orgUnitPath="/", includeChildOrgunits=True, **place)
    assert whole == tenant.get(DIRECTORY, count, **place)
    patch, unit = {**place, "deviceId": "c1"}, {"orgUnitPath": "/No"}
    assert _refused(tenant, DIRECTORY, f"{chrome}.patch", patch, unit) == 400
    change = "CHANGE_CHROME_OS_DEVICE_STATUS_ACTION_DISABLE"
    batch = {"deviceIds": ["c1", "c9"], "changeChromeOsDeviceStatusAction": change}
    several = tenant.get(
        DIRECTORY, "admin.customer.devices.chromeos.batchChangeStatus", batch, **place
    )["changeChromeOsDeviceStatusResults"]
    assert ["error" in each for each in several] == [False, True]


def test_licences_name_users_that_are_there(tenant: Generic) -> None:
    place: JsonObject = {"productId": "101001", "skuId": "1010010001"}
    licences = "licensing.licenseAssignments"
    tenant.get("licensing:v1", f"{licences}.insert", {"userId": "11"}, **place)
    refused = {"userId": "nobody@example.com"}
    assert _refused(tenant, "licensing:v1", f"{licences}.insert", place, refused) == 404
    move = {**place, "userId": "11"}
    assert tenant.get("licensing:v1", f"{licences}.patch", {"skuId": "2"}, **move)["skuId"] == "2"
    answer = tenant.get(
        "licensing:v1", f"{licences}.listForProduct", None, productId="101001", customerId=CUSTOMER
    )
    assert [(row["userId"], row["skuId"]) for row in answer["items"]] == [(ANN, "2")]
    remove_belongings(tenant.world, tenant.world.table(USERS).rows()["11"])
    assert not len(tenant.world.table("licensing:v1/licenseAssignments"))


def test_every_group_has_settings_and_no_other_address(tenant: Generic) -> None:
    group: JsonObject = {"groupUniqueId": "crew@example.com"}
    key = "groupssettings:v1"
    assert tenant.get(key, "groupsSettings.groups.get", **group)["name"] == "Crew"
    tenant.get(key, "groupsSettings.groups.patch", {"isArchived": "true"}, **group)
    assert tenant.get(key, "groupsSettings.groups.get", **group)["isArchived"] == "true"
    other = {"groupUniqueId": ANN}
    assert _refused(tenant, key, "groupsSettings.groups.get", {**other}) == 404


def test_a_matter_is_closed_before_it_is_deleted_and_holds_accounts(tenant: Generic) -> None:
    matter = tenant.get("vault:v1", "vault.matters.create", {"name": "Case"})
    named: JsonObject = {"matterId": matter["matterId"]}
    hold = tenant.get(
        "vault:v1", "vault.matters.holds.create",
        {"name": "Mails", "corpus": "MAIL", "accounts": [{"email": ANN}]}, **named,
    )  # fmt: skip
    assert [each["accountId"] for each in hold["accounts"]] == ["11"]
    held = {**named, "holdId": hold["holdId"]}
    removed = {"accountIds": ["11"]}
    tenant.get("vault:v1", "vault.matters.holds.removeHeldAccounts", removed, **held)
    assert tenant.get("vault:v1", "vault.matters.holds.accounts.list", **held) == {}
    for verb, state in (("delete", 400), ("close", "CLOSED"), ("delete", "DELETED")):
        move = f"vault.matters.{verb}"
        if isinstance(state, int):
            assert _refused(tenant, "vault:v1", move, named) == state
        else:
            tenant.ask("vault:v1", move, named)
            assert tenant.get("vault:v1", "vault.matters.get", **named)["state"] == state


def test_data_goes_from_one_user_to_another_and_codes_are_the_users_own(tenant: Generic) -> None:
    key, users = "admin:datatransfer_v1", {"oldOwnerUserId": ANN, "newOwnerUserId": "11"}
    application = tenant.get(key, "datatransfer.applications.list")["applications"][0]
    body = {**users, "applicationDataTransfers": [{"applicationId": application["id"]}]}
    made = tenant.get(key, "datatransfer.transfers.insert", body)
    assert (made["oldOwnerUserId"], made["overallTransferStatusCode"]) == ("11", "completed")
    for owner, count in (("11", 1), ("12", 0)):
        asked: JsonObject = {"customerId": CUSTOMER, "newOwnerUserId": owner}
        answer = tenant.get(key, "datatransfer.transfers.list", None, **asked)
        assert len(answer.get("dataTransfers", ())) == count
    wrong = {**body, "newOwnerUserId": "nobody"}
    assert _refused(tenant, key, "datatransfer.transfers.insert", {}, wrong) == 404
    codes, who = "directory.verificationCodes", {"userKey": ANN}
    for verb, count in (("generate", 10), ("invalidate", 0)):
        tenant.ask(DIRECTORY, f"{codes}.{verb}", {**who})
        found = tenant.ask(DIRECTORY, f"{codes}.list", {**who}) or {}
        assert len(found.get("items", ())) == count
    tenant.ask(DIRECTORY, "directory.twoStepVerification.turnOff", {**who})


@pytest.mark.parametrize(
    ("text", "status"),
    [(f'customer=="customers/{CUSTOMER}"', 200), ('display_name=="x"', 501)],
)
def test_profiles_are_of_the_customer(tenant: Generic, text: str, status: int) -> None:
    key, name = "cloudidentity:v1", "cloudidentity.inboundSamlSsoProfiles"
    tenant.get(key, f"{name}.create", {"displayName": "In"})
    if status != 200:
        assert _refused(tenant, key, f"{name}.list", {"filter": text}) == status
        return
    [found] = tenant.get(key, f"{name}.list", filter=text)["inboundSamlSsoProfiles"]
    assert found["displayName"] == "In"
