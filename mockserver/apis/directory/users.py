"""`directory.users.*` and aliases: reading, searching and changing accounts.

Changes have patch semantics with `update` too (Discovery document).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from mockserver.apis.directory.collections import DELETED_USERS
from mockserver.apis.directory.groups import remove_member_everywhere, update_member_address
from mockserver.apis.directory.orgunits import BY_UNIT
from mockserver.apis.directory.query import Clause, bad_query, meets_clause, parse_query
from mockserver.apis.directory.state import (
    group_row,
    list_with_etag,
    require_customer,
    require_domain,
    require_free_address,
    unit_path,
    user_row,
    with_body_fields,
    with_kind_and_etag,
)
from mockserver.collections import LAST, Index, Range, Store
from mockserver.googleapi import ApiError, Call, Handler, PageRule, each_of, invalid, nearest, page
from mockserver.googleapi.names import account_not_found, require_group, require_user
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import (
    GROUPS,
    USER_NAMES,
    USERS,
    World,
    customer_id,
    find_user,
    remove_belongings,
    rename_belongings,
    rfc3339,
)

Values = Callable[[JsonMapping], list[object]]


def _address_values(user: JsonMapping) -> list[object]:
    return [user["primaryEmail"], *user.get("aliases", ()), *user.get("nonEditableAliases", ())]


def _name_values(user: JsonMapping) -> list[object]:
    return [user["name"].get("fullName")]


def _name_part(part: str) -> Values:
    return lambda user: [user["name"].get(part)]


def _values_of_each(collection: str, part: str) -> Values:
    return lambda user: [item.get(part) for item in user.get(collection) or ()]


def _postal_addresses(user: JsonMapping) -> list[object]:
    return [" ".join(map(str, item.values())) for item in user.get("addresses") or ()]


def _flag_value(name: str) -> Values:
    return lambda user: [str(bool(user.get(name))).lower()]


_OF_ITEMS = {
    "phone": "phones.value", "im": "ims.im", "externalId": "externalIds.value",
    "addressPoBox": "addresses.poBox", "addressExtended": "addresses.extendedAddress",
    "addressStreet": "addresses.streetAddress", "addressLocality": "addresses.locality",
    "addressRegion": "addresses.region", "addressPostalCode": "addresses.postalCode",
    "addressCountry": "addresses.country", "orgName": "organizations.name",
    "orgTitle": "organizations.title", "orgDepartment": "organizations.department",
    "orgDescription": "organizations.description", "orgCostCenter": "organizations.costCenter",
}  # fmt: skip
"""Fields of queries that mean a part of each item of a list."""
_TEXTS: Mapping[str, Values] = {
    "name": _name_values,
    "email": _address_values,
    "givenName": _name_part("givenName"),
    "familyName": _name_part("familyName"),
    "address": _postal_addresses,
    **{name: _values_of_each(*place.split(".")) for name, place in _OF_ITEMS.items()},
}
_FLAGS = {
    "isAdmin": "isAdmin", "isDelegatedAdmin": "isDelegatedAdmin", "isSuspended": "suspended",
    "isArchived": "archived", "isEnrolledIn2Sv": "isEnrolledIn2Sv",
    "isEnforcedIn2Sv": "isEnforcedIn2Sv",
}  # fmt: skip
"""Fields of queries that mean a flag."""


def user_filter(world: World, text: str) -> Callable[[JsonMapping], bool]:
    """A test of users for a query.

    `orgUnitPath` means a unit and everything below it; `manager` means anyone above a user.

    Raises:
        ApiError: 400 for a query that cannot be read, or a field that users are not searched by.
    """
    tests = [_clause_test(world, clause) for clause in parse_query(text)]
    return lambda user: all(test(user) for test in tests)


def _clause_test(world: World, clause: Clause) -> Callable[[JsonMapping], bool]:
    if not clause.field:
        return lambda user: meets_clause(clause, [*_address_values(user), *_name_values(user)])
    if clause.field == "orgUnitPath":
        return _unit_test(world, clause)
    if clause.field in {"manager", "directManager"}:
        deep = clause.field == "manager"
        return lambda user: meets_clause(clause, _managers(world, user, deep=deep))
    values = _clause_values(clause)
    return lambda user: meets_clause(clause, values(user))


def _clause_values(clause: Clause) -> Values:
    if clause.field in _FLAGS:
        if clause.op != "=" or clause.value.casefold() not in {"true", "false"}:
            raise bad_query()
        return _flag_value(_FLAGS[clause.field])
    if clause.field in _TEXTS and clause.op in {"=", ":", "prefix"}:
        return _TEXTS[clause.field]
    schema, dot, field = clause.field.partition(".")
    if not dot:
        raise bad_query()
    return lambda user: _custom_values(user, schema, field)


def _custom_values(user: JsonMapping, schema: str, field: str) -> list[object]:
    value = (user.get("customSchemas") or {}).get(schema, {}).get(field)
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, list):
        return [item.get("value") if isinstance(item, dict) else item for item in value]
    return [value]


def _unit_test(world: World, clause: Clause) -> Callable[[JsonMapping], bool]:
    if clause.op not in {"=", ":"}:
        raise bad_query()
    try:
        path = unit_path(world, clause.value)
    except ApiError as error:
        raise bad_query() from error
    below = path.rstrip("/").casefold() + "/"
    return lambda user: (str(user["orgUnitPath"]).rstrip("/").casefold() + "/").startswith(below)


def _managers(world: World, user: JsonMapping, *, deep: bool) -> list[object]:
    """Addresses of a user's manager, and with `deep` of all managers above."""
    found: list[object] = []
    waiting = [user]
    while waiting:
        for relation in waiting.pop().get("relations") or ():
            address = relation.get("value")
            if relation.get("type") == "manager" and address and address not in found:
                found.append(address)
                above = find_user(world, address)
                if deep and above is not None:
                    waiting.append(above)
    return found


