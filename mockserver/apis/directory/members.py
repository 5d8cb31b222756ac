"""`directory.members.*`, groups in groups included."""

from collections.abc import Iterable

from mockserver.apis.directory.memberships import key_of
from mockserver.apis.directory.resources import changed, listing, member_row
from mockserver.apis.directory.state import (
    ADDRESS,
    domain_names,
    missing,
    require_group,
)
from mockserver.googleapi import (
    Call,
    PageRule,
    duplicate,
    invalid,
    nearest,
    not_found,
    page,
    precondition,
)
from mockserver.model import JsonObject
from mockserver.state import (
    GROUPS,
    MEMBERS,
    World,
    all_member_ids,
    find_group,
    find_user,
    fixed_digits,
    members_of,
)

_PAGES = PageRule(default=200, maximum=200, size="maxResults", mismatch="Invalid Input: pageToken")
_ROLES = frozenset({"OWNER", "MANAGER", "MEMBER"})
_BAD_MEMBER = "Invalid Input: memberKey"


def list_members(call: Call) -> JsonObject:
    """Members of a group by address; `roles` keeps some roles, `includeDerivedMembership` adds
    those of groups in it.

    Raises:
        ApiError: 404 for an unknown group, 400 for an unknown role or a bad token.
    """  # noqa: D205
    world, params = call.world, call.params
    group = require_group(world, params["groupKey"])
    roles = {role.strip() for role in str(params.get("roles", "")).split(",")} - {""}
    if roles - _ROLES:
        raise invalid("Invalid Input: roles", location="roles")
    deep = bool(params.get("includeDerivedMembership"))
    found = _derived(world, group["id"]) if deep else members_of(world, group["id"])
    rows = [row for row in found if not roles or row["role"] in roles]
    shown, token = page(call, rows, _PAGES)
    return listing("members", "members", (_short(row) for row in shown), token)


def _short(member: JsonObject) -> JsonObject:
    """A member as listed: without its delivery settings (Discovery document)."""
    return {key: value for key, value in member.items() if key != "delivery_settings"}


def _derived(world: World, group_id: str) -> Iterable[JsonObject]:
    """Members of a group and of the groups in it, each once."""
    found = {member["id"]: member for member in members_of(world, group_id)}
    for inner in all_member_ids(world, group_id):
        for member in members_of(world, inner):
            found.setdefault(member["id"], {**member, "role": "MEMBER"})
    return sorted(found.values(), key=lambda member: str(member.get("email", "")).casefold())


def get_member(call: Call) -> JsonObject:
    """One direct member by id, address or alias.

    Raises:
        ApiError: 404 `Resource Not Found: groupKey` or `memberKey`.
    """
    group = require_group(call.world, call.params["groupKey"])
    return _member(call.world, group["id"], call.params["memberKey"])


def has_member(call: Call) -> JsonObject:
    """Whether an account is in a group, directly or through groups in it.

    Raises:
        ApiError: 404 for an unknown group; 400 `Invalid Input: memberKey` for an account that the
            customer does not have.
    """
    world, key = call.world, str(call.params["memberKey"])
    group = require_group(world, call.params["groupKey"])
    account = find_user(world, key) or find_group(world, key)
    if account is None:
        raise invalid(_BAD_MEMBER)
    return {"isMember": account["id"] in all_member_ids(world, group["id"])}


def insert_member(call: Call) -> JsonObject:
    """Add an account by `email` or `id`; addresses of foreign domains may join.

    Raises:
        ApiError: 404 for an unknown group or account, 409 for one that is in it, 412 for a group
            that would contain itself, 400 for a bad role or address.
    """
    world, body = call.world, call.body
    group = require_group(world, call.params["groupKey"])
    _require_role(body.get("role"))
    member = {**_account(world, str(body.get("email") or body.get("id") or "")), "status": "ACTIVE"}
    member |= {key: body[key] for key in ("role", "delivery_settings") if body.get(key)}
    if key_of(group["id"], member["id"]) in world.table(MEMBERS):
        raise duplicate("Member already exists.")
    if member["id"] == group["id"] or group["id"] in all_member_ids(world, member["id"]):
        raise precondition("Cyclic memberships not allowed")
    return _put(world, group["id"], member)


def change_member(call: Call) -> JsonObject:
    """Change a member's role or delivery settings.

    Raises:
        ApiError: 404 for an unknown group or member, 400 for a bad role.
    """
    world = call.world
    group = require_group(world, call.params["groupKey"])
    member = _member(world, group["id"], call.params["memberKey"])
    _require_role(call.body.get("role"))
    changeable = ("role", "delivery_settings")
    call.ignored += sorted(call.body.keys() & {"id", "type", "status", "kind", "etag"})
    return _put(world, group["id"], changed(member, call.body, changeable))


def delete_member(call: Call) -> None:
    """Take an account out of a group.

    Raises:
        ApiError: 404 for an unknown group or member.
    """
    world = call.world
    group = require_group(world, call.params["groupKey"])
    member = _member(world, group["id"], call.params["memberKey"])
    world.delete(MEMBERS, key_of(group["id"], member["id"]))


def _put(world: World, group_id: str, member: JsonObject) -> JsonObject:
    row = member_row(group_id, member)
    world.put(MEMBERS, key_of(group_id, member["id"]), row)
    answer: JsonObject = row["member"]
    return answer


def _require_role(role: object) -> None:
    if role is not None and role not in _ROLES:
        raise invalid("Invalid Input: role")


def _member(world: World, group_id: str, key: str) -> JsonObject:
    account = find_user(world, key) or find_group(world, key)
    asked = {key.casefold(), account["id"]} if account else {key.casefold()}
    members = members_of(world, group_id)
    for member in members:
        if {str(member["id"]), str(member.get("email", "")).casefold()} & asked:
            return member
    raise missing("memberKey", key, [str(member.get("email", "")) for member in members])


def _account(world: World, key: str) -> JsonObject:
    """The id, address and type of the account that joins."""
    user = find_user(world, key)
    if user is not None:
        return {"id": user["id"], "email": user["primaryEmail"], "type": "USER"}
    group = find_group(world, key)
    if group is not None:
        return {"id": group["id"], "email": group["email"], "type": "GROUP"}
    if not ADDRESS.match(key):
        raise invalid(_BAD_MEMBER)
    if key.rpartition("@")[2].casefold() in domain_names(world):
        known = [str(row["email"]) for row in world.table(GROUPS).rows().values()]
        text = "Resource Not Found: memberKey"
        raise not_found(text, asked=key, nearest=nearest(key, known))
    # a foreign account has one id, whichever groups it joins
    return {"id": fixed_digits(key.lower(), 21), "email": key.lower(), "type": "USER"}
