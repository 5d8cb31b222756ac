"""Fields of a log entry and their values: types, times, durations, and comparisons with a literal.

Source: Discovery document (LogEntry), Logging query language reference. Texts compare without case;
regular expressions (RE2) keep it.
"""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any, Literal

from typing_extensions import override

from mockserver.apis.logging.query.language import unparseable
from mockserver.googleapi import nearest
from mockserver.googleapi.filter_trees import Value
from mockserver.model import Json, JsonObject

_TIME = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(:\d{2})?(?:[.,](\d{1,9}))?"
    r"(Z|z|[+-]\d{2}(?::?\d{2})?)?)?"
)
_DURATION = re.compile(r"(-?)(\d*)(?:\.(\d{1,9}))?(ns|us|ms|s|m|h|d)?")
_UNITS = {
    "": 10**9,
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86_400 * 10**9,
}
_SECOND = 10**9
_DIGITS = 9
_WHOLE = len("1970-01-01T00:00:00Z")


def time_ns(text: str) -> int:
    """Nanoseconds since 1970 of a timestamp; a day alone is its first moment, UTC.

    Forms: RFC 3339 with up to nine digits, an offset with or without colon
    (`2026-11-19T10:16:19.866742+0000`), and shorter ones (`2026-11-19`, `2026-11-19T10:16`).

    Raises:
        ValueError: Not a timestamp.

    >>> time_ns("1970-01-01T00:00:01.5Z"), time_ns("1970-01-02")
    (1500000000, 86400000000000)
    """
    plain = plain_ns(text)
    if plain is not None:
        return plain
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a timestamp")
    day, clock, seconds, fraction, zone = match.groups()
    if clock is None:
        return _day_ns(day)
    whole = _second(f"{day}T{clock}{seconds or ':00'}{_offset(zone)}")
    return whole * _SECOND + int((fraction or "0").ljust(9, "0"))


def plain_ns(text: str) -> int | None:
    """The same, fast, of a timestamp as Google's APIs write it; None of any other form.

    >>> plain_ns("1970-01-01T00:00:01.5Z"), plain_ns("1970-01-01T00:00:01+00:00")
    (1500000000, None)
    """
    fraction = text[20:-1]
    if text[-1:] != "Z" or text[10:11] != "T" or text[19:20] not in {".", "Z"}:
        return None
    if len(text) == _WHOLE:
        return _second(text[:19]) * _SECOND
    if not (0 < len(fraction) <= _DIGITS and fraction.isdecimal() and fraction.isascii()):
        return None
    return _second(text[:19]) * _SECOND + int(fraction.ljust(_DIGITS, "0"))


def _offset(zone: str | None) -> str:
    return "+00:00" if zone is None or zone in "Zz" else zone


def _day_ns(day: str) -> int:
    return (date.fromisoformat(day) - date(1970, 1, 1)).days * 86_400 * _SECOND


@lru_cache(maxsize=65_536)
def _second(text: str) -> int:
    found = datetime.fromisoformat(text)
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())


