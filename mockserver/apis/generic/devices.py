"""Devices of a customer: their actions, commands, moves and users.

Source: reference pages; not verified against the live APIs: texts of refusals, and when a device
carries out a command.
"""

from collections.abc import Callable, Mapping
from functools import partial

from mockserver.apis.generic.method_rules import in_org_unit
from mockserver.apis.generic.plans import Plan, fill_template, plan_of
from mockserver.apis.generic.resources import put_fields, require_path, resource_of
from mockserver.collections.query import Query
from mockserver.collections.selections import AllOf
from mockserver.googleapi import (
    ApiError,
    Call,
    PageRule,
    bare_org_unit,
    finished_operation,
    invalid,
    list_page,
    not_honoured,
    order_rows,
    page,
    precondition,
)
from mockserver.googleapi.collections import visible_row
from mockserver.googleapi.list_rules import field_of
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import (
    World,
    org_tree,
    rfc3339,
)


def own_path(plan: Plan, call: Call) -> str:
    """The path of the resource whose method a call names after it, `.../{resourceId}/action`."""
    path = fill_template(plan.template, call.params)
    return path if plan.template.endswith("}") else path.rpartition("/")[0]


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
_CHROME_DEVICE = "customer/{customerId}/devices/chromeos"


def _act_on_chrome(plan: Plan, call: Call) -> None:
    """Answers `chromeosdevices.action`.

    Raises:
        ApiError: 404; 400 for an unknown action or no reason of a deprovisioning, 412 for a device
            that was deprovisioned.
    """
    found, action = (
        require_path(plan, call, own_path(plan, call)),
        str(call.body.get("action") or ""),
    )
    put_fields(plan, call, found, _chrome_changes(call, found[1], action))


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


def _move_chrome(plan: Plan, call: Call) -> None:
    """Answers `chromeosdevices.moveDevicesToOu`: all of them, or none; raises ApiError."""
    unit = require_unit(call.world, str(call.params["orgUnitPath"]))
    above = fill_template(_CHROME_DEVICE, call.params)
    several = [
        require_path(plan, call, f"{above}/{each}") for each in call.body.get("deviceIds") or ()
    ]
    for found in several:
        put_fields(plan, call, found, _in_unit(unit))


def _in_unit(unit: JsonMapping) -> JsonObject:
    return {"orgUnitPath": unit["orgUnitPath"], "orgUnitId": unit["orgUnitId"]}


def _change_chrome(plan: Plan, call: Call) -> JsonObject | None:
    """Answers `chromeosdevices.update` and `patch`: what is annotated, and the org unit.

    Raises:
        ApiError: 404; 400 for an unknown org unit.
    """
    settable = ("annotatedUser", "annotatedLocation", "annotatedAssetId", "notes", "orgUnitPath")
    call.ignored += sorted(call.body.keys() - {*settable, "deviceId", "kind", "etag"})
    given = {name: call.body[name] for name in settable if name in call.body}
    if given.get("orgUnitPath"):
        given |= _in_unit(require_unit(call.world, str(given["orgUnitPath"])))
    found = require_path(plan, call, fill_template(plan.template, call.params))
    return put_fields(plan, call, found, given)


def _change_several(plan: Plan, call: Call) -> JsonObject:
    """Answers `chromeos.batchChangeStatus`: each device for itself."""
    asked = str(call.body.get("changeChromeOsDeviceStatusAction") or "")
    action = asked.removeprefix("CHANGE_CHROME_OS_DEVICE_STATUS_ACTION_").lower()
    if action not in _CHROME_STATES:
        raise invalid("Invalid Input: changeChromeOsDeviceStatusAction")
    device, results = _devices_plan(plan), []
    above = fill_template(_CHROME_DEVICE, call.params)
    for each in call.body.get("deviceIds") or ():
        try:
            found = require_path(device, call, f"{above}/{each}")
            put_fields(device, call, found, _chrome_changes(call, found[1], action))
            results.append({"deviceId": each, "response": {}})
        except ApiError as error:
            about = {"code": error.status, "message": error.message}
            results.append({"deviceId": each, "error": about})
    return {"changeChromeOsDeviceStatusResults": results}


def _devices_plan(plan: Plan) -> Plan:
    return plan_of(plan.method.document.methods["directory.chromeosdevices.get"])


def _count_chrome(plan: Plan, call: Call) -> JsonObject:
    """Answers `chromeos.countChromeOsDevices`: all of them, or those of an org unit.

    Raises:
        ApiError: 501 for a filter.
    """
    if call.params.get("filter"):
        raise ApiError(501, f"{call.id} with a filter is not emulated.", code_name="UNIMPLEMENTED")
    device = _devices_plan(plan)
    table = call.world.table(device.table)
    path = str(call.params.get("orgUnitPath") or "")
    if not path:
        return {"count": str(len(table))}
    unit = str(require_unit(call.world, path)["orgUnitPath"])
    where = in_org_unit(table, unit, deep=call.params.get("includeChildOrgunits") is True)
    return {"count": str(len(Query(name=device.table, where=where, order=()).rows(table)))}


