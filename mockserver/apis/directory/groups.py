"""`directory.groups.*` and `directory.members.*`, groups in groups included."""

from collections.abc import Callable, Iterable, Sequence

from mockserver.apis.directory.query import Clause, bad_query, meets_clause, parse_query
from mockserver.apis.directory.state import (
    ADDRESS,
    group_row,
    is_own_domain,
    list_with_etag,
    member_row,
    membership_key,
    require_customer,
    require_domain,
    require_free_address,
    with_body_fields,
    with_kind_and_etag,
)
from mockserver.collections import LAST, Index
from mockserver.googleapi import (
    ApiError,
    Call,
    PageRule,
    duplicate,
    each_of,
    invalid,
    nearest,
    page,
    precondition,
)
from mockserver.googleapi.names import account_not_found, require_group, user_not_found
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import (
    GROUP_NAMES,
    GROUPS,
    MEMBERS,
    World,
    all_member_ids,
    find_group,
    find_user,
    fixed_digits,
    groups_of_member,
    is_inside,
    members_with_address,
    memberships,
)


def remove_member_everywhere(world: World, member_id: str) -> None:
    """Remove a user or group from all groups."""
    for group_id in groups_of_member(world, member_id):
        world.delete(MEMBERS, membership_key(group_id, member_id))


def remove_group_memberships(world: World, group_id: str) -> None:
    """Remove a group's own memberships and those it has in other groups."""
    remove_member_everywhere(world, group_id)
    for key in memberships(world, group_id).row_keys():
        world.delete(MEMBERS, key)


def update_member_address(world: World, member_id: str, address: str) -> None:
    """Update an account's address in its memberships."""
    for group_id in groups_of_member(world, member_id):
        key = membership_key(group_id, member_id)
        row = world.table(MEMBERS).get(key) or {}
        world.put(MEMBERS, key, member_row(group_id, {**row["member"], "email": address}))


_PAGES = PageRule(default=200, maximum=200, size="maxResults", mismatch="Invalid Input: pageToken")
_CHANGEABLE = ("name", "description", "externalIds")
_OUTPUT_ONLY = frozenset(
    {"adminCreated", "aliases", "directMembersCount", "etag", "id", "kind", "nonEditableAliases"}
)


def with_member_count(world: World, group: JsonObject) -> JsonObject:
    """A group as answered: with the number of its direct members, as text."""
    number = len(memberships(world, group["id"]))
    return with_kind_and_etag("group", {**group, "directMembersCount": str(number)})


def list_groups(call: Call) -> JsonObject:
    """Groups of a customer, of one of its domains, or those that a user is in, by address.

    Raises:
        ApiError: 400 without any of these, for a bad query, order or token; 403, 404 as for users.
    """
    world, params = call.world, call.params
    rows = _groups_in_scope(world, params)
    clauses = parse_query(params["query"]) if params.get("query") else ()
    tests = [_clause_test(world, clause) for clause in clauses]
    if params.get("orderBy") not in {None, "email"}:
        raise invalid("Invalid Input: orderBy", location="orderBy")
    if params.get("orderBy") and params.get("sortOrder") == "DESCENDING":
        rows = rows[::-1]
    found = (row for row in each_of(rows) if all(test(row) for test in tests))
    shown, token = page(call, found, _PAGES)
    return list_with_etag(
        "groups", "groups", (with_member_count(world, row) for row in shown), token
    )


def _groups_in_scope(world: World, params: JsonMapping) -> Sequence[JsonObject]:
    customer, domain, user = (params.get(name) for name in ("customer", "domain", "userKey"))
    if not (customer or domain or user):
        raise ApiError(400, "Bad Request", reason="badRequest")
    if customer:
        require_customer(world, customer)
    table, name = world.table(GROUPS), str(domain or "").casefold()
    if domain:
        require_domain(world, domain)
    if not user:
        all_groups = table.ordered(_BY_ADDRESS)
        return table.between(_BY_DOMAIN, (name,), (name, LAST)) if domain else all_groups
    ids = dict.fromkeys(groups_of_member(world, _account_id(world, user)))
    rows = sorted(filter(None, map(table.get, ids)), key=_address)
    return [row for row in rows if not domain or _address(row).endswith(f"@{name}")]


