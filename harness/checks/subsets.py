"""Holding a JSON value against an expected one, exactly or as a subset."""

from dataclasses import dataclass
from reprlib import Repr

from typing_extensions import override

from harness.model import Json, JsonObject

_ABSENT = object()
_LONGEST = 80
_BRIEF = Repr()  # bounded in depth too: an agent may nest as deep as it likes
_BRIEF.maxstring = _BRIEF.maxother = _LONGEST


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two values differ.

    Attributes:
        where: Dotted path (`args.folderId`, `rows[2].name`).
        expected: What was expected there, for reading.
        found: What is there, for reading.
    """

    where: str
    expected: str
    found: str

    @override
    def __str__(self) -> str:
        return f"{self.where} is {self.found}, expected {self.expected}"


def difference(expected: Json, found: Json, where: str, *, exact: bool) -> Difference | None:
    """The first difference, or None when the value is as expected.

    As a subset, objects may have further keys, at every depth; arrays have the same length always.
    `true` and `1` differ, `1` and `1.0` do not.

    >>> str(difference({"a": 1}, {"a": 2, "b": 3}, "args", exact=False))
    'args.a is 2, expected 1'
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        return _object_difference(expected, found, where, exact=exact)
    if isinstance(expected, list | tuple) and isinstance(found, list | tuple):
        return _array_difference(expected, found, where, exact=exact)
    if _same(expected, found):
        return None
    return Difference(where, _shown(expected), _shown(found))


def is_subset(expected: Json, found: Json) -> bool:
    """Whether everything expected is there."""
    return difference(expected, found, "", exact=False) is None


def is_subset_of_request(expected: Json, found: Json) -> bool:
    """The same for values that may have travelled as text in a query (`10` is `"10"`)."""
    if isinstance(found, str) and isinstance(expected, bool | int | float):
        return found == (str(expected).lower() if isinstance(expected, bool) else str(expected))
    if isinstance(expected, str) and isinstance(found, int | float) and not isinstance(found, bool):
        return expected == str(found)
    return is_subset(expected, found)


def _object_difference(
    expected: JsonObject, found: JsonObject, where: str, *, exact: bool
) -> Difference | None:
    for key, value in expected.items():
        if key not in found:
            return Difference(f"{where}.{key}", _shown(value), _shown(_ABSENT))
        if deeper := difference(value, found[key], f"{where}.{key}", exact=exact):
            return deeper
    for key, value in found.items() if exact else ():
        if key not in expected:
            return Difference(f"{where}.{key}", _shown(_ABSENT), _shown(value))
    return None


def _array_difference(
    expected: list[Json] | tuple[Json, ...],
    found: list[Json] | tuple[Json, ...],
    where: str,
    *,
    exact: bool,
) -> Difference | None:
    if len(expected) != len(found):
        return Difference(where, f"{len(expected)} items", f"{len(found)} items")
    for index, (one, other) in enumerate(zip(expected, found, strict=True)):
        if deeper := difference(one, other, f"{where}[{index}]", exact=exact):
            return deeper
    return None


def _same(expected: Json, found: Json) -> bool:
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    return bool(expected == found)


def _shown(value: object) -> str:
    if value is _ABSENT:
        return "absent"
    text = _BRIEF.repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
