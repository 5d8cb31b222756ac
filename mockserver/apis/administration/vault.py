"""Matters and holds of Vault, whose accounts are the Directory's; alerts that can be brought back.

Source: reference pages; not verified against the live APIs: texts of refusals.
"""

from collections.abc import Mapping

from mockserver.apis.administration.accounts import check_customer
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    LeftToConventionsError,
    failed_precondition,
    invalid,
    not_found,
)
from mockserver.googleapi.collections import named_row, own_resource, put_fields
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import (
    find_group,
    find_user,
    rfc3339,
)

_MATTER_MOVES: Mapping[str, tuple[str, str]] = {
    "close": ("OPEN", "CLOSED"),
    "reopen": ("CLOSED", "OPEN"),
    "delete": ("CLOSED", "DELETED"),
    "undelete": ("DELETED", "CLOSED"),
}
"""What a matter must be, and becomes."""


def _open_matter(call: Call) -> JsonObject | None:
    """Answers `matters.create`: an open matter of who asks."""
    owner = find_user(call.world, call.caller.email) or {}
    held = {"accountId": str(owner.get("id", "")), "role": "OWNER"}
    call.body = {**call.body, "state": "OPEN", "matterPermissions": [held]}
    raise LeftToConventionsError


def _move_matter(call: Call) -> JsonObject:
    """Answers `close`, `reopen`, `delete` and `undelete`; raises ApiError: 404, 400."""
    verb = call.id.rpartition(".")[2]
    before, after = _MATTER_MOVES[verb]
    found = named_row(call)
    if found[1].get("state", "OPEN") != before:
        raise failed_precondition(f"Matter must be {before} to {verb} it.")
    row = put_fields(call, found, {"state": after})
    return {"matter": row} if verb in {"close", "reopen"} else row


def _share_matter(call: Call) -> JsonObject:
    """Answers `addPermissions` and `removePermissions`; raises ApiError: 404, 400."""
    found = named_row(call)
    given = call.body.get("matterPermission") or call.body
    account = str(given.get("accountId") or "")
    kept = [e for e in found[1].get("matterPermissions") or () if e["accountId"] != account]
    if call.id.endswith("removePermissions"):
        put_fields(call, found, {"matterPermissions": kept})
        return {}
    if find_user(call.world, account) is None:
        raise invalid("Invalid account.")
    row = {"accountId": account, "role": str(given.get("role") or "COLLABORATOR")}
    put_fields(call, found, {"matterPermissions": [*kept, row]})
    return row


def _account_on_hold(call: Call, account: JsonMapping) -> JsonObject:
    """An account on hold, named by id or address; raises ApiError: 400."""
    key = str(account.get("accountId") or account.get("email") or "")
    user = find_user(call.world, key) or find_group(call.world, key)
    if user is None:
        raise invalid(f"Invalid account: {key}")
    name = user.get("name")
    name = name if isinstance(name, dict) else {}
    return {
        "accountId": user["id"],
        "email": user.get("primaryEmail") or user.get("email"),
        **{part: name[at] for part, at in _NAMES if name.get(at)},
        "holdTime": rfc3339(call.world.clock.now()),
    }


_NAMES = (("firstName", "givenName"), ("lastName", "familyName"))


def _hold(call: Call) -> JsonObject | None:
    """Answers `holds.create`: accounts are those of the Directory; raises ApiError: 404, 400."""
    matter = f"matters/{call.params['matterId']}"
    if matter not in call.world.table("vault:v1/matters"):
        raise not_found(name=matter)
    accounts = [_account_on_hold(call, each) for each in call.body.get("accounts") or ()]
    call.body = {**call.body, **({"accounts": accounts} if accounts else {})}
    raise LeftToConventionsError


def _change_held(call: Call) -> JsonObject:
    """Answers `addHeldAccounts` and `removeHeldAccounts`: each account for itself."""
    found = named_row(call)
    accounts, results = list(found[1].get("accounts") or ()), []
    several = [{"accountId": each} for each in call.body.get("accountIds") or ()]
    several += [{"email": each} for each in call.body.get("emails") or ()]
    is_addition = call.id.endswith("addHeldAccounts")
    for each in several:
        try:
            held = _account_on_hold(call, each)
        except ApiError as error:
            results.append({"status": {"code": 3, "message": error.message}})
            continue
        accounts = [one for one in accounts if one["accountId"] != held["accountId"]]
        accounts += [held] if is_addition else []
        results.append({"account": held, "status": {}} if is_addition else {})
    put_fields(call, found, {"accounts": accounts})
    return {"responses" if is_addition else "statuses": results}


def _held_accounts(call: Call) -> JsonObject:
    """Answers `holds.accounts.list`, `create` and `delete`: the accounts that are in the hold."""
    holds, params = own_resource(call, "vault.matters.holds.get"), call.params
    found = holds.require(call, f"matters/{params['matterId']}/holds/{params['holdId']}")
    accounts = list(found[1].get("accounts") or ())
    if call.id.endswith(".list"):
        return {"accounts": accounts} if accounts else {}
    if call.id.endswith(".create"):
        held = _account_on_hold(call, call.body)
        rest = [each for each in accounts if each["accountId"] != held["accountId"]]
        holds.put_fields(call, found, {"accounts": [*rest, held]})
        return held
    rest = [each for each in accounts if each["accountId"] != params["accountId"]]
    if len(rest) == len(accounts):
        raise not_found(name=str(params["accountId"]))
    holds.put_fields(call, found, {"accounts": rest})
    return {}


def _move_alert(call: Call) -> JsonObject:
    """Answers `alerts.delete` and `undelete`: a deleted alert can be brought back."""
    found = named_row(call)
    is_gone = call.id.endswith(".delete")
    changes = {"deleted": is_gone, "updateTime": rfc3339(call.world.clock.now())}
    row = put_fields(call, found, changes)
    return {} if is_gone else row


_ALERT_SETTINGS = "alertcenter:v1beta1/settings"


def _alert_settings(call: Call) -> JsonObject:
    """Answers `getSettings` and `updateSettings`: nobody is told of alerts at first."""
    check_customer(call)
    row = call.world.table(_ALERT_SETTINGS).get("settings") or {}
    if call.id.endswith("updateSettings"):
        row = {**row, **call.body}
        call.world.put(_ALERT_SETTINGS, "settings", row)
    return row


OF_VAULT: Mapping[str, Handler] = {
    "vault.matters.create": _open_matter,
    **{f"vault.matters.{verb}": _move_matter for verb in _MATTER_MOVES},
    "vault.matters.addPermissions": _share_matter,
    "vault.matters.removePermissions": _share_matter,
    "vault.matters.holds.create": _hold,
    "vault.matters.holds.addHeldAccounts": _change_held,
    "vault.matters.holds.removeHeldAccounts": _change_held,
    **{
        f"vault.matters.holds.accounts.{verb}": _held_accounts
        for verb in ("list", "create", "delete")
    },
    "alertcenter.alerts.delete": _move_alert,
    "alertcenter.alerts.undelete": _move_alert,
    "alertcenter.getSettings": _alert_settings,
    "alertcenter.updateSettings": _alert_settings,
}
"""Method id to what answers it, alerts included."""
