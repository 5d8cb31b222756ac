"""What goes with accounts: licences, settings of groups, transfers of data.

Source: reference pages; not verified against the live APIs: texts of refusals.
"""

from collections.abc import Mapping, Sequence

from mockserver.collections.query import Query
from mockserver.collections.selections import AllOf
from mockserver.googleapi import (
    Call,
    Handler,
    LeftToConventionsError,
    PageRule,
    duplicate,
    etag,
    forbidden,
    list_answer,
    not_found,
    page,
)
from mockserver.googleapi.collections import named_row, put_fields
from mockserver.googleapi.list_rules import field_of
from mockserver.googleapi.names import require_user
from mockserver.model import JsonObject
from mockserver.state import (
    find_group,
    find_user,
    is_customer,
    rfc3339,
)

# Licences

_LICENCES = "licensing:v1/licenseAssignments"

_PRODUCTS: Mapping[str, str] = {
    "Google-Apps": "Google Workspace",
    "Google-Vault": "Google Vault",
    "Google-Drive-storage": "Google Drive storage",
    "101001": "Cloud Identity",
    "101005": "Cloud Identity Premium",
    "101031": "Google Workspace for Education",
    "101034": "Google Workspace Archived User",
}
_PAGES = PageRule(default=100, maximum=1000, size="maxResults")


def _list_licences(call: Call) -> JsonObject:
    """Answers `listForProduct` and `listForProductAndSku`, by the users' addresses."""
    check_customer(call)
    table = call.world.table(_LICENCES)
    named = [name for name in ("productId", "skuId") if name in call.params]
    where = AllOf([field_of(name).equal(table, [str(call.params[name])]) for name in named])
    order = ((field_of("userId"), False),)
    rows = Query(name=_LICENCES, where=where, order=order).rows(table)
    shown, token = page(call, rows, _PAGES)
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


def _give_licence(call: Call) -> JsonObject | None:
    """Answers `licenseAssignments.insert`; raises ApiError: 404 for an unknown user, 409."""
    user = require_user(call.world, str(call.body.get("userId") or ""))
    call.body = _licence(call, str(user["primaryEmail"]), str(call.params["skuId"]))
    raise LeftToConventionsError


def _on_licence(call: Call) -> JsonObject | None:
    """Answers methods of a licence that name a user, by id or alias too; a change is of the SKU.

    Raises:
        ApiError: 404; 409 for a SKU that the user has.
    """
    user = find_user(call.world, str(call.params["userId"]))
    if user is not None:
        call.params["userId"] = user["primaryEmail"]
    if not call.body:
        raise LeftToConventionsError
    found = named_row(call)
    sku = str(call.body.get("skuId") or call.params["skuId"])
    path = f"{found[0].partition('/sku/')[0]}/sku/{sku}/user/{call.params['userId']}"
    if path != found[0] and path in call.world.table(_LICENCES):
        raise duplicate()
    call.world.delete(_LICENCES, found[0])
    return put_fields(call, (path, found[1]), _licence(call, str(call.params["userId"]), sku))


# Settings of groups

_SETTINGS = "groupssettings:v1/groups"
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
    "default_sender": "DEFAULT_SELF",
}


def _group_settings(call: Call) -> JsonObject:
    """Answers `get`, `patch` and `update` of groups' settings: of every group of the Directory.

    A name and a description are the group's own, there and here.

    Raises:
        ApiError: 404 for an address that is no group.
    """
    world, key = call.world, str(call.params["groupUniqueId"])
    group = find_group(world, key)
    if group is None:
        raise not_found(f"Domain not found or group does not exist: {key}", name=key)
    table, ident = world.table(_SETTINGS), str(group["id"])
    hits = field_of("email").equal(table, [str(group["email"]).casefold()], folded=True).places()
    held = table.get(ident) or (table.rows()[hits[0][2]] if hits else {})
    if not call.id.endswith(".get"):
        own: JsonObject = {
            name: call.body[name] for name in ("name", "description") if name in call.body
        }
        kept = call.body.keys() - {"kind", "email", *own}
        given = {name: call.body[name] for name in call.body if name in kept}
        if own:
            group = call.ask("directory.groups.patch", {"groupKey": ident}, own)
        held = {**held, **given}
        world.put(_SETTINGS, ident, held)
    return {
        "kind": "groupsSettings#groups",
        "email": group["email"],
        "name": group["name"],
        "description": group.get("description", ""),
        **_GROUP_SETTINGS,
        **{name: value for name, value in held.items() if name not in {"email", "name", "kind"}},
    }


# Transfers of data

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


def check_customer(call: Call) -> None:
    """Refuse a call that names another customer; a domain of the customer names it, too.

    Raises:
        ApiError: 403.
    """
    named = str(call.params.pop("customerId", ""))
    domains = field_of("domainName").equal(call.world.table("domains"), [named.lower()])
    if named and not is_customer(call.world, named) and not domains.places():
        raise forbidden("Not Authorized to access this resource/API")


def _list_transfers(call: Call) -> JsonObject:
    """Answers `transfers.list`; raises ApiError: 403 for another customer."""
    check_customer(call)
    raise LeftToConventionsError


def _transfer_applications(call: Call) -> JsonObject:
    """Answers `applications.list` and `get`; raises ApiError: 403, 404."""
    if call.id.endswith(".list"):
        check_customer(call)
        rows, token = page(call, [_transferred(each) for each in _TRANSFERRED], _PAGES)
        head = {"kind": "admin#datatransfer#applicationsList", "etag": etag([*rows])}
        return list_answer("applications", list(rows), token, head)
    ident = str(call.params["applicationId"])
    if ident not in _TRANSFERRED:
        raise not_found("Resource Not Found: applicationId", name=ident)
    return _transferred(ident)


def _transfer_data(call: Call) -> JsonObject | None:
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
    raise LeftToConventionsError


OF_ACCOUNTS: Mapping[str, Handler] = {
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
    "datatransfer.transfers.list": _list_transfers,
    **{f"groupsSettings.groups.{verb}": _group_settings for verb in ("get", "patch", "update")},
}
"""Method id to what answers it."""
