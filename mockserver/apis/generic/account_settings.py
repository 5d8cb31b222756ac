"""What goes with accounts: licences, settings of groups, transfers of data, second factors.

Source: reference pages; not verified against the live APIs: texts of refusals.
"""

from collections.abc import Callable, Mapping, Sequence

from mockserver.apis.generic.plans import Plan, fill_template, properties
from mockserver.apis.generic.resources import put_fields, require_path, resource_of
from mockserver.collections.query import Query
from mockserver.collections.selections import AllOf
from mockserver.googleapi import (
    Call,
    PageRule,
    duplicate,
    etag,
    invalid,
    list_answer,
    not_found,
    page,
)
from mockserver.googleapi.accounts import require_user
from mockserver.googleapi.collections import ANSWERS_BY_VERB
from mockserver.googleapi.list_rules import field_of
from mockserver.model import JsonObject
from mockserver.state import (
    USERS,
    find_group,
    find_user,
    rfc3339,
)

Answer = Callable[[Plan, Call], JsonObject | None]


# Licences

_PRODUCTS: Mapping[str, str] = {
    "Google-Apps": "Google Workspace",
    "Google-Vault": "Google Vault",
    "Google-Drive-storage": "Google Drive storage",
    "101001": "Cloud Identity",
    "101005": "Cloud Identity Premium",
    "101031": "Google Workspace for Education",
    "101034": "Google Workspace Archived User",
}
_LICENCES = PageRule(default=100, maximum=1000, size="maxResults")


def _list_licences(plan: Plan, call: Call) -> JsonObject:
    """Answers `listForProduct` and `listForProductAndSku`, by the users' addresses."""
    table = call.world.table(plan.table)
    named = [name for name in ("productId", "skuId") if name in call.params]
    where = AllOf([field_of(name).equal(table, [str(call.params[name])]) for name in named])
    order = ((field_of("userId"), False),)
    rows = Query(name=plan.table, where=where, order=order).rows(table)
    shown, token = page(call, rows, _LICENCES)
    head = {"kind": "licensing#licenseAssignmentList", "etag": etag([dict(row) for row in shown])}
    return list_answer("items", list(shown), token, head)


def _licence(call: Call, user: str, sku: str) -> JsonObject:
    product = str(call.params["productId"])
    return {
        "userId": user,
        "productId": product,
        "productName": _PRODUCTS.get(product, product),
        "skuId": sku,
        "skuName": sku,
    }


def _give_licence(plan: Plan, call: Call) -> JsonObject | None:
    """Answers `licenseAssignments.insert`; raises ApiError: 404 for an unknown user, 409."""
    user = require_user(call.world, str(call.body.get("userId") or ""))
    call.body = _licence(call, str(user["primaryEmail"]), str(call.params["skuId"]))
    return ANSWERS_BY_VERB["create"](resource_of(plan), call)


def _on_licence(plan: Plan, call: Call) -> JsonObject | None:
    """Answers methods of a licence that name a user, by id or alias too; a change is of the SKU.

    Raises:
        ApiError: 404; 409 for a SKU that the user has.
    """
    user = find_user(call.world, str(call.params["userId"]))
    if user is not None:
        call.params["userId"] = user["primaryEmail"]
    if plan.verb in {"get", "delete"}:
        return ANSWERS_BY_VERB[plan.verb](resource_of(plan), call)
    found = require_path(plan, call, fill_template(plan.template, call.params))
    sku = str(call.body.get("skuId") or call.params["skuId"])
    path = fill_template(plan.template, {**call.params, "skuId": sku})
    if path != found[0] and resource_of(plan).find(call.world, path) is not None:
        raise duplicate()
    call.world.delete(plan.table, found[0])
    return put_fields(plan, call, (path, found[1]), _licence(call, str(call.params["userId"]), sku))


# Settings of groups

_GROUP_SETTINGS: Mapping[str, str] = {
    "whoCanJoin": "CAN_REQUEST_TO_JOIN",
    "whoCanViewMembership": "ALL_MEMBERS_CAN_VIEW",
    "whoCanViewGroup": "ALL_MEMBERS_CAN_VIEW",
    "allowExternalMembers": "false",
    "whoCanPostMessage": "ANYONE_CAN_POST",
    "allowWebPosting": "true",
    "primaryLanguage": "en",
    "isArchived": "false",
    "archiveOnly": "false",
    "messageModerationLevel": "MODERATE_NONE",
    "spamModerationLevel": "MODERATE",
    "replyTo": "REPLY_TO_IGNORE",
    "customReplyTo": "",
    "includeCustomFooter": "false",
    "customFooterText": "",
    "sendMessageDenyNotification": "false",
    "defaultMessageDenyNotificationText": "",
    "membersCanPostAsTheGroup": "false",
    "includeInGlobalAddressList": "true",
    "whoCanLeaveGroup": "ALL_MEMBERS_CAN_LEAVE",
    "whoCanContactOwner": "ANYONE_CAN_CONTACT",
    "favoriteRepliesOnTop": "true",
    "whoCanModerateMembers": "OWNERS_AND_MANAGERS",
    "whoCanModerateContent": "OWNERS_AND_MANAGERS",
    "whoCanAssistContent": "NONE",
    "enableCollaborativeInbox": "false",
    "whoCanDiscoverGroup": "ALL_IN_DOMAIN_CAN_DISCOVER",
    "defaultSender": "DEFAULT_SELF",
}


