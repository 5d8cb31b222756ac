"""Filters of activities: conditions on the parameters of an event, who acted, and where from."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address

from mockserver.apis.reports.state import actor_names, has_acted, nearest_actor
from mockserver.googleapi import ApiError, invalid, nearest, not_found
from mockserver.googleapi.filter_trees import ORDERS
from mockserver.model import Json, JsonMapping
from mockserver.state import USER_NAMES, USERS, World, find_user, is_inside, org_tree

Test = Callable[[JsonMapping], bool]


def people_tests(world: World, params: JsonMapping) -> Iterator[Test]:
    """One test for each filter on the actor that a request has.

    Yields:
        Tests that an activity must pass, all of them.

    Raises:
        ApiError: 404 for a user who neither exists nor acted, 400 for an unknown org unit.
    """
    if params["userKey"] != "all":
        names = _names_of(world, str(params["userKey"]))
        yield lambda row: not names.isdisjoint(actor_names(row))
    for test in user_tests(world, params):
        yield _account_test(world, test)
    if params.get("actorIpAddress"):
        yield partial(_is_from_address, wanted=_normal_address(params["actorIpAddress"]))


def user_tests(world: World, params: JsonMapping) -> Iterator[Test]:
    """One test for each filter on users that a request has: their org unit, their groups.

    Yields:
        Tests that a user must pass, all of them.

    Raises:
        ApiError: 400 for an unknown org unit.
    """
    if params.get("orgUnitID"):
        yield _unit_test(world, params["orgUnitID"])
    if params.get("groupIdFilter"):
        yield _groups_test(world, params["groupIdFilter"])


def _names_of(world: World, key: str) -> frozenset[str]:
    """The id and addresses of a user; of one that only acted, the key itself."""
    user = find_user(world, key)
    if user is not None:
        return _user_names(user)
    if not has_acted(world, key.casefold()):
        user_name = nearest(key, world.table(USERS), USER_NAMES, "primaryEmail")
        near = nearest(key, filter(None, (nearest_actor(world, key), user_name)))
        raise not_found("Resource Not Found: userKey", name=key, nearest=near)
    return frozenset({key.casefold()})


def _user_names(user: JsonMapping) -> frozenset[str]:
    addresses = (user["primaryEmail"], *user.get("aliases", ()))
    return frozenset({str(user["id"]), *(str(address).casefold() for address in addresses)})


def _account_test(world: World, test: Test) -> Test:
    """Whether the one who acted is a user who meets a test."""

    def is_met(row: JsonMapping) -> bool:
        several = ((name, find_user(world, name)) for name in actor_names(row))
        return any(user and name in _user_names(user) and test(user) for name, user in several)

    return is_met


def _unit_test(world: World, name: str) -> Test:
    """Whether a user is in an org unit or below it (that those below count is not verified)."""
    tree = org_tree(world)
    unit = tree.find(name)
    if unit is None:
        raise invalid("Invalid Input: INVALID_OU_ID", location="orgUnitID")
    below = str(tree.by_id[unit]["orgUnitPath"]).rstrip("/").casefold() + "/"
    return lambda user: (str(user.get("orgUnitPath", "/")).rstrip("/").casefold() + "/").startswith(
        below
    )


def _groups_test(world: World, text: str) -> Test:
    ids = [name.strip().removeprefix("id:") for name in text.split(",")]
    return lambda user: any(is_inside(world, str(user["id"]), group) for group in ids)


def _is_from_address(row: JsonMapping, *, wanted: str) -> bool:
    return _normal_address(str(row.get("ipAddress", ""))) == wanted


def _normal_address(text: str) -> str:
    """An IP address in its shortest form; other text stays."""
    try:
        return str(ip_address(text))
    except ValueError:
        return text


_RELATION = r"==|<>|<=|>=|<|>"
_SEPARATOR = re.compile(rf",(?=[^,<>=]+(?:{_RELATION}))")
"""Conditions are joined by commas; a comma that no condition follows is part of a value."""
_CONDITION = re.compile(rf"([^<>=]+)({_RELATION})(.+)", re.DOTALL)
_OPERATORS = {**ORDERS, "==": ORDERS["="], "<>": ORDERS["!="]}


@dataclass(frozen=True)
class Condition:
    """One condition on an event parameter.

    Attributes:
        parameter: Its name, `doc_id`.
        operator: `==`, `<>`, `<`, `<=`, `>` or `>=`.
        value: What it is compared with, as text.
    """

    parameter: str
    operator: str
    value: str


def parse_conditions(text: str) -> tuple[Condition, ...]:
    """The conditions of `filters`; of two on one parameter the last counts.

    Raises:
        ApiError: 400: a part without a relational operator.

    >>> parse_conditions("doc_id==12,size>=3")[1]
    Condition(parameter='size', operator='>=', value='3')
    """
    found: dict[str, Condition] = {}
    for part in _SEPARATOR.split(text):
        match = _CONDITION.fullmatch(part)
        if match is None:
            message = f"Invalid value '{text}' for filters: {part!r} has no relational operator."
            raise invalid(message, location="filters", reason="invalidParameter")
        parameter = match[1].strip()
        found[parameter] = Condition(parameter, match[2], match[3].strip())
    return tuple(found.values())


def meets_conditions(event: JsonMapping, conditions: Iterable[Condition]) -> bool:
    """Whether an event has every parameter named, with a value that meets the condition."""
    values = {item["name"]: _parameter_values(item) for item in event.get("parameters") or ()}
    return all(
        any(_meets_condition(condition, value) for value in values.get(condition.parameter, ()))
        for condition in conditions
    )


def _parameter_values(parameter: JsonMapping) -> list[str]:
    for name in ("value", "intValue", "boolValue", "stringValue", "datetimeValue"):
        if name in parameter:
            value = parameter[name]
            return [str(value).lower() if isinstance(value, bool) else str(value)]
    return [
        str(item) for name in ("multiValue", "multiIntValue") for item in parameter.get(name, ())
    ]


def _meets_condition(condition: Condition, value: str) -> bool:
    compare = _OPERATORS[condition.operator]
    try:
        return compare(float(value), float(condition.value))
    except ValueError:
        return compare(value, condition.value)


_CLAUSE = re.compile(r'^\s*([\w.]+)\s*(!=|=|:)\s*(?:"([^"]*)"|(\S+))\s*$')
_AND = re.compile(r"\s+AND\s+")
_LIMIT = 5

_AGENT = ("actor", "agentAttributionInfo")
_DEVICE = ("userDeviceInfo",)
_FIELDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "applicationInfoFilter": {"oAuthClientId": ("actor", "applicationInfo", "oauthClientId")},
    "networkInfoFilter": {"regionCode": ("networkInfo", "regionCode")},
    "statusFilter": {"statusCode": ("events", "status", "httpStatusCode")},
    "deviceFilter": {
        "deviceId": (*_DEVICE, "deviceId"),
        "deviceType": (*_DEVICE, "deviceType"),
        "deviceOsVersion": (*_DEVICE, "deviceOsVersion"),
    },
    "agentInfoFilter": {
        "agentId": (*_AGENT, "agentId"),
        "agentName": (*_AGENT, "agentName"),
        "agentOwnerEmail": (*_AGENT, "agentOwner", "email"),
    },
}
"""Parameter to the fields it filters by, and where an activity has them (Discovery document)."""


def detail_tests(params: JsonMapping) -> Iterator[Test]:
    """One test for each clause of each such filter.

    Yields:
        Tests that an activity must pass, all of them.

    Raises:
        ApiError: 400 for a filter that cannot be read or a field that it does not have.
    """
    for name in (*_FIELDS, "resourceDetailsFilter"):
        if params.get(name):
            clauses = _AND.split(params[name])
            if len(clauses) > _LIMIT:
                raise _bad_clause(name, params[name])
            for clause in clauses:
                yield _clause_test(name, clause)


def _clause_test(name: str, clause: str) -> Test:
    match = _CLAUSE.match(clause)
    if match is None:
        raise _bad_clause(name, clause)
    field, relation, quoted, plain = match.groups()
    value = plain if quoted is None else quoted
    path = _FIELDS[name].get(field) if name in _FIELDS else _resource_path(field)
    if path is None or (relation == ":" and name in _FIELDS):
        raise _bad_clause(name, clause)
    return partial(_meets_clause, path=path, value=value, wanted=relation != "!=")


def _resource_path(field: str) -> tuple[str, ...] | None:
    parts = tuple(field.split("."))
    return parts if parts[0] == "resourceDetails" and len(parts) > 1 else None


def _meets_clause(row: JsonMapping, *, path: tuple[str, ...], value: str, wanted: bool) -> bool:
    found = _texts_at(row, path)
    return bool(found) and (value in found) == wanted


def _texts_at(value: Json, path: tuple[str, ...]) -> list[str]:
    """Every value at a path, through all items of lists."""
    if isinstance(value, list):
        return [text for item in value for text in _texts_at(item, path)]
    if not path:
        return [str(value)]
    return (
        _texts_at(value[path[0]], path[1:]) if isinstance(value, dict) and path[0] in value else []
    )


def _bad_clause(name: str, text: str) -> ApiError:
    return invalid(f"Invalid value '{text}' for {name}.", location=name, reason="invalidParameter")