_PAGES = PageRule(default=100, maximum=500, size="maxResults", mismatch="Invalid Input: pageToken")
_PUBLIC = (
    "kind", "id", "etag", "primaryEmail", "name", "emails", "phones", "organizations",
    "thumbnailPhotoUrl",
)  # fmt: skip
"""Fields that everyone in the domain sees."""


def list_users(call: Call) -> JsonObject:
    """Users of a customer or of one of its domains, ordered by address unless `orderBy` is given.

    Raises:
        ApiError: 400 without `customer` and `domain`, for a bad query, order or token; 403 for
            another customer, 404 for another's domain.
    """
    world, params = call.world, call.params
    _require_scope(world, params)
    tests, view = _list_tests(world, params), _user_view(params)
    table, order = _table_and_order(params, world)
    if tests:
        return _listing(call, table, order, tests, view)
    asked = ("users.list", *params.items())
    return table.remembered(asked, lambda: _listing(call, table, order, (), view))


def _listing(
    call: Call,
    table: Store,
    order: Index,
    tests: Sequence[Callable[[JsonMapping], bool]],
    view: Callable[[JsonObject], JsonObject],
) -> JsonObject:
    world, params = call.world, call.params
    rows = _candidates(world, table, params, order)
    if params.get("orderBy") and params.get("sortOrder") == "DESCENDING":
        rows = rows[::-1]
    found: Iterable[JsonObject] = rows
    if tests:
        found = (row for row in each_of(rows) if all(test(row) for test in tests))
    shown, token = page(call, found, _PAGES)
    if view is _without_schemas:
        # rows that are the same for each list need not be made, nor encoded, for each
        shown = table.views(_plain_view, [row["id"] for row in shown])
    else:
        shown = [view(row) for row in shown]
    return list_with_etag("users", "users", shown, token)


def get_user(call: Call) -> JsonObject:
    """One user by id, address or alias, with `projection` and `viewType`.

    Raises:
        ApiError: 404 `Resource Not Found: userKey`.
    """
    return _user_view(call.params)(require_user(call.world, call.params["userKey"]))


def _require_scope(world: World, params: JsonMapping) -> None:
    if not params.get("customer") and not params.get("domain"):
        raise ApiError(400, "Bad Request", reason="badRequest")
    if params.get("customer"):
        require_customer(world, params["customer"])
    if params.get("domain"):
        require_domain(world, params["domain"])