def _address(row: JsonMapping) -> str:
    return str(row["email"]).casefold()


_BY_ADDRESS = Index(lambda _, row: (_address(row),))
_BY_DOMAIN = Index(lambda _, row: ((_address(row).rpartition("@")[2], _address(row)),))


def _account_id(world: World, key: str) -> str:
    account = find_user(world, key) or find_group(world, key)
    if account is None:
        raise user_not_found(world, key)
    return str(account["id"])


def _clause_test(world: World, clause: Clause) -> Callable[[JsonMapping], bool]:
    match clause.field:
        case "email" | "name":
            return lambda row: meets_clause(clause, [row[clause.field]])
        case "memberKey" if clause.op == "=":
            ids = groups_of_member(world, _account_id(world, clause.value))
            return lambda row: row["id"] in ids
        case "":
            return lambda row: meets_clause(clause, [row["email"], row["name"]])
        case _:
            raise bad_query()


def get_group(call: Call) -> JsonObject:
    """One group by id, address or alias.

    Raises:
        ApiError: 404 `Resource Not Found: groupKey`.
    """
    return with_member_count(call.world, require_group(call.world, call.params["groupKey"]))


def insert_group(call: Call) -> JsonObject:
    """A new group without members.

    Raises:
        ApiError: 400 for a missing or bad address, 404 for a foreign domain, 409 when it is taken.
    """
    world, body = call.world, call.body
    address = str(body.get("email") or "")
    require_free_address(world, address, field="email")
    call.ignored += sorted(_OUTPUT_ONLY & body.keys())
    given = {key: body[key] for key in _CHANGEABLE if body.get(key) is not None}
    group_id = "0" + world.ids.base36("group", 14)
    row = group_row({**given, "id": group_id, "email": address.lower()})
    world.put(GROUPS, group_id, row)
    return with_member_count(world, row)


def change_group(call: Call) -> JsonObject:
    """Change the fields that are sent; another address keeps the old one as an alias.

    Raises:
        ApiError: 404 for an unknown group, 400, 404 or 409 for the new address.
    """
    world, body = call.world, call.body
    group = require_group(world, call.params["groupKey"])
    call.ignored += sorted(_OUTPUT_ONLY & body.keys())
    row = with_body_fields(group, body, _CHANGEABLE)
    address = str(body.get("email") or group["email"])
    if address.casefold() != str(group["email"]).casefold():
        require_free_address(world, address, field="email", owner=group["id"])
        kept = [name for name in group.get("aliases", ()) if name.casefold() != address.casefold()]
        row |= {"email": address.lower(), "aliases": [*kept, group["email"]]}
        update_member_address(world, group["id"], address.lower())
    row = group_row(row)
    world.put(GROUPS, group["id"], row)
    return with_member_count(world, row)


def delete_group(call: Call) -> None:
    """Delete a group with its memberships.

    Raises:
        ApiError: 404 `Resource Not Found: groupKey`.
    """
    group = require_group(call.world, call.params["groupKey"])
    remove_group_memberships(call.world, group["id"])
    call.world.delete(GROUPS, group["id"])


_ROLES = frozenset({"OWNER", "MANAGER", "MEMBER"})
_COMPARED = 2000
"""Members of a group that an unknown one is compared with."""

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
    direct = (row["member"] for row in each_of(memberships(world, group["id"])))
    found = _all_members(world, group["id"]) if deep else direct
    rows = (row for row in found if not roles or row["role"] in roles)
    shown, token = page(call, rows, _PAGES)
    return list_with_etag("members", "members", (_brief_member(row) for row in shown), token)


def _brief_member(member: JsonObject) -> JsonObject:
    """A member as listed: without its delivery settings (Discovery document)."""
    return {key: value for key, value in member.items() if key != "delivery_settings"}


def _all_members(world: World, group_id: str) -> Iterable[JsonObject]:
    """Members of a group and of the groups in it, each once."""
    found = {row["member"]["id"]: row["member"] for row in memberships(world, group_id)}
    for inner in all_member_ids(world, group_id):
        for row in memberships(world, inner):
            found.setdefault(row["member"]["id"], {**row["member"], "role": "MEMBER"})
    return sorted(found.values(), key=lambda member: str(member.get("email", "")).casefold())


