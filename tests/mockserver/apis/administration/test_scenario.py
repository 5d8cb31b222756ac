"""What administrators do beside users and groups, with every answer in whole."""

from typing import Any

from mockserver.model import JsonObject
from tests.mockserver.apis.scenarios import Scenario, check, over_http

ANN, BO, CREW = (f"{each}@example.com" for each in ("ann", "bo", "crew"))
ME = "customer/my_customer"
OUT = "https://{}.googleapis.com/{}".format
LICENCES = OUT("licensing", "apps/licensing/v1/product/Google-Apps")
TRANSFERS = OUT("admin", "admin/datatransfer/v1")
VAULT, ALERTS = OUT("vault", "v1/matters"), OUT("alertcenter", "v1beta1")
NEWER = OUT("admin", "admin/directory/v1/customer/my_customer/devices/chromeos")
CLOUD = OUT("cloudidentity", "v1/devices")
SNAPSHOT: JsonObject = {
    "orgUnits": [{"orgUnitPath": "/Sales", "name": "Sales", "orgUnitId": "id:03ph8a2z1sales"}],
    "users": [
        {"id": "11", "primaryEmail": ANN, "name": {"givenName": "Ann", "familyName": "Lee"}},
        {"id": "12", "primaryEmail": BO, "isEnforcedIn2Sv": True, "aliases": ["b@example.com"]},
    ],
    "groups": [{"id": "g1", "email": CREW, "name": "Crew"}],
    "resources": {
        "admin:directory_v1": {
            "chromeosdevices": [
                {"deviceId": "c1", "status": "ACTIVE", "orgUnitPath": "/Sales"},
                {"deviceId": "c2", "status": "DEPROVISIONED", "orgUnitPath": "/"},
            ],
            "mobiledevices": [{"resourceId": "m1", "status": "PENDING"}],
            "features": [{"name": "Beamer"}],
            "buildings": [{"buildingId": "hq", "buildingName": "HQ"}],
        },
        "cloudidentity:v1": {
            "devices": [{"name": "devices/d1", "deviceType": "MAC_OS"}],
            "deviceUsers": [
                {"name": "devices/d1/deviceUsers/u1", "userEmail": ANN},
                {"name": "devices/d1/deviceUsers/u2", "userEmail": BO},
            ],
        },
        "alertcenter:v1beta1": {"alerts": [{"alertId": "a1", "type": "Phishing"}]},
    },
}  # fmt: skip


def scenario() -> Scenario:
    return over_http(OUT("admin", "admin/directory/v1/"), _ask_all, **SNAPSHOT)


def _ask_all(call: Scenario) -> None:
    _roles(call)
    _devices(call)
    _cloud_devices(call)
    _rooms(call)
    _codes(call)
    _licences(call)
    _group_settings(call)
    _transfers(call)
    _matters(call)
    _alerts(call)


def _roles(call: Scenario) -> None:
    call(f"GET {ME}/roles/ALL/privileges")
    [system, *_] = call(f"GET {ME}/roles")["items"]
    privilege = {"serviceId": "00haapch16h1ysv", "privilegeName": "USERS_RETRIEVE"}
    bodies: tuple[JsonObject, ...] = (
        {"roleName": "Desk", "rolePrivileges": [privilege]}, {"roleName": "desk"}, {},
        {"roleName": "X", "rolePrivileges": [{**privilege, "privilegeName": "FLY"}]},
    )  # fmt: skip
    desk, *_ = [call(f"POST {ME}/roles", body) for body in bodies]
    ident, first = desk["roleId"], system["roleId"]
    for each, body in ((ident, {"roleName": "Help"}), (ident, {"roleDescription": "d"}),
        (first, {}),
                       (ident, {"roleName": system["roleName"]}), ("1", {})):  # fmt: skip
        call(f"PATCH {ME}/roles/{each}", body)
    bodies = (
        {"roleId": ident, "assignedTo": ANN}, {"roleId": ident, "assignedTo": "11"},
        {"roleId": first, "assignedTo": "11"}, {"roleId": ident, "assignedTo": CREW},
        {"roleId": ident, "assignedTo": "x@example.com"}, {"roleId": "1", "assignedTo": "11"},
        {"roleId": ident, "assignedTo": "12", "scopeType": "ORG_UNIT",
        "orgUnitId": "03ph8a2z1sales"},
        {"roleId": ident, "assignedTo": "12", "scopeType": "ORG_UNIT", "orgUnitId": "none"},
        {"roleId": ident, "assignedTo": "999"},
    )  # fmt: skip
    made = [call(f"POST {ME}/roleassignments", body) for body in bodies]
    for query in ("", f"?userKey={ANN}", f"?userKey={CREW}", "?userKey=x@example.com",
                  f"?roleId={ident}", "?userKey=999"):  # fmt: skip
        call(f"GET {ME}/roleassignments{query}")
    call(f"GET users/{ANN}?fields=isAdmin,isDelegatedAdmin,etag")
    for each in (ident, first):
        call(f"DELETE {ME}/roles/{each}")
    for assigned in made:
        if "roleAssignmentId" in assigned:
            call(f"DELETE {ME}/roleassignments/{assigned['roleAssignmentId']}")
            call(f"GET users/{ANN}?fields=isAdmin,isDelegatedAdmin")
    call(f"DELETE {ME}/roles/{ident}")


