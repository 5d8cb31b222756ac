"""`directory.groups.*`."""

from collections.abc import Callable, Sequence

from mockserver.apis.directory.memberships import dissolve, renamed
from mockserver.apis.directory.query import Clause, bad_query, holds, parse_query
from mockserver.apis.directory.resources import changed, group_row, listing, stamped
from mockserver.apis.directory.state import (
    missing,
    require_customer,
    require_domain,
    require_free_address,
    require_group,
)
from mockserver.googleapi import ApiError, Call, PageRule, invalid, page
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import (
    GROUPS,
    USERS,
    Table,
    World,
    find_group,
    find_user,
    groups_with,
    members_of,
)

_PAGES = PageRule(default=200, maximum=200, size="maxResults", mismatch="Invalid Input: pageToken")
_CHANGEABLE = ("name", "description", "externalIds")
_OUTPUT_ONLY = frozenset(
    {
        "adminCreated",
        "aliases",
        "directMembersCount",
        "etag",
        "id",
        "kind",
        "nonEditableAliases",
    }
)


def counted(world: World, group: JsonObject) -> JsonObject:
    """A group as answered: with the number of its direct members, as text."""
    number = len(members_of(world, group["id"]))
    return stamped("group", {**group, "directMembersCount": str(number)})


def list_groups(call: Call) -> JsonObject:
    """Groups of a customer, of one of its domains, or those that a user is in, by address.

    Raises:
        ApiError: 400 without any of these, for a bad query, order or token; 403, 404 as for users.
    """
    world, params = call.world, call.params
    rows = _scope(world, params)
    if params.get("query"):
        test = _query(world, params["query"])
        rows = [row for row in rows if test(row)]
    if params.get("orderBy") not in {None, "email"}:
        raise invalid("Invalid Input: orderBy", location="orderBy")
    if params.get("orderBy") and params.get("sortOrder") == "DESCENDING":
        rows = rows[::-1]
    shown, token = page(call, rows, _PAGES)
    return listing("groups", "groups", (counted(world, row) for row in shown), token)


def _scope(world: World, params: JsonMapping) -> Sequence[JsonObject]:
    customer, domain, user = (params.get(name) for name in ("customer", "domain", "userKey"))
    if not (customer or domain or user):
        raise ApiError(400, "Bad Request", reason="badRequest")
    if customer:
        require_customer(world, customer)
    rows = world.table(GROUPS).derived(_by_address)
    if domain:
        require_domain(world, domain)
        ending = "@" + domain.casefold()
        rows = [row for row in rows if str(row["email"]).casefold().endswith(ending)]
    if user:
        ids = groups_with(world, _account_id(world, user))
        rows = [row for row in rows if row["id"] in ids]
    return rows


def _by_address(table: Table) -> Sequence[JsonObject]:
    return sorted(table.rows().values(), key=lambda row: str(row["email"]).casefold())


def _account_id(world: World, key: str) -> str:
    account = find_user(world, key) or find_group(world, key)
    if account is None:
        known = [str(row["primaryEmail"]) for row in world.table(USERS).rows().values()]
        raise missing("userKey", key, known)
    return str(account["id"])


def _query(world: World, text: str) -> Callable[[JsonMapping], bool]:
    tests = [_test(world, clause) for clause in parse_query(text)]
    return lambda row: all(test(row) for test in tests)


def _test(world: World, clause: Clause) -> Callable[[JsonMapping], bool]:
    match clause.field:
        case "email" | "name":
            return lambda row: holds(clause, [row[clause.field]])
        case "memberKey" if clause.op == "=":
            ids = groups_with(world, _account_id(world, clause.value))
            return lambda row: row["id"] in ids
        case "":
            return lambda row: holds(clause, [row["email"], row["name"]])
        case _:
            raise bad_query()


def get_group(call: Call) -> JsonObject:
    """One group by id, address or alias.

    Raises:
        ApiError: 404 `Resource Not Found: groupKey`.
    """
    return counted(call.world, require_group(call.world, call.params["groupKey"]))


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
    return counted(world, row)


def change_group(call: Call) -> JsonObject:
    """Change the fields that are sent; another address keeps the old one as an alias.

    Raises:
        ApiError: 404 for an unknown group, 400, 404 or 409 for the new address.
    """
    world, body = call.world, call.body
    group = require_group(world, call.params["groupKey"])
    call.ignored += sorted(_OUTPUT_ONLY & body.keys())
    row = changed(group, body, _CHANGEABLE)
    address = str(body.get("email") or group["email"])
    if address.casefold() != str(group["email"]).casefold():
        require_free_address(world, address, field="email", owner=group["id"])
        kept = [name for name in group.get("aliases", ()) if name.casefold() != address.casefold()]
        row |= {"email": address.lower(), "aliases": [*kept, group["email"]]}
        renamed(world, group["id"], address.lower())
    row = group_row(row)
    world.put(GROUPS, group["id"], row)
    return counted(world, row)


def delete_group(call: Call) -> None:
    """Delete a group with its memberships.

    Raises:
        ApiError: 404 `Resource Not Found: groupKey`.
    """
    group = require_group(call.world, call.params["groupKey"])
    dissolve(call.world, group["id"])
    call.world.delete(GROUPS, group["id"])
