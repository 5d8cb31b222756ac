"""What a log entry is made of: the type of each field, and how a query's path is found in it.

Source: Discovery document (LogEntry) and the Logging query language reference.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from typing_extensions import override

from mockserver.apis.logging.query.language import unparseable
from mockserver.googleapi import nearest
from mockserver.model import Json, JsonObject

Kind = Literal[
    "text", "number", "boolean", "time", "duration", "severity", "labels", "free", "message"
]

_Message = Mapping[str, "Kind | _Message"]

_SOURCE: _Message = {"file": "text", "line": "number", "function": "text"}
_APP: _Message = {
    "application": {"container": "text", "id": "text", "location": "text"},
    "service": {"id": "text", "environmentType": "text", "criticalityType": "text"},
    "workload": {"id": "text", "environmentType": "text", "criticalityType": "text"},
}
ENTRY: _Message = {
    "logName": "text",
    "resource": {"type": "text", "labels": "labels"},
    "timestamp": "time",
    "receiveTimestamp": "time",
    "severity": "severity",
    "insertId": "text",
    "labels": "labels",
    "textPayload": "text",
    "jsonPayload": "free",
    "protoPayload": "free",
    "otel": "free",
    "trace": "text",
    "spanId": "text",
    "traceSampled": "boolean",
    "metadata": {"systemLabels": "free", "userLabels": "labels"},
    "operation": {"id": "text", "producer": "text", "first": "boolean", "last": "boolean"},
    "sourceLocation": _SOURCE,
    "split": {"uid": "text", "index": "number", "totalSplits": "number"},
    "errorGroups": {"id": "text"},
    "apphub": _APP,
    "apphubDestination": _APP,
    "apphubSource": _APP,
    "httpRequest": {
        "requestMethod": "text",
        "requestUrl": "text",
        "requestSize": "number",
        "status": "number",
        "responseSize": "number",
        "userAgent": "text",
        "remoteIp": "text",
        "serverIp": "text",
        "referer": "text",
        "latency": "duration",
        "cacheLookup": "boolean",
        "cacheHit": "boolean",
        "cacheValidatedWithOriginServer": "boolean",
        "cacheFillBytes": "number",
        "protocol": "text",
    },
}

DEFAULTS: Mapping[Kind, Json] = {
    "text": "",
    "number": 0,
    "boolean": False,
    "duration": "0s",
    "severity": "DEFAULT",
}
"""What a field of a log entry is when it was not set; payloads, labels and times have none."""


class _Missing:
    """Stands for what an entry does not have; None is a value of JSON."""

    @override
    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()

Get = Callable[[JsonObject], Json]


@dataclass(frozen=True, slots=True)
class Field:
    """A field that a query names.

    Attributes:
        path: Where it is in an entry.
        kind: Its type; of what is inside a payload it shows only on the value, `free`.
    """

    path: tuple[str, ...]
    kind: Kind


@lru_cache(maxsize=1024)
def find_field(path: tuple[str, ...]) -> Field:
    """The field of a log entry that a path means; names of the entry's own fields ignore case.

    Raises:
        ApiError: 400 `Field not found`; the entry has no such field, or the field has no parts.
    """
    known: Kind | _Message = ENTRY
    found: list[str] = []
    for place, segment in enumerate(path):
        if isinstance(known, str):
            return _inside(known, path, found, path[place:])
        names = {_fold(name): name for name in known}
        if _fold(segment) not in names:
            raise _not_found(path, found)
        found.append(names[_fold(segment)])
        known = known[found[-1]]
    return Field(tuple(found), known if isinstance(known, str) else "message")


def _inside(kind: Kind, path: tuple[str, ...], found: list[str], rest: tuple[str, ...]) -> Field:
    if kind == "free":
        return Field((*found, *rest), "free")
    if kind == "labels":  # the key of a label may hold dots
        return Field((*found, ".".join(rest)), "text")
    raise _not_found(path, found)


def _fold(name: str) -> str:
    return name.replace("_", "").casefold()


def _not_found(path: tuple[str, ...], found: list[str]) -> Exception:
    name = ".".join(path)
    near = nearest(name, ENTRY) if not found else ""
    hint = f" Did you mean '{near}'?" if near else ""
    return unparseable(f"Field not found: '{name}'.{hint}")


def getter(field: Field) -> Get:
    """Finds a field's value in an entry, `MISSING` when it is not there.

    A list on the way, or at its end, stands for each of its items: the value is then a list.
    """
    path = field.path
    if len(path) == 1:
        (name,) = path
        return lambda row: row.get(name, MISSING)
    if len(path) == 2:
        return _getter_of_two(*path)
    return lambda row: _walk(row, path)


def _getter_of_two(first: str, second: str) -> Get:
    def get(row: JsonObject) -> Json:
        outer = row.get(first)
        return outer.get(second, MISSING) if type(outer) is dict else _walk(outer, (second,))

    return get


def _walk(value: Json, path: tuple[str, ...]) -> Json:
    for place, name in enumerate(path):
        if isinstance(value, dict):
            value = value.get(name, MISSING)
        elif isinstance(value, list):
            rest = path[place:]
            several = [_walk(item, rest) for item in value]
            return [each for each in several if each is not MISSING] or MISSING
        else:
            return MISSING
    return value