def _group_settings(plan: Plan, call: Call) -> JsonObject:
    """Answers `get`, `patch` and `update` of groups' settings: of every group of the Directory.

    A name and a description are the group's own, there and here.

    Raises:
        ApiError: 404 for an address that is no group.
    """
    world, key = call.world, str(call.params["groupUniqueId"])
    group = find_group(world, key)
    if group is None:
        raise not_found(f"Domain not found or group does not exist: {key}", name=key)
    table, ident = world.table(plan.table), str(group["id"])
    hits = field_of("email").equal(table, [str(group["email"]).casefold()], folded=True).places()
    held = table.get(ident) or (table.rows()[hits[0][2]] if hits else {})
    if plan.verb != "get":
        known = properties(plan.method.document, plan.item).keys() - {"kind", "email"}
        given = {name: value for name, value in call.body.items() if name in known}
        own: JsonObject = {name: given[name] for name in ("name", "description") if name in given}
        given = {name: value for name, value in given.items() if name not in own}
        if own:
            group = call.ask("directory.groups.patch", {"groupKey": ident}, own)
        held = {**held, **given}
        world.put(plan.table, ident, held)
    return {
        "kind": "groupsSettings#groups",
        "email": group["email"],
        "name": group["name"],
        "description": group.get("description", ""),
        **_GROUP_SETTINGS,
        **{name: value for name, value in held.items() if name not in {"email", "name", "kind"}},
    }


# Transfers of data, and second factors

_TRANSFERRED: Mapping[str, tuple[str, str, Sequence[str]]] = {
    "55656082996": ("Drive and Docs", "PRIVACY_LEVEL", ("SHARED", "PRIVATE")),
    "435070579839": ("Calendar", "RELEASE_RESOURCES", ("TRUE",)),
    "810260081642": ("Looker Studio", "", ()),
}
"""Applications whose data can be transferred: name, parameter, and its values."""


def _transferred(ident: str) -> JsonObject:
    name, key, values = _TRANSFERRED[ident]
    row: JsonObject = {
        "kind": "admin#datatransfer#ApplicationResource",
        "id": ident,
        "name": name,
        **({"transferParams": [{"key": key, "value": list(values)}]} if key else {}),
    }
    return {**row, "etag": etag(row)}


def _transfer_applications(plan: Plan, call: Call) -> JsonObject:
    """Answers `applications.list` and `get`; raises ApiError: 404."""
    if plan.verb == "list":
        rows = [_transferred(each) for each in _TRANSFERRED]
        head = {"kind": "admin#datatransfer#applicationsList", "etag": etag([*rows])}
        return {**head, "applications": rows}
    ident = str(call.params["applicationId"])
    if ident not in _TRANSFERRED:
        raise not_found("Resource Not Found: applicationId", name=ident)
    return _transferred(ident)


def _transfer_data(plan: Plan, call: Call) -> JsonObject | None:
    """Answers `transfers.insert`, which is done at once; raises ApiError: 404 for unknown users."""
    owners = {
        name: str(require_user(call.world, str(call.body.get(name) or ""))["id"])
        for name in ("oldOwnerUserId", "newOwnerUserId")
    }
    several = call.body.get("applicationDataTransfers") or ()
    done = [{**each, "applicationTransferStatus": "completed"} for each in several]
    call.body = {
        **call.body,
        **owners,
        "applicationDataTransfers": done,
        "overallTransferStatusCode": "completed",
        "requestTime": rfc3339(call.world.clock.now()),
    }
    return ANSWERS_BY_VERB["create"](resource_of(plan), call)


_CODES = 10


def _verification_codes(plan: Plan, call: Call) -> JsonObject | None:
    """Answers `verificationCodes.list`, `generate` and `invalidate`; raises ApiError: 404."""
    world = call.world
    user = str(require_user(world, str(call.params["userKey"]))["id"])
    table = world.table(plan.table)
    if plan.verb == "list":
        rows = [table.rows()[hit[2]] for hit in field_of("userId").equal(table, [user]).places()]
        head = {"kind": "admin#directory#verificationCodesList", "etag": etag([*rows])}
        return {**head, "items": rows} if rows else head
    for hit in list(field_of("userId").equal(table, [user]).places()):
        world.delete(plan.table, hit[2])
    for _ in range(_CODES if plan.method.id.endswith("generate") else 0):
        code = world.ids.digits("verification code", 8)
        row: JsonObject = {
            "kind": "admin#directory#verificationCode", "userId": user, "verificationCode": code,
        }  # fmt: skip
        path = f"users/{user}/verificationCodes/{code}"
        world.put(plan.table, path, {**row, "etag": etag(row)})
    return None


def _turn_off(_: Plan, call: Call) -> None:
    """Answers `twoStepVerification.turnOff`; raises ApiError: 404, 400 where it is enforced."""
    user = require_user(call.world, str(call.params["userKey"]))
    if user.get("isEnforcedIn2Sv"):
        raise invalid("2-step verification is enforced for the user.")
    row = {**user, "isEnrolledIn2Sv": False}
    call.world.put(USERS, str(user["id"]), {**row, "etag": etag(row)})


OF_ACCOUNTS: Mapping[str, Answer] = {
    "licensing.licenseAssignments.listForProduct": _list_licences,
    "licensing.licenseAssignments.listForProductAndSku": _list_licences,
    "licensing.licenseAssignments.insert": _give_licence,
    **{
        f"licensing.licenseAssignments.{verb}": _on_licence
        for verb in ("get", "patch", "update", "delete")
    },
    "datatransfer.applications.list": _transfer_applications,
    "datatransfer.applications.get": _transfer_applications,
    "datatransfer.transfers.insert": _transfer_data,
    **{
        f"directory.verificationCodes.{verb}": _verification_codes
        for verb in ("list", "generate", "invalidate")
    },
    "directory.twoStepVerification.turnOff": _turn_off,
    **{f"groupsSettings.groups.{verb}": _group_settings for verb in ("get", "patch", "update")},
}
"""Method id to what answers it."""