def duration_ns(text: str) -> int:
    """Nanoseconds of a duration: a decimal number with `ns`, `us`, `ms`, `s`, `m`, `h` or `d`.

    Raises:
        ValueError: Not a duration.

    >>> duration_ns("1.5s"), duration_ns("500ms")
    (1500000000, 500000000)
    """
    match = _DURATION.fullmatch(text)
    if match is None or not (match.group(2) or match.group(3)):
        raise ValueError(f"{text!r} is not a duration")
    sign, whole, fraction, unit = match.groups()
    factor = _UNITS[unit or ""]
    found = int(whole or "0") * factor
    if fraction:
        found += int(fraction) * factor // 10 ** len(fraction)
    return -found if sign else found


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
ENTRY_FIELDS: _Message = {
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

KIND_DEFAULTS: Mapping[Kind, Json] = {
    "text": "",
    "number": 0,
    "boolean": False,
    "duration": "0s",
    "severity": "DEFAULT",
}
"""What a field of a log entry is when it was not set; payloads, labels and times have none."""


class _MissingValue:
    """Stands for what an entry does not have; None is a value of JSON."""

    @override
    def __repr__(self) -> str:
        return "MISSING"


MISSING = _MissingValue()

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
    known: Kind | _Message = ENTRY_FIELDS
    found: list[str] = []
    for place, segment in enumerate(path):
        if isinstance(known, str):
            return _find_inside(known, path, found, path[place:])
        names = {_fold(name): name for name in known}
        if _fold(segment) not in names:
            raise _not_found(path, found)
        found.append(names[_fold(segment)])
        known = known[found[-1]]
    return Field(tuple(found), known if isinstance(known, str) else "message")


def _find_inside(
    kind: Kind, path: tuple[str, ...], found: list[str], rest: tuple[str, ...]
) -> Field:
    if kind == "free":
        return Field((*found, *rest), "free")
    if kind == "labels":  # the key of a label may hold dots
        return Field((*found, ".".join(rest)), "text")
    raise _not_found(path, found)


def _fold(name: str) -> str:
    return name.replace("_", "").casefold()


def _not_found(path: tuple[str, ...], found: list[str]) -> Exception:
    name = ".".join(path)
    near = nearest(name, ENTRY_FIELDS) if not found else ""
    hint = f" Did you mean '{near}'?" if near else ""
    return unparseable(f"Field not found: '{name}'.{hint}")


def field_getter(field: Field) -> Get:
    """Finds a field's value in an entry, `MISSING` when it is not there.

    A list on the way, or at its end, stands for each of its items: the value is then a list.
    """
    path = field.path
    if len(path) == 1:
        (name,) = path
        return lambda row: row.get(name, MISSING)
    if len(path) == 2:
        return _getter_of_two(*path)
    return lambda row: _value_at(row, path)


def _getter_of_two(first: str, second: str) -> Get:
    def get(row: JsonObject) -> Json:
        outer = row.get(first)
        return outer.get(second, MISSING) if type(outer) is dict else _value_at(outer, (second,))

    return get


def _value_at(value: Json, path: tuple[str, ...]) -> Json:
    for place, name in enumerate(path):
        if isinstance(value, dict):
            value = value.get(name, MISSING)
        elif isinstance(value, list):
            rest = path[place:]
            several = [_value_at(item, rest) for item in value]
            return [each for each in several if each is not MISSING] or MISSING
        else:
            return MISSING
    return value


Test = Callable[[Json], bool]
"""Whether a value that is there is as asked."""

SEVERITIES: Mapping[str, int] = {
    "DEFAULT": 0,
    "DEBUG": 100,
    "INFO": 200,
    "NOTICE": 300,
    "WARNING": 400,
    "ERROR": 500,
    "CRITICAL": 600,
    "ALERT": 700,
    "EMERGENCY": 800,
}
_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    ":": operator.eq,
}
_REGEX = frozenset({"=~", "!~"})
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_OPEN = frozenset({"free", "labels", "message"})
"""Kinds of fields whose values are of any type, or have others inside."""
_NULL = "NULL_VALUE"


def value_test(kind: Kind, sign: str, literal: Value, *, earlier_ns: int = 0) -> Test:
    """The test of a value of a known type.

    Args:
        kind: The field's type.
        sign: The comparison's operator.
        literal: What to compare with.
        earlier_ns: How much earlier the values' times are than those that the query speaks of.

    Raises:
        ApiError: 400; the literal is no value of that type, or no regular expression.
    """
    if kind in _OPEN:
        return untyped_test(sign, literal)
    if sign in _REGEX:
        return _regex_test(sign, literal.text)
    if kind == "time":
        return _moment_test(sign, _read_literal(kind, time_ns, literal) - earlier_ns, time_ns)
    return _TESTS[kind](sign, literal)


def parse_number(text: str) -> int | float | None:
    """The number that a text writes, or None; whole numbers stay exact."""
    if _NUMBER.fullmatch(text) is None:
        return None
    return int(text) if text.lstrip("+-").isdigit() else float(text)


def _parse_boolean(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text.casefold())


def _required_value(kind: Kind, value: Any, literal: Value) -> Any:
    if value is None:
        raise _bad_literal(kind, literal)
    return value


def _read_literal(kind: Kind, read: Callable[[str], int], literal: Value) -> int:
    try:
        return read(literal.text)
    except ValueError as error:
        raise _bad_literal(kind, literal) from error


def _bad_literal(kind: Kind, literal: Value) -> Exception:
    return unparseable(f"invalid {kind} value '{literal.text}'")