def _issue_command(plan: Plan, call: Call) -> JsonObject:
    """Answers `chromeos.issueCommand`: the command waits for its device.

    Raises:
        ApiError: 404; 400 without a type.
    """
    above, device = fill_template(plan.template, call.params), _devices_plan(plan)
    require_path(device, call, above)
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
    call.world.put(f"{plan.document_key}/commands", f"{above}/commands/{ident}", row)
    return {"commandId": ident}


def _act_on_mobile(plan: Plan, call: Call) -> None:
    """Answers `mobiledevices.action`; raises ApiError: 404, 400 for an unknown action."""
    found, action = (
        require_path(plan, call, own_path(plan, call)),
        str(call.body.get("action") or ""),
    )
    if action not in _MOBILE_STATES:
        raise invalid("Invalid Input: action")
    put_fields(plan, call, found, {"status": _MOBILE_STATES[action]})


def _act_on_device(changes: JsonObject, plan: Plan, call: Call) -> JsonObject:
    """Answers `wipe`, `approve`, `block` and `cancelWipe` of devices and their users."""
    row = put_fields(
        plan, call, require_path(plan, call, fill_template(plan.template, call.params)), changes
    )
    verb = plan.method.id.rpartition(".")[2]
    noun = "DeviceUser" if ".deviceUsers." in plan.method.id else "Device"
    version = plan.method.version
    kind = f"google.apps.cloudidentity.devices.{version}.{verb[0].upper()}{verb[1:]}{noun}Response"
    name = f"operations/{call.world.ids.base36('operation', 24)}"
    return finished_operation(
        name, {noun[0].lower() + noun[1:]: row}, f"type.googleapis.com/{kind}"
    )


def _look_up_users(plan: Plan, call: Call) -> JsonObject:
    """Answers `deviceUsers.lookup`: the users of devices that are called so."""
    resource = resource_of(plan)
    table, params = call.world.table(plan.table), call.params
    where = [
        field_of(field).equal(table, [str(params[name]).casefold()], folded=True)
        for name, field in (("userId", "userEmail"), ("rawResourceId", "name"))
        if params.get(name)
    ]
    rows = Query(name=plan.table, where=AllOf(where) if where else None, order=()).rows(table)
    shown, token = page(call, rows, PageRule(default=20, maximum=20))
    names = [str(visible_row(resource, call, row)["name"]) for row in shown]
    answer: JsonObject = {"names": names, "customer": "customers/my_customer"} if names else {}
    return {**answer, "nextPageToken": token} if token else answer


_APPS = PageRule(default=100, maximum=100)
_APPS_FIXTURE = '{"chromeReports": {"installedApps": [{"appId": "a", "displayName": "A"}]}}'


def _count_apps(_: Plan, call: Call) -> JsonObject:
    """Answers `reports.countInstalledApps` of Chrome: what the snapshot's report tells.

    Raises:
        ApiError: 501 where browsers are there and no report, and for filters and org units.
    """
    world = call.world
    apps = (world.table("chromeReports").get("chromeReports") or {}).get("installedApps")
    if apps is None and len(world.table("browsers")):
        raise not_honoured(call.id, "browsers do not tell their apps", _APPS_FIXTURE)
    if call.params.get("filter") or call.params.get("orgUnitId"):
        raise not_honoured(call.id, "its report is of the whole customer", _APPS_FIXTURE)
    rows = order_rows(call, apps or [])
    answer = list_page(call, "installedApps", rows, _APPS)
    return {**answer, "totalSize": len(rows)} if rows else answer


OF_DEVICES: Mapping[str, Callable[[Plan, Call], JsonObject | None]] = {
    "directory.chromeosdevices.action": _act_on_chrome,
    "directory.chromeosdevices.moveDevicesToOu": _move_chrome,
    "directory.chromeosdevices.update": _change_chrome,
    "directory.chromeosdevices.patch": _change_chrome,
    "admin.customer.devices.chromeos.batchChangeStatus": _change_several,
    "admin.customer.devices.chromeos.countChromeOsDevices": _count_chrome,
    "admin.customer.devices.chromeos.issueCommand": _issue_command,
    "directory.mobiledevices.action": _act_on_mobile,
    "chromemanagement.customers.reports.countInstalledApps": _count_apps,
    **{
        f"cloudidentity.devices.{verb}": partial(_act_on_device, {"managementState": state})
        for verb, state in (("wipe", "WIPING"), ("cancelWipe", "APPROVED"))
    },
    **{
        f"cloudidentity.devices.deviceUsers.{verb}": partial(
            _act_on_device, {"managementState": state}
        )
        for verb, state in (
            ("wipe", "WIPING"),
            ("cancelWipe", "APPROVED"),
            ("approve", "APPROVED"),
            ("block", "BLOCKED"),
        )
    },
    "cloudidentity.devices.deviceUsers.lookup": _look_up_users,
}
"""Method id to what answers it."""
