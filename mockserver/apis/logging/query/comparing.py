"""Comparisons of one value with a query's literal, by the type of the value.

Source: Logging query language reference. Texts compare without case; regular expressions (RE2) keep
it. A number, boolean, time or duration that the literal does not say is never equal to it.
"""

import operator
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from mockserver.apis.logging.query.fields import Kind
from mockserver.apis.logging.query.language import unparseable
from mockserver.apis.logging.query.moments import duration_ns, time_ns
from mockserver.googleapi.filters import Value
from mockserver.model import Json

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
        return free_test(sign, literal)
    if sign in _REGEX:
        return _regex_test(sign, literal.text)
    if kind == "time":
        return _moment_test(sign, _read(kind, time_ns, literal) - earlier_ns, time_ns)
    return _TESTS[kind](sign, literal)


def number(text: str) -> int | float | None:
    """The number that a text says, or None; whole ones stay exact."""
    if _NUMBER.fullmatch(text) is None:
        return None
    return int(text) if text.lstrip("+-").isdigit() else float(text)


def _boolean(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text.casefold())


def _required(kind: Kind, value: Any, literal: Value) -> Any:
    if value is None:
        raise _bad_literal(kind, literal)
    return value


def _read(kind: Kind, read: Callable[[str], int], literal: Value) -> int:
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
    wanted = _required("number", number(literal.text), literal)
    compare = _ORDERS[sign]

    def test(value: Json) -> bool:
        found = number(value) if isinstance(value, str) else value
        return found is not None and compare(found, wanted)

    return test


def _boolean_test(sign: str, literal: Value) -> Test:
    wanted = _required("boolean", _boolean(literal.text), literal)
    compare = _ORDERS[sign]
    return lambda value: isinstance(value, bool) and compare(value, wanted)


def _duration_test(sign: str, literal: Value) -> Test:
    return _moment_test(sign, _read("duration", duration_ns, literal), duration_ns)


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
        asked = number(literal.text)
        wanted = asked if isinstance(asked, int) else _required("severity", None, literal)
    compare = _ORDERS[sign]
    holding = frozenset(name for name, rank in SEVERITIES.items() if compare(rank, wanted))
    return lambda value: value in holding


def _regex_test(sign: str, pattern: str) -> Test:
    found = matcher(pattern)
    if sign == "=~":
        return lambda value: found(_as_text(value))
    return lambda value: not found(_as_text(value))


@lru_cache(maxsize=256)
def matcher(pattern: str) -> Callable[[str], bool]:
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


def free_test(sign: str, literal: Value) -> Test:
    """The test of a value whose type only shows on it: a payload's field, or what is inside."""
    if sign in _REGEX:
        return _nested(_regex_test(sign, literal.text), sign)
    if literal.text == _NULL and not literal.quoted:
        wanted = sign != "!="
        return lambda value: (value is None) is wanted
    text = _text_test(sign, literal)
    of_number = _never if number(literal.text) is None else _number_test(sign, literal)
    of_bool = _never if _boolean(literal.text) is None else _boolean_test(sign, literal)

    def scalar(value: Json) -> bool:
        if isinstance(value, str):
            return text(value)
        if isinstance(value, bool):
            return of_bool(value)
        return value is not None and of_number(value)

    return _nested(scalar, sign)


def _never(value: Json) -> bool:
    return False


def _nested(scalar: Test, sign: str) -> Test:
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
