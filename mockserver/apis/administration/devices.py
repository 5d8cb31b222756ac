"""Devices of a customer: their actions, commands, moves and users.

Source: reference pages; not verified against the live APIs: texts of refusals, and when a device
carries out a command.
"""

from collections.abc import Mapping
from functools import partial

from mockserver.collections.query import Query
from mockserver.collections.selections import AllOf
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    PageRule,
    bare_org_unit,
    finished_operation,
    invalid,
    page,
    precondition,
    rows_under,
)
from mockserver.googleapi.collections import named_row, own_resource, put_fields, visible_row
from mockserver.googleapi.list_rules import field_of
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import (
    World,
    org_tree,
    rfc3339,
)


def require_unit(world: World, name: str) -> JsonObject:
    """The org unit of a path or an id; raises ApiError: 400."""
    tree = org_tree(world)
    unit = tree.find(name) or tree.find(bare_org_unit(name))
    if unit is None:
        raise invalid("Invalid Input: INVALID_OU_ID")
    return tree.by_id[unit]


_CHROME_STATES: Mapping[str, str] = {
    "deprovision": "DEPROVISIONED",
    "disable": "DISABLED",
    "reenable": "ACTIVE",
    "pre_provisioned_disable": "DISABLED",
    "pre_provisioned_reenable": "ACTIVE",
}
_MOBILE_STATES: Mapping[str, str] = {
    "approve": "APPROVED",
    "block": "BLOCKED",
    "admin_account_wipe": "ACCOUNT_WIPE_PENDING",
    "admin_remote_wipe": "WIPE_PENDING",
    "cancel_remote_wipe_then_activate": "APPROVED",
    "cancel_remote_wipe_then_block": "BLOCKED",
}
_DEVICES = "directory.chromeosdevices.get"


def _act_on_chrome(call: Call) -> None:
    """Answers `chromeosdevices.action`.

    Raises:
        ApiError: 404; 400 for an unknown action or no reason of a deprovisioning, 412 for a device
            that was deprovisioned.
    """
    found, action = named_row(call), str(call.body.get("action") or "")
    put_fields(call, found, _chrome_changes(call, found[1], action))


def _chrome_changes(call: Call, row: JsonObject, action: str) -> JsonObject:
    if action not in _CHROME_STATES:
        raise invalid("Invalid Input: action")
    if action == "deprovision" and not call.body.get("deprovisionReason"):
        raise invalid("Invalid Input: deprovisionReason")
    if row.get("status") == "DEPROVISIONED":
        raise precondition("Device is already deprovisioned.")
    changes: JsonObject = {"status": _CHROME_STATES[action]}
    if action == "deprovision":
        changes["deprovisionReason"] = call.body["deprovisionReason"]
        changes["lastDeprovisionTimestamp"] = rfc3339(call.world.clock.now())
    return changes


def _move_chrome(call: Call) -> None:
    """Answers `chromeosdevices.moveDevicesToOu`: all of them, or none; raises ApiError."""
    unit = require_unit(call.world, str(call.params["orgUnitPath"]))
    resource = own_resource(call)
    above = resource.path_in(call)
    several = [
        resource.require(call, f"{above}/{each}") for each in call.body.get("deviceIds") or ()
    ]
    for found in several:
        put_fields(call, found, _in_unit(unit))


def _in_unit(unit: JsonMapping) -> JsonObject:
    return {"orgUnitPath": unit["orgUnitPath"], "orgUnitId": unit["orgUnitId"]}


def _change_chrome(call: Call) -> JsonObject | None:
    """Answers `chromeosdevices.update` and `patch`: what is annotated, and the org unit.

    Raises:
        ApiError: 404; 400 for an unknown org unit.
    """
    settable = ("annotatedUser", "annotatedLocation", "annotatedAssetId", "notes", "orgUnitPath")
    call.ignored += sorted(call.body.keys() - {*settable, "deviceId", "kind", "etag"})
    given = {name: call.body[name] for name in settable if name in call.body}
    if given.get("orgUnitPath"):
        given |= _in_unit(require_unit(call.world, str(given["orgUnitPath"])))
    found = named_row(call)
    return put_fields(call, found, given)


def _change_several(call: Call) -> JsonObject:
    """Answers `chromeos.batchChangeStatus`: each device for itself."""
    asked = str(call.body.get("changeChromeOsDeviceStatusAction") or "")
    action = asked.removeprefix("CHANGE_CHROME_OS_DEVICE_STATUS_ACTION_").lower()
    if action not in _CHROME_STATES:
        raise invalid("Invalid Input: changeChromeOsDeviceStatusAction")
    devices, above = own_resource(call, _DEVICES), own_resource(call).path_in(call)
    results = []
    for each in call.body.get("deviceIds") or ():
        try:
            found = devices.require(call, f"{above}/{each}")
            devices.put_fields(call, found, _chrome_changes(call, found[1], action))
            results.append({"deviceId": each, "response": {}})
        except ApiError as error:
            about = {"code": error.status, "message": error.message}
            results.append({"deviceId": each, "error": about})
    return {"changeChromeOsDeviceStatusResults": results}