def _table_and_order(params: JsonMapping, world: World) -> tuple[Store, Index]:
    """The accounts that are asked for, and the order that was asked for."""
    deleted = str(params.get("showDeleted", "")).casefold() == "true"
    order = _ORDERS.get(params.get("orderBy") or "email")
    if order is None:
        raise invalid("Invalid Input: orderBy", location="orderBy")
    return world.table(DELETED_USERS if deleted else USERS), order


def _candidates(
    world: World, table: Store, params: JsonMapping, order: Index
) -> Sequence[JsonObject]:
    """In an order, all users that may be meant: those of a query's clause with the fewest."""
    ranges: list[list[Range]] = []
    for clause in parse_query(params["query"]) if params.get("query") else ():
        value = clause.value.casefold()
        if clause.op == "=" and clause.field in _NAME_PARTS:
            ranges.append([table.between(_ORDERS[clause.field], (value,), (value, LAST))])
        elif clause.op == "=" and clause.field == "email":
            ranges.append([table.find(USER_NAMES, value)])
        elif clause.field == "orgUnitPath":
            path = unit_path(world, clause.value).rstrip("/").casefold()
            ranges.append([table.find(BY_UNIT, path), table.starting(BY_UNIT, f"{path}/")])
    if not ranges and params.get("domain") and order is _ORDERS["email"]:
        domain = params["domain"].casefold()
        return table.between(_BY_DOMAIN, (domain,), (domain, LAST))
    if not ranges:
        return table.ordered(order)
    found = min(ranges, key=lambda several: sum(map(len, several)))
    keys = {key: number for each in found for _, number, key in each.entries()}
    rows = table.rows()
    places = sorted((*order.values(key, rows[key]), number, key) for key, number in keys.items())
    return [rows[place[2]] for place in places]


def _by_name(part: str) -> Index:
    return Index(lambda _, row: ((str(row["name"].get(part, "")).casefold(), _address(row)),))


def _address(row: JsonMapping) -> str:
    return str(row["primaryEmail"]).casefold()


_BY_DOMAIN = Index(lambda _, row: ((_address(row).rpartition("@")[2], _address(row)),))
_NAME_PARTS = frozenset({"givenName", "familyName"})
_ORDERS: Mapping[str, Index] = {
    "email": Index(lambda _, row: (_address(row),)),
    "givenName": _by_name("givenName"),
    "familyName": _by_name("familyName"),
}


def _list_tests(world: World, params: JsonMapping) -> list[Callable[[JsonMapping], bool]]:
    tests: list[Callable[[JsonMapping], bool]] = []
    if params.get("domain"):
        ending = "@" + params["domain"].casefold()
        tests.append(lambda row: _address(row).endswith(ending))
    if params.get("query"):
        tests.append(user_filter(world, params["query"]))
    if params.get("viewType") == "domain_public":
        tests.append(lambda row: bool(row.get("includeInGlobalAddressList", True)))
    return tests


def _user_view(params: JsonMapping) -> Callable[[JsonObject], JsonObject]:
    """What `projection`, `customFieldMask` and `viewType` leave of a user."""
    if params.get("viewType") == "domain_public":
        return lambda row: {key: row[key] for key in _PUBLIC if key in row}
    projection = params.get("projection") or "basic"
    if projection == "full":
        return lambda row: row
    mask = set(str(params.get("customFieldMask", "")).split(",")) - {""}
    if projection == "custom" and not mask:
        raise invalid("Invalid Input: customFieldMask", location="customFieldMask")
    if projection == "custom":
        return lambda row: _with_schemas(row, mask)
    return _without_schemas


def _plain_view(_: str, row: JsonObject) -> JsonObject:
    return _without_schemas(row)


def _without_schemas(row: JsonObject) -> JsonObject:
    return _with_schemas(row, set())


def _with_schemas(row: JsonObject, names: set[str]) -> JsonObject:
    if "customSchemas" not in row:
        return row
    kept: dict[str, Any] = {k: v for k, v in row["customSchemas"].items() if k in names}
    rest = {key: value for key, value in row.items() if key != "customSchemas"}
    return {**rest, "customSchemas": kept} if kept else rest