def _devices(call: Scenario) -> None:
    action: Any
    body: Any
    more: Any
    chrome, mobile = f"{ME}/devices/chromeos", f"{ME}/devices/mobile"
    for ident, body in (
        ("c1", {"action": "disable"}), ("c1", {"action": "reenable"}), ("c1", {"action": "paint"}),
        ("c1", {"action": "deprovision"}), ("c2", {"action": "disable"}), ("c9",
        {"action": "disable"}),
    ):  # fmt: skip
        call(f"POST {chrome}/{ident}/action", body)
    for body in ({"notes": "n", "annotatedUser": "a", "osVersion": "1"}, {"orgUnitPath": "/"},
                 {"orgUnitPath": "/None"}):  # fmt: skip
        call(f"PUT {chrome}/c1", body)
        call(f"PATCH {chrome}/c1", body)
    for path, several in (("/Sales", ["c1", "c2"]), ("/", ["c1", "c9"]), ("/None", ["c1"])):
        call(f"POST {chrome}/moveDevicesToOu?orgUnitPath={path}", {"deviceIds": several})
        call(f"GET {chrome}/c1")
    prefix = "CHANGE_CHROME_OS_DEVICE_STATUS_ACTION_"
    for action, more in (("DISABLE", {}), ("DEPROVISION", {"deprovisionReason": "x"}), ("X", {})):
        body = {
            "deviceIds": ["c1", "c2", "c9"],
            "changeChromeOsDeviceStatusAction": prefix + action,
        }
        call(f"POST {NEWER}:batchChangeStatus", {**body, **more})
    for query in ("", "?orgUnitPath=/Sales", "?orgUnitPath=/None", "?filter=x"):
        call(f"GET {NEWER}:countChromeOsDevices{query}")
    for ident, body in (("c1", {"commandType": "REBOOT"}), ("c1", {}), ("c9",
        {"commandType": "REBOOT"}),
                        ("c1", {"commandType": "SET_VOLUME",
                        "payload": '{"volume": 5}'})):  # fmt: skip
        made = call(f"POST {NEWER}/{ident}:issueCommand", body)
        if "commandId" in made:
            call(f"GET {NEWER}/{ident}/commands/{made['commandId']}")
    for action in ("approve", "block", "admin_account_wipe", "admin_remote_wipe", "paint",
                   "cancel_remote_wipe_then_activate",
                   "cancel_remote_wipe_then_block"):  # fmt: skip
        call(f"POST {mobile}/m1/action", {"action": action})
        call(f"GET {mobile}/m1")


def _cloud_devices(call: Scenario) -> None:
    for name, verbs in (("d1", ("wipe", "cancelWipe")), ("none", ("wipe",)),
                        ("d1/deviceUsers/u1", ("wipe", "cancelWipe", "approve",
                        "block"))):  # fmt: skip
        for verb in verbs:
            call(f"POST {CLOUD}/{name}:{verb}", {})
    for query in ("", f"?userId={ANN.upper()}", "?userId=none", "?pageSize=1"):
        call(f"GET {CLOUD}/-/deviceUsers:lookup{query}")


def _rooms(call: Scenario) -> None:
    body: Any
    verb: Any
    features, rooms, schemas = (f"{ME}/{each}" for each in ("resources/features",
    "resources/calendars",
                                                            "schemas"))  # fmt: skip
    call(f"POST {features}", {"name": "Phone"})
    for body in ({"newName": "Screen"}, {"newName": "Phone"}, {}):
        call(f"POST {features}/Beamer/rename", body)
    call(f"GET {features}")
    for body in ({"resourceId": "r", "resourceName": "Big", "buildingId": "hq"},
        {"resourceId": "s"},
                 {"resourceId": "t", "buildingId": "none"}):  # fmt: skip
        call(f"POST {rooms}", body)
    for body in ({"schemaName": "Cars", "fields": [{"fieldName": "plate", "fieldType": "STRING"}]},
                 {"schemaName": "Cars"}, {}, {"schemaName": "Own",
                 "displayName": "Shown"}):  # fmt: skip
        call(f"POST {schemas}", body)
    for verb, body in (
        ("GET", None),
        ("PATCH", {"displayName": "New"}),
        ("DELETE", None),
        ("GET", None),
    ):
        call(f"{verb} {schemas}/Cars", body)


def _codes(call: Scenario) -> None:
    for user in (ANN, "none"):
        call(f"GET users/{user}/verificationCodes")
        for verb in ("generate", "generate", "invalidate"):
            call(f"POST users/{user}/verificationCodes/{verb}")
            call(f"GET users/{user}/verificationCodes")
    for user in (ANN, BO, "none"):
        call(f"POST users/{user}/twoStepVerification/turnOff")


