"""Which users a `query` of users.list means: its fields, and where a user has them."""

from collections.abc import Callable, Mapping

from mockserver.apis.directory.query import Clause, bad_query, holds, parse_query
from mockserver.apis.directory.state import unit_path
from mockserver.googleapi import ApiError
from mockserver.model import JsonMapping
from mockserver.state import World, find_user

Values = Callable[[JsonMapping], list[object]]


def _addresses(user: JsonMapping) -> list[object]:
    return [user["primaryEmail"], *user.get("aliases", ()), *user.get("nonEditableAliases", ())]


def _names(user: JsonMapping) -> list[object]:
    return [user["name"].get("fullName")]


def _named(part: str) -> Values:
    return lambda user: [user["name"].get(part)]


def _each(collection: str, part: str) -> Values:
    return lambda user: [item.get(part) for item in user.get(collection) or ()]


def _whole_addresses(user: JsonMapping) -> list[object]:
    return [" ".join(map(str, item.values())) for item in user.get("addresses") or ()]


def _flag(name: str) -> Values:
    return lambda user: [str(bool(user.get(name))).lower()]


_TEXTS: Mapping[str, Values] = {
    "name": _names,
    "email": _addresses,
    "givenName": _named("givenName"),
    "familyName": _named("familyName"),
    "phone": _each("phones", "value"),
    "im": _each("ims", "im"),
    "externalId": _each("externalIds", "value"),
    "address": _whole_addresses,
    "addressPoBox": _each("addresses", "poBox"),
    "addressExtended": _each("addresses", "extendedAddress"),
    "addressStreet": _each("addresses", "streetAddress"),
    "addressLocality": _each("addresses", "locality"),
    "addressRegion": _each("addresses", "region"),
    "addressPostalCode": _each("addresses", "postalCode"),
    "addressCountry": _each("addresses", "country"),
    "orgName": _each("organizations", "name"),
    "orgTitle": _each("organizations", "title"),
    "orgDepartment": _each("organizations", "department"),
    "orgDescription": _each("organizations", "description"),
    "orgCostCenter": _each("organizations", "costCenter"),
}
_FLAGS: Mapping[str, Values] = {
    "isAdmin": _flag("isAdmin"),
    "isDelegatedAdmin": _flag("isDelegatedAdmin"),
    "isSuspended": _flag("suspended"),
    "isArchived": _flag("archived"),
    "isEnrolledIn2Sv": _flag("isEnrolledIn2Sv"),
    "isEnforcedIn2Sv": _flag("isEnforcedIn2Sv"),
}


def user_filter(world: World, text: str) -> Callable[[JsonMapping], bool]:
    """A test of users for a query.

    `orgUnitPath` means a unit and everything below it; `manager` means anyone above a user.

    Raises:
        ApiError: 400 for a query that cannot be read, or a field that users are not searched by.
    """
    tests = [_test(world, clause) for clause in parse_query(text)]
    return lambda user: all(test(user) for test in tests)


def _test(world: World, clause: Clause) -> Callable[[JsonMapping], bool]:
    if not clause.field:
        return lambda user: holds(clause, [*_addresses(user), *_names(user)])
    if clause.field == "orgUnitPath":
        return _within(world, clause)
    if clause.field in {"manager", "directManager"}:
        deep = clause.field == "manager"
        return lambda user: holds(clause, _managers(world, user, deep=deep))
    values = _values(clause)
    return lambda user: holds(clause, values(user))


def _values(clause: Clause) -> Values:
    if clause.field in _FLAGS:
        if clause.op != "=" or clause.value.casefold() not in {"true", "false"}:
            raise bad_query()
        return _FLAGS[clause.field]
    if clause.field in _TEXTS and clause.op in {"=", ":", "prefix"}:
        return _TEXTS[clause.field]
    schema, dot, field = clause.field.partition(".")
    if not dot:
        raise bad_query()
    return lambda user: _custom(user, schema, field)


def _custom(user: JsonMapping, schema: str, field: str) -> list[object]:
    value = (user.get("customSchemas") or {}).get(schema, {}).get(field)
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, list):
        return [item.get("value") if isinstance(item, dict) else item for item in value]
    return [value]


def _within(world: World, clause: Clause) -> Callable[[JsonMapping], bool]:
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
