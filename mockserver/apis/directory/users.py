"""`directory.users.*`: reading accounts; changes are in `user_changes`."""

from collections.abc import Callable, Sequence
from typing import Any

from mockserver.apis.directory.resources import listing
from mockserver.apis.directory.state import (
    DELETED_USERS,
    require_customer,
    require_domain,
    require_user,
)
from mockserver.apis.directory.user_query import user_filter
from mockserver.googleapi import ApiError, Call, PageRule, invalid, page
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import USERS, Table, World

_PAGES = PageRule(default=100, maximum=500, size="maxResults", mismatch="Invalid Input: pageToken")
_PUBLIC = (
    "kind",
    "id",
    "etag",
    "primaryEmail",
    "name",
    "emails",
    "phones",
    "organizations",
    "thumbnailPhotoUrl",
)
"""Fields that everyone in the domain sees."""


def list_users(call: Call) -> JsonObject:
    """Users of a customer or of one of its domains, by address unless `orderBy` says otherwise.

    Raises:
        ApiError: 400 without `customer` and `domain`, for a bad query, order or token; 403 for
            another customer, 404 for another's domain.
    """
    world, params = call.world, call.params
    _require_scope(world, params)
    rows = _sorted_rows(world, params)
    tests = _tests(world, params)
    if tests:
        rows = [row for row in rows if all(test(row) for test in tests)]
    shown, token = page(call, rows, _PAGES)
    view = _view(params)
    return listing("users", "users", (view(row) for row in shown), token)


def get_user(call: Call) -> JsonObject:
    """One user by id, address or alias, with `projection` and `viewType`.

    Raises:
        ApiError: 404 `Resource Not Found: userKey`.
    """
    return _view(call.params)(require_user(call.world, call.params["userKey"]))


def _require_scope(world: World, params: JsonMapping) -> None:
    if not params.get("customer") and not params.get("domain"):
        raise ApiError(400, "Bad Request", reason="badRequest")
    if params.get("customer"):
        require_customer(world, params["customer"])
    if params.get("domain"):
        require_domain(world, params["domain"])


def _sorted_rows(world: World, params: JsonMapping) -> Sequence[JsonObject]:
    deleted = str(params.get("showDeleted", "")).casefold() == "true"
    table = world.table(DELETED_USERS if deleted else USERS)
    order = _ORDERS.get(params.get("orderBy") or "email")
    if order is None:
        raise invalid("Invalid Input: orderBy", location="orderBy")
    rows = table.derived(order)
    descending = params.get("orderBy") and params.get("sortOrder") == "DESCENDING"
    return rows[::-1] if descending else rows


def _by_address(table: Table) -> Sequence[JsonObject]:
    return sorted(table.rows().values(), key=lambda row: str(row["primaryEmail"]).casefold())


def _by_given_name(table: Table) -> Sequence[JsonObject]:
    return sorted(_by_address(table), key=lambda row: _folded(row, "givenName"))


def _by_family_name(table: Table) -> Sequence[JsonObject]:
    return sorted(_by_address(table), key=lambda row: _folded(row, "familyName"))


def _folded(row: JsonMapping, part: str) -> str:
    return str(row["name"].get(part, "")).casefold()


_ORDERS = {"email": _by_address, "givenName": _by_given_name, "familyName": _by_family_name}


def _tests(world: World, params: JsonMapping) -> list[Callable[[JsonMapping], bool]]:
    tests: list[Callable[[JsonMapping], bool]] = []
    if params.get("domain"):
        ending = "@" + params["domain"].casefold()
        tests.append(lambda row: str(row["primaryEmail"]).casefold().endswith(ending))
    if params.get("query"):
        tests.append(user_filter(world, params["query"]))
    if params.get("viewType") == "domain_public":
        tests.append(lambda row: bool(row.get("includeInGlobalAddressList", True)))
    return tests


def _view(params: JsonMapping) -> Callable[[JsonObject], JsonObject]:
    """What `projection`, `customFieldMask` and `viewType` leave of a user."""
    if params.get("viewType") == "domain_public":
        return lambda row: {key: row[key] for key in _PUBLIC if key in row}
    projection = params.get("projection") or "basic"
    if projection == "full":
        return lambda row: row
    mask = set(str(params.get("customFieldMask", "")).split(",")) - {""}
    if projection == "custom" and not mask:
        raise invalid("Invalid Input: customFieldMask", location="customFieldMask")
    return lambda row: _with_schemas(row, mask if projection == "custom" else set())


def _with_schemas(row: JsonObject, names: set[str]) -> JsonObject:
    if "customSchemas" not in row:
        return row
    kept: dict[str, Any] = {k: v for k, v in row["customSchemas"].items() if k in names}
    rest = {key: value for key, value in row.items() if key != "customSchemas"}
    return {**rest, "customSchemas": kept} if kept else rest
