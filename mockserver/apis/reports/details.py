"""Filters on what else an activity says: application, network, device, agent, status."""

import re
from collections.abc import Iterator, Mapping
from functools import partial

from mockserver.apis.reports.people import Test
from mockserver.googleapi import ApiError, invalid
from mockserver.model import Json, JsonMapping

_CLAUSE = re.compile(r'^\s*([\w.]+)\s*(!=|=|:)\s*(?:"([^"]*)"|(\S+))\s*$')
_AND = re.compile(r"\s+AND\s+")
_LIMIT = 5

_AGENT = ("actor", "agentAttributionInfo")
_DEVICE = ("userDeviceInfo",)
_FIELDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "applicationInfoFilter": {
        "oAuthClientId": ("actor", "applicationInfo", "oauthClientId"),
    },
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
                raise _bad(name, params[name])
            for clause in clauses:
                yield _test(name, clause)


def _test(name: str, clause: str) -> Test:
    match = _CLAUSE.match(clause)
    if match is None:
        raise _bad(name, clause)
    field, relation, quoted, plain = match.groups()
    value = plain if quoted is None else quoted
    path = _FIELDS[name].get(field) if name in _FIELDS else _resource_path(field)
    if path is None or (relation == ":" and name in _FIELDS):
        raise _bad(name, clause)
    return partial(_passes, path=path, value=value, wanted=relation != "!=")


def _resource_path(field: str) -> tuple[str, ...] | None:
    parts = tuple(field.split("."))
    return parts if parts[0] == "resourceDetails" and len(parts) > 1 else None


def _passes(row: JsonMapping, *, path: tuple[str, ...], value: str, wanted: bool) -> bool:
    found = _at(row, path)
    return bool(found) and (value in found) == wanted


def _at(value: Json, path: tuple[str, ...]) -> list[str]:
    """Every value at a path, through all items of lists."""
    if isinstance(value, list):
        return [text for item in value for text in _at(item, path)]
    if not path:
        return [str(value)]
    return _at(value[path[0]], path[1:]) if isinstance(value, dict) and path[0] in value else []


def _bad(name: str, text: str) -> ApiError:
    return invalid(f"Invalid value '{text}' for {name}.", location=name, reason="invalidParameter")
