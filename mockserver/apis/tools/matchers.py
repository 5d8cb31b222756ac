"""Compares a call's arguments with what a prepared response is for."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_ABSENT: Any = object()
MATCHERS = frozenset({"any", "regex", "in", "present"})
"""The one key of an object that is a matcher and not a value."""


def differences(when: Mapping[str, Any], arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Where a call's arguments differ from what a response wants; empty when they match.

    Arguments that the response does not mention do not matter. A wanted value is a literal (for
    objects: its own keys only), or a matcher: `{"any": true}`, `{"regex": "..."}` (RE2, the whole
    text), `{"in": [...]}`, `{"present": false}`.

    >>> differences({"unit": {"regex": "/Eng.*"}, "n": 1}, {"unit": "/Eng/Web", "n": 2})
    ('n: wanted 1, got 2',)
    """
    return _object(when, arguments, "")


def _object(wanted: Mapping[str, Any], given: Mapping[str, Any], path: str) -> tuple[str, ...]:
    return tuple(
        text
        for name, value in wanted.items()
        for text in _value(value, given.get(name, _ABSENT), f"{path}{name}")
    )


def _value(wanted: Any, given: Any, path: str) -> tuple[str, ...]:
    if isinstance(wanted, Mapping):
        if len(wanted) == 1 and next(iter(wanted)) in MATCHERS:
            [(kind, operand)] = wanted.items()
            return () if _matches(kind, operand, given) else (_reason(wanted, given, path),)
        if isinstance(given, Mapping):
            return _object(wanted, given, f"{path}.")
    same = given is not _ABSENT and type(given) is type(wanted) and given == wanted
    return () if same or _same_number(wanted, given) else (_reason(wanted, given, path),)


def _matches(kind: str, operand: Any, given: Any) -> bool:
    match kind:
        case "any" | "present":
            return (given is not _ABSENT) is bool(operand)
        case "in":
            return given in operand
        case _:
            return isinstance(given, str) and compiled(operand).fullmatch(given) is not None


@lru_cache(maxsize=256)
def compiled(text: str) -> Any:
    """A regular expression on RE2, which takes linear time whatever it is.

    Raises:
        ValueError: It is not an RE2 expression.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except (re2.error, TypeError) as error:
        raise ValueError(f"not an RE2 expression: {text!r}") from error


def _same_number(wanted: Any, given: Any) -> bool:
    numbers = (int, float)
    if isinstance(wanted, bool) or isinstance(given, bool):
        return False
    return isinstance(wanted, numbers) and isinstance(given, numbers) and wanted == given


def _reason(wanted: Any, given: Any, path: str) -> str:
    got = "nothing" if given is _ABSENT else repr(given)
    return f"{path}: wanted {wanted!r}, got {got}"