def _licences(call: Scenario) -> None:
    for user, sku in ((ANN, "1010020020"), ("b@example.com", "1010020020"), (ANN, "1010020020"),
                      ("none", "1010020020"), (ANN, "1010020025")):  # fmt: skip
        call(f"POST {LICENCES}/sku/{sku}/user", {"userId": user})
    for path in ("users", "users?maxResults=1", "sku/1010020025/users"):
        call(f"GET {LICENCES}/{path}{'&' if '?' in path else '?'}customerId=my_customer")
    call(f"GET {LICENCES}/users?customerId=C9")
    call(f"GET {LICENCES}/users?customerId=example.com")
    for verb, user, body in (
        ("GET", "12", None), ("PUT", BO, {"skuId": "1010020028"}), ("PATCH", "11",
        {"skuId": "1010020025"}),
        ("PATCH", ANN, {"skuId": "1010020020"}), ("DELETE", ANN, None), ("DELETE", ANN, None),
    ):  # fmt: skip
        call(f"{verb} {LICENCES}/sku/1010020020/user/{user}", body)


def _group_settings(call: Scenario) -> None:
    path = "https://www.googleapis.com/groups/v1/groups"
    for verb, name, body in (
        ("GET", CREW, None), ("PATCH", CREW, {"whoCanJoin": "INVITED_CAN_JOIN", "email": "x"}),
        ("PATCH", CREW, {"name": "New", "description": "Text"}), ("PUT",
        CREW, {"isArchived": "true"}),
        ("GET", CREW, None), ("GET", "none@example.com", None),
    ):  # fmt: skip
        call(f"{verb} {path}/{name}?alt=json", body)
    call(f"GET groups/{CREW}")


def _transfers(call: Scenario) -> None:
    for query in ("", "?customerId=C9", "?maxResults=2"):
        call(f"GET {TRANSFERS}/applications{query}")
    for ident in ("435070579839", "810260081642", "1"):
        call(f"GET {TRANSFERS}/applications/{ident}")
    several = [{"applicationId": "435070579839"}]
    for old, new in (("11", BO), ("11", "none"), ("", "12")):
        body = {"oldOwnerUserId": old, "newOwnerUserId": new, "applicationDataTransfers": several}
        call(f"POST {TRANSFERS}/transfers", body)
    call(f"GET {TRANSFERS}/transfers")
    call(f"GET {TRANSFERS}/transfers?customerId=C9")


def _matters(call: Scenario) -> None:
    body: Any
    matter = f"{VAULT}/{call(f'POST {VAULT}', {'name': 'Case', 'state': 'CLOSED'})['matterId']}"
    for body in ({"matterPermission": {"accountId": "12"}},
        {"matterPermission": {"accountId": "x"}},
                 {"matterPermission": {"accountId": "11", "role": "OWNER"}}):  # fmt: skip
        call(f"POST {matter}:addPermissions", body)
    call(f"POST {matter}:removePermissions", {"accountId": "12"})
    corpus = {"name": "Hold", "corpus": "MAIL"}
    hold: Any = {}
    for accounts in ([{"email": ANN}], [{"accountId": "x"}], []):
        made = call(f"POST {matter}/holds", {**corpus, "accounts": accounts})
        hold = hold or made
    call(f"POST {VAULT}/none/holds", corpus)
    place = f"{matter}/holds/{hold['holdId']}"
    added = {"accountIds": ["12", "x"], "emails": [CREW]}
    for verb, changes in (
        ("addHeldAccounts", added),
        ("removeHeldAccounts", {"accountIds": ["12", "x"]}),
        ("removeHeldAccounts", added),
        ("addHeldAccounts", added),
    ):
        call(f"POST {place}:{verb}", changes)
    call(f"GET {place}/accounts")
    for body in ({"accountId": "11"}, {"email": "none@example.com"}):
        call(f"POST {place}/accounts", body)
    for ident in ("12", "12"):
        call(f"DELETE {place}/accounts/{ident}")
    call(f"GET {place}")
    for verb in ("reopen", "close", "reopen", "close", "undelete"):
        call(f"POST {matter}:{verb}", {})
    for verb, path in (("DELETE", matter), ("DELETE", matter), ("POST", f"{matter}:undelete"),
                       ("GET", matter)):  # fmt: skip
        call(f"{verb} {path}", {} if verb == "POST" else None)


def _alerts(call: Scenario) -> None:
    for verb, path in (("DELETE", ""), ("GET", ""), ("POST", ":undelete"), ("GET", "")):
        call(f"{verb} {ALERTS}/alerts/a1{path}", {} if verb == "POST" else None)
    call(f"GET {ALERTS}/settings")
    told = [{"cloudPubsubTopic": {"topicName": "projects/p/topics/t"}}]
    call(f"PATCH {ALERTS}/settings", {"notifications": told})
    call(f"GET {ALERTS}/settings")
    call(f"GET {ALERTS}/settings?customerId=C9")


def test_administrators_do_what_was_written_down() -> None:
    check(__file__, scenario())