_ADDRESS_FIELD = "primary_user_email"
_OUTPUT_ONLY = frozenset({
    "agreedToTerms", "aliases", "creationTime", "customerId", "deletionTime", "etag", "id",
    "isAdmin", "isDelegatedAdmin", "isEnforcedIn2Sv", "isEnrolledIn2Sv", "isMailboxSetup", "kind",
    "lastLoginTime", "nonEditableAliases", "suspensionReason", "suspensionTime",
    "thumbnailPhotoEtag", "thumbnailPhotoUrl",
})  # fmt: skip
_SECRETS = frozenset({"password", "hashFunction"})


def insert_user(call: Call) -> JsonObject:
    """A new user; its password is checked for presence and never kept.

    Raises:
        ApiError: 400 for a missing or bad field, 404 for a foreign domain, 409 for a taken address.
    """
    world, body = call.world, call.body
    address = str(body.get("primaryEmail") or "")
    require_free_address(world, address, field=_ADDRESS_FIELD)
    name = body.get("name") or {}
    for part in ("givenName", "familyName"):
        if not name.get(part):
            raise invalid(f"Invalid Given/Family Name: {part[0].upper()}{part[1:]}")
    if not body.get("password"):
        raise invalid("Invalid Password")
    row = {
        **_settable_fields(call),
        "id": world.ids.digits("user", 21),
        "primaryEmail": address.lower(),
        "orgUnitPath": unit_path(world, str(body.get("orgUnitPath") or "/")),
        "creationTime": rfc3339(world.clock.now()),
        "agreedToTerms": False,
        "isMailboxSetup": False,
    }
    user = user_row(row, customer_id(world))
    world.put(USERS, user["id"], user)
    return user


def change_user(call: Call) -> JsonObject:
    """Change the fields that are sent; null clears one, lists are replaced whole.

    A user that gets another address keeps the old one as an alias.

    Raises:
        ApiError: 400 for a bad field, 404 for an unknown user, 409 for a taken address.
    """
    world = call.world
    user = require_user(world, call.params["userKey"])
    given = _settable_fields(call)
    row = with_body_fields(user, given, given)
    row["name"] = {**user["name"], **(given.get("name") or {})}
    row["orgUnitPath"] = unit_path(world, str(row.get("orgUnitPath") or "/"))
    address = str(row.get("primaryEmail") or "")
    if address.casefold() != str(user["primaryEmail"]).casefold():
        require_free_address(world, address, field=_ADDRESS_FIELD, owner=user["id"])
        row["primaryEmail"] = address.lower()
        row["aliases"] = _aliases_after(user, address)
        update_member_address(world, user["id"], address.lower())
        rename_belongings(world, str(user["primaryEmail"]), address.lower())
    return _put_user(world, row)


def _aliases_after(user: JsonMapping, address: str) -> list[str]:
    kept = [name for name in user.get("aliases", ()) if name.casefold() != address.casefold()]
    return [*kept, str(user["primaryEmail"])]


def delete_user(call: Call) -> None:
    """Delete a user: it leaves all groups, roles and licences, and can be restored by its id.

    Raises:
        ApiError: 404 `Resource Not Found: userKey`.
    """
    world = call.world
    user = require_user(world, call.params["userKey"])
    deleted = {**user, "deletionTime": rfc3339(world.clock.now())}
    remove_member_everywhere(world, user["id"])
    remove_belongings(world, user)
    world.delete(USERS, user["id"])
    world.put(DELETED_USERS, user["id"], user_row(deleted, customer_id(world)))


def undelete_user(call: Call) -> None:
    """Restore a deleted user by its id, into the org unit of the body.

    Raises:
        ApiError: 404 for an id that is not deleted, 400 for an unknown org unit, 409 when its
            address was taken.
    """
    world, key = call.world, str(call.params["userKey"])
    user = world.table(DELETED_USERS).get(key)
    if user is None:
        raise account_not_found("userKey", key, nearest(key, world.table(DELETED_USERS)))
    require_free_address(world, user["primaryEmail"], field=_ADDRESS_FIELD)
    path = unit_path(world, str(call.body.get("orgUnitPath") or "/"))
    row = {name: value for name, value in user.items() if name != "deletionTime"}
    world.delete(DELETED_USERS, key)
    _put_user(world, {**row, "orgUnitPath": path})