def _text_test(sign: str, literal: Value) -> Test:
    text, folded = literal.text, literal.text.casefold()
    if sign == ":":
        return lambda value: folded in str(value).casefold()
    if sign == "=":
        return lambda value: value == text or str(value).casefold() == folded
    compare = _ORDERS[sign]
    return lambda value: compare(str(value).casefold(), folded)


def _number_test(sign: str, literal: Value) -> Test:
    wanted = _required_value("number", parse_number(literal.text), literal)
    compare = _ORDERS[sign]

    def test(value: Json) -> bool:
        found = parse_number(value) if isinstance(value, str) else value
        return found is not None and compare(found, wanted)

    return test


def _boolean_test(sign: str, literal: Value) -> Test:
    wanted = _required_value("boolean", _parse_boolean(literal.text), literal)
    compare = _ORDERS[sign]
    return lambda value: isinstance(value, bool) and compare(value, wanted)


def _duration_test(sign: str, literal: Value) -> Test:
    return _moment_test(sign, _read_literal("duration", duration_ns, literal), duration_ns)


def _moment_test(sign: str, wanted: int, read: Callable[[str], int]) -> Test:
    compare = _ORDERS[sign]

    def test(value: Json) -> bool:
        try:
            return compare(read(str(value)), wanted)
        except ValueError:
            return False

    return test


def _severity_test(sign: str, literal: Value) -> Test:
    wanted = SEVERITIES.get(literal.text.upper())
    if wanted is None:
        asked = parse_number(literal.text)
        wanted = asked if isinstance(asked, int) else _required_value("severity", None, literal)
    compare = _ORDERS[sign]
    holding = frozenset(name for name, rank in SEVERITIES.items() if compare(rank, wanted))
    return lambda value: value in holding


def _regex_test(sign: str, pattern: str) -> Test:
    found = re2_matcher(pattern)
    if sign == "=~":
        return lambda value: found(_as_text(value))
    return lambda value: not found(_as_text(value))


@lru_cache(maxsize=256)
def re2_matcher(pattern: str) -> Callable[[str], bool]:
    """Whether an RE2 expression is found anywhere in a text, which no expression makes slow.

    Raises:
        ApiError: 400; not an expression of RE2.
    """
    import re2  # loaded when a query first needs it

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        why = error.args[0] if error.args else "not RE2"
        said = why.decode(errors="replace") if isinstance(why, bytes) else str(why)
        raise unparseable(f"invalid regular expression '{pattern}': {said}") from error
    # a set of one answers twice as fast as a search, which also says where
    single = re2.Set.SearchSet(options)
    single.Add(pattern)
    single.Compile()
    match = single.Match
    return lambda text: bool(match(text))


def _as_text(value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def untyped_test(sign: str, literal: Value) -> Test:
    """The test of a value whose type only shows on it: a payload's field, or what is inside."""
    if sign in _REGEX:
        return _nested_test(_regex_test(sign, literal.text), sign)
    if literal.text == _NULL and not literal.quoted:
        wanted = sign != "!="
        return lambda value: (value is None) is wanted
    text = _text_test(sign, literal)
    of_number = _never_holds if parse_number(literal.text) is None else _number_test(sign, literal)
    of_bool = _never_holds if _parse_boolean(literal.text) is None else _boolean_test(sign, literal)

    def scalar(value: Json) -> bool:
        if isinstance(value, str):
            return text(value)
        if isinstance(value, bool):
            return of_bool(value)
        return value is not None and of_number(value)

    return _nested_test(scalar, sign)


def _never_holds(value: Json) -> bool:
    return False


def _nested_test(scalar: Test, sign: str) -> Test:
    """A test of a value or, inside an object or a list, of any; `:` finds names of fields too."""

    def test(value: Json) -> bool:
        if isinstance(value, dict):
            return any(map(test, value.values())) or (sign == ":" and any(map(scalar, value)))
        if isinstance(value, list):
            return any(map(test, value))
        return scalar(value)

    return test


_TESTS: Mapping[Kind, Callable[[str, Value], Test]] = {
    "text": _text_test,
    "number": _number_test,
    "boolean": _boolean_test,
    "duration": _duration_test,
    "severity": _severity_test,
}
