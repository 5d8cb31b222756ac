"""Holding a JSON value against an expected one: exactly, as a subset or as a superset."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from reprlib import Repr
from typing import Literal

from typing_extensions import override

from harness.checks.matchers import ABSENT, accepts, describe, matcher_name
from harness.trials.values import Json, JsonObject


def is_named(name: str, glob: str) -> bool:
    """Whether a glob stands for a name; a rule that forbids `Delete_*` means `delete_user`, too.

    >>> is_named("delete_user", "Delete_*"), is_named("list_users", "delete_*")
    (True, False)
    """
    return fnmatchcase(name.casefold(), glob.casefold())


Mode = Literal["exact", "subset", "superset"]

_EQUALS = "equals"
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


def difference(expected: Json, found: Json, where: str, mode: Mode = "subset") -> Difference | None:
    """The first difference, or None when the value is as expected.

    As a subset, objects may have further keys, at every depth; as a superset they have no others
    and may lack some. Arrays have the same length always. `true` and `1` differ, `1` and `1.0` do
    not. Matchers stand wherever a value may.

    Raises:
        InvalidMatcherError: A matcher of the case cannot be used.

    >>> str(difference({"a": 1}, {"a": 2, "b": 3}, "args"))
    'args.a is 2, expected 1'
    """
    return _Comparison(mode).difference(expected, found, where)


def arguments_difference(
    expected: JsonObject, found: Json, mode: Mode = "subset"
) -> Difference | None:
    """The first difference of a call's arguments, which are never a matcher as a whole.

    A tool may have a single argument that is called `number` or `contains`.

    >>> arguments_difference({"number": 7}, {"number": 7}, "exact")
    """
    if not isinstance(found, dict):
        return Difference("args", _shown(expected), _shown(found))
    return _Comparison(mode).of_objects(expected, found, "args")


def is_subset(expected: Json, found: Json) -> bool:
    """Whether everything expected is there."""
    return difference(expected, found, "") is None


def is_subset_of_request(expected: Json, found: Json) -> bool:
    """The same for values that may have travelled as text in a query (`10` is `"10"`)."""
    if isinstance(found, str) and isinstance(expected, bool | int | float):
        return found == (str(expected).lower() if isinstance(expected, bool) else str(expected))
    if isinstance(expected, str) and isinstance(found, int | float) and not isinstance(found, bool):
        return expected == str(found)
    return is_subset(expected, found)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """One way to compare.

    Attributes:
        mode: What may be more or less.
        plain: Nothing is a matcher.
    """

    mode: Mode
    plain: bool = False

    def difference(self, expected: Json, found: Json, where: str) -> Difference | None:
        if not self.plain and (name := matcher_name(expected)):
            return self._of_matcher(name, expected, found, where)
        if isinstance(expected, dict) and isinstance(found, dict):
            return self.of_objects(expected, found, where)
        if isinstance(expected, list | tuple) and isinstance(found, list | tuple):
            return self._of_arrays(expected, found, where)
        if found is not ABSENT and _same(expected, found):
            return None
        return Difference(where, _shown(expected), _shown(found))

    def _of_matcher(
        self, name: str, matcher: JsonObject, found: Json, where: str
    ) -> Difference | None:
        if name == _EQUALS:
            return _Comparison("exact", plain=True).difference(matcher[name], found, where)
        if accepts(matcher, found, self._takes):
            return None
        return Difference(where, _brief(describe(matcher)), _shown(found))

    def _takes(self, expected: Json, found: Json) -> bool:
        return self.difference(expected, found, "") is None

    def of_objects(self, expected: JsonObject, found: JsonObject, where: str) -> Difference | None:
        """The first difference of two objects, neither of which is a matcher."""
        for key, value in expected.items():
            if key not in found and self.mode == "superset":
                continue
            if deeper := self.difference(value, found.get(key, ABSENT), f"{where}.{key}"):
                return deeper
        for key, value in found.items() if self.mode != "subset" else ():
            if key not in expected:
                return Difference(f"{where}.{key}", _shown(ABSENT), _shown(value))
        return None

    def _of_arrays(
        self,
        expected: list[Json] | tuple[Json, ...],
        found: list[Json] | tuple[Json, ...],
        where: str,
    ) -> Difference | None:
        if len(expected) != len(found):
            return Difference(where, f"{len(expected)} items", f"{len(found)} items")
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            if deeper := self.difference(one, other, f"{where}[{index}]"):
                return deeper
        return None


def _same(expected: Json, found: Json) -> bool:
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    return bool(expected == found)


def _shown(value: object) -> str:
    return "absent" if value is ABSENT else _brief(_BRIEF.repr(value))


def _brief(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