def make_admin(call: Call) -> None:
    """Give a user all administrator rights, or take them with `status: false`.

    Raises:
        ApiError: 404 for an unknown user, 400 without `status`.
    """
    user = require_user(call.world, call.params["userKey"])
    if not isinstance(call.body.get("status"), bool):
        raise invalid("Invalid Input: status")
    _put_user(call.world, {**user, "isAdmin": call.body["status"]})


def sign_out(call: Call) -> None:
    """Sign a user out everywhere; nothing that can be read changes.

    Raises:
        ApiError: 404 `Resource Not Found: userKey`.
    """
    require_user(call.world, call.params["userKey"])


def _settable_fields(call: Call) -> JsonObject:
    """The fields of a body that can be set; the others are noted as ignored.

    Raises:
        ApiError: 400 for addresses in no list (text not verified against the live API).
    """
    emails = call.body.get("emails") or []
    if not (isinstance(emails, list) and all(isinstance(item, dict) for item in emails)):
        raise invalid("Invalid Input: emails")
    call.ignored += sorted(_OUTPUT_ONLY & call.body.keys())
    skip = _OUTPUT_ONLY | _SECRETS
    return {key: value for key, value in call.body.items() if key not in skip}


def _put_user(world: World, row: JsonObject) -> JsonObject:
    user = user_row(row, customer_id(world))
    world.put(USERS, user["id"], user)
    return user


FindAccount = Callable[[Call], JsonObject]


def list_aliases(call: Call, *, find: FindAccount) -> JsonObject:
    """The aliases of an account.

    Raises:
        ApiError: 404 for an unknown account.
    """
    account = find(call)
    return list_with_etag(
        "aliases", "aliases", (_alias_resource(account, name) for name in _alias_addresses(account))
    )


def insert_alias(call: Call, *, find: FindAccount) -> JsonObject:
    """Give an account another address.

    Raises:
        ApiError: 404 for an unknown account or foreign domain, 400 for no address, 409 when taken.
    """
    account = find(call)
    name = str(call.body.get("alias") or "").lower()
    require_free_address(call.world, name, field="resource")
    return _alias_resource(
        _put_alias(call, {**account, "aliases": [*_alias_addresses(account), name]}), name
    )


def delete_alias(call: Call, *, find: FindAccount) -> None:
    """Take an alias from an account.

    Raises:
        ApiError: 404 for an unknown account or alias.
    """
    account = find(call)
    asked = str(call.params["alias"])
    kept = [name for name in _alias_addresses(account) if name.casefold() != asked.casefold()]
    if len(kept) == len(_alias_addresses(account)):
        raise account_not_found("alias", asked, nearest(asked, _alias_addresses(account)))
    _put_alias(call, {**account, "aliases": kept})


def _alias_addresses(account: JsonObject) -> list[str]:
    return list(account.get("aliases", ()))


def _alias_resource(account: JsonObject, name: str) -> JsonObject:
    primary = account.get("primaryEmail") or account["email"]
    return with_kind_and_etag(
        "alias", {"id": account["id"], "primaryEmail": primary, "alias": name}
    )


def _put_alias(call: Call, account: JsonObject) -> JsonObject:
    row = {key: value for key, value in account.items() if key != "aliases" or value}
    if "primaryEmail" in row:
        row["emails"] = [item for item in row["emails"] if _is_more_than_alias(item, account)]
        made, collection = user_row(row, customer_id(call.world)), USERS
    else:
        made, collection = group_row(row), GROUPS
    call.world.put(collection, made["id"], made)
    return made


def _is_more_than_alias(item: JsonObject, account: JsonObject) -> bool:
    """Whether an address of a user has more to it than having been an alias."""
    return item.keys() != {"address"} or item["address"] in account["aliases"]


_ACCOUNTS: Mapping[str, FindAccount] = {
    "users": lambda call: require_user(call.world, call.params["userKey"]),
    "groups": lambda call: require_group(call.world, call.params["groupKey"]),
}
ALIAS_HANDLERS: dict[str, Handler] = {
    f"directory.{owner}.aliases.{verb}": partial(handler, find=find)
    for owner, find in _ACCOUNTS.items()
    for verb, handler in (
        ("list", list_aliases),
        ("insert", insert_alias),
        ("delete", delete_alias),
    )
}
"""Discovery id to handler, for both kinds of account."""