def _count_chrome(call: Call) -> JsonObject:
    """Answers `chromeos.countChromeOsDevices`: all of them, or those of an org unit.

    Raises:
        ApiError: 501 for a filter.
    """
    if call.params.get("filter"):
        raise ApiError(501, f"{call.id} with a filter is not emulated.", code_name="UNIMPLEMENTED")
    if path := str(call.params.get("orgUnitPath") or ""):
        require_unit(call.world, path)
    return {
        "count": str(len(rows_under(own_resource(call, "directory.chromeosdevices.list"), call)))
    }


def _issue_command(call: Call) -> JsonObject:
    """Answers `chromeos.issueCommand`: the command waits for its device.

    Raises:
        ApiError: 404; 400 without a type.
    """
    above = own_resource(call).path_in(call)
    own_resource(call, _DEVICES).require(call, above)
    kind = str(call.body.get("commandType") or "")
    if not kind:
        raise invalid("Invalid Input: commandType")
    ident = call.world.ids.digits("command", 10)
    row: JsonObject = {
        "commandId": ident,
        "type": kind,
        "issueTime": rfc3339(call.world.clock.now()),
        "state": "PENDING",
    }
    payload = call.body.get("payload")
    row |= {"payload": payload} if payload else {}
    call.world.put("admin:directory_v1/commands", f"{above}/commands/{ident}", row)
    return {"commandId": ident}


def _act_on_mobile(call: Call) -> None:
    """Answers `mobiledevices.action`; raises ApiError: 404, 400 for an unknown action."""
    found, action = named_row(call), str(call.body.get("action") or "")
    if action not in _MOBILE_STATES:
        raise invalid("Invalid Input: action")
    put_fields(call, found, {"status": _MOBILE_STATES[action]})


def _act_on_device(state: str, call: Call) -> JsonObject:
    """Answers `wipe`, `approve`, `block` and `cancelWipe` of devices and their users."""
    row = put_fields(call, named_row(call), {"managementState": state})
    verb = call.id.rpartition(".")[2]
    noun = "DeviceUser" if ".deviceUsers." in call.id else "Device"
    package = f"google.apps.cloudidentity.devices.{call.version}"
    kind = f"{package}.{verb[0].upper()}{verb[1:]}{noun}Response"
    name = f"operations/{call.world.ids.base36('operation', 24)}"
    return finished_operation(
        name, {noun[0].lower() + noun[1:]: row}, f"type.googleapis.com/{kind}"
    )


def _look_up_users(call: Call) -> JsonObject:
    """Answers `deviceUsers.lookup`: the users of devices that are called so."""
    resource, params = own_resource(call), call.params
    table = call.world.table(resource.collection)
    where = [
        field_of(field).equal(table, [str(params[name]).casefold()], folded=True)
        for name, field in (("userId", "userEmail"), ("rawResourceId", "name"))
        if params.get(name)
    ]
    query = Query(name=resource.collection, where=AllOf(where) if where else None, order=())
    shown, token = page(call, query.rows(table), PageRule(default=20, maximum=20))
    names = [str(visible_row(resource, call, row)["name"]) for row in shown]
    answer: JsonObject = {"names": names, "customer": "customers/my_customer"} if names else {}
    return {**answer, "nextPageToken": token} if token else answer


OF_DEVICES: Mapping[str, Handler] = {
    "directory.chromeosdevices.action": _act_on_chrome,
    "directory.chromeosdevices.moveDevicesToOu": _move_chrome,
    "directory.chromeosdevices.update": _change_chrome,
    "directory.chromeosdevices.patch": _change_chrome,
    "admin.customer.devices.chromeos.batchChangeStatus": _change_several,
    "admin.customer.devices.chromeos.countChromeOsDevices": _count_chrome,
    "admin.customer.devices.chromeos.issueCommand": _issue_command,
    "directory.mobiledevices.action": _act_on_mobile,
}
"""Method id to what answers it."""
OF_CLOUD_DEVICES: Mapping[str, Handler] = {
    **{
        f"cloudidentity.{collection}.{verb}": partial(_act_on_device, state)
        for verb, state, *several in (
            ("wipe", "WIPING", "devices", "devices.deviceUsers"),
            ("cancelWipe", "APPROVED", "devices", "devices.deviceUsers"),
            ("approve", "APPROVED", "devices.deviceUsers"),
            ("block", "BLOCKED", "devices.deviceUsers"),
        )
        for collection in several
    },
    "cloudidentity.devices.deviceUsers.lookup": _look_up_users,
}
"""Method id to what answers it."""