def get_member(call: Call) -> JsonObject:
    """One direct member by id, address or alias.

    Raises:
        ApiError: 404 `Resource Not Found: groupKey` or `memberKey`.
    """
    return _named_member(call)[1]


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
    return {"isMember": is_inside(world, account["id"], group["id"])}


def insert_member(call: Call) -> JsonObject:
    """Add an account by `email` or `id`; addresses of foreign domains may join.

    Raises:
        ApiError: 404 for an unknown group or account, 409 for one that is in it, 412 for a group
            that would contain itself, 400 for a bad role or address.
    """
    world, body = call.world, call.body
    group = require_group(world, call.params["groupKey"])
    _require_role(body.get("role"))
    member = {
        **_account_to_add(world, str(body.get("email") or body.get("id") or "")),
        "status": "ACTIVE",
    }
    member |= {key: body[key] for key in ("role", "delivery_settings") if body.get(key)}
    if membership_key(group["id"], member["id"]) in world.table(MEMBERS):
        raise duplicate("Member already exists.")
    if member["id"] == group["id"] or is_inside(world, group["id"], member["id"]):
        raise precondition("Cyclic memberships not allowed")
    return _put_member(world, group["id"], member)


def change_member(call: Call) -> JsonObject:
    """Change a member's role or delivery settings.

    Raises:
        ApiError: 404 for an unknown group or member, 400 for a bad role.
    """
    group, member = _named_member(call)
    _require_role(call.body.get("role"))
    changeable = ("role", "delivery_settings")
    call.ignored += sorted(call.body.keys() & {"id", "type", "status", "kind", "etag"})
    return _put_member(call.world, group, with_body_fields(member, call.body, changeable))


def delete_member(call: Call) -> None:
    """Take an account out of a group.

    Raises:
        ApiError: 404 for an unknown group or member.
    """
    group, member = _named_member(call)
    call.world.delete(MEMBERS, membership_key(group, member["id"]))


def _put_member(world: World, group_id: str, member: JsonObject) -> JsonObject:
    row = member_row(group_id, member)
    world.put(MEMBERS, membership_key(group_id, member["id"]), row)
    answer: JsonObject = row["member"]
    return answer


def _require_role(role: object) -> None:
    if role is not None and role not in _ROLES:
        raise invalid("Invalid Input: role")


def _named_member(call: Call) -> tuple[str, JsonObject]:
    """The id of the group and the member that a call names; raises ApiError."""
    group: str = require_group(call.world, call.params["groupKey"])["id"]
    return group, _find_member(call.world, group, call.params["memberKey"])


def _find_member(world: World, group_id: str, key: str) -> JsonObject:
    account = find_user(world, key) or find_group(world, key)
    asked = (key.casefold(), *([account["id"]] if account else ()))
    table, found = world.table(MEMBERS), []
    for name in asked:
        found += [row["member"] for row in members_with_address(world, group_id, name)[:1]]
        row = table.get(membership_key(group_id, name))
        found += [] if row is None else [row["member"]]
    if found:
        member: JsonObject = min(found, key=lambda each: str(each.get("email", "")).casefold())
        return member
    several = memberships(world, group_id)[:_COMPARED]
    near = nearest(key, [str(row["member"].get("email", "")) for row in several])
    raise account_not_found("memberKey", key, near)


def _account_to_add(world: World, key: str) -> JsonObject:
    """The id, address and type of the account that joins."""
    user = find_user(world, key)
    if user is not None:
        return {"id": user["id"], "email": user["primaryEmail"], "type": "USER"}
    group = find_group(world, key)
    if group is not None:
        return {"id": group["id"], "email": group["email"], "type": "GROUP"}
    if not ADDRESS.match(key):
        raise invalid(_BAD_MEMBER)
    if is_own_domain(world, key.rpartition("@")[2].casefold()):
        near = nearest(key, world.table(GROUPS), GROUP_NAMES, "email")
        raise account_not_found("memberKey", key, near)
    # a foreign account has one id, whichever groups it joins
    return {"id": fixed_digits(key.lower(), 21), "email": key.lower(), "type": "USER"}
