"""Comparison of a JSON value with an expected one: matchers, JSON Schemas, subsets."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from reprlib import Repr
from typing import Any, Literal

from typing_extensions import override

from harness.trials.regexes import PatternError, SearchPattern, search_pattern
from harness.trials.values import Json, JsonObject


class InvalidSchemaError(Exception):
    """The JSON Schema of a case is not one."""


def schema_errors(schema: JsonObject, document: Json) -> list[str]:
    """What is wrong with a document, as `/pointer: message`, in the order of the pointers.

    Raises:
        InvalidSchemaError: when the schema is invalid, refers outside itself, or has a pattern
            that is none or searches for too long.
    """
    from jsonschema import SchemaError, validators
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    kind = validators.validator_for(schema, default=validators.Draft202012Validator)
    try:
        kind.check_schema(schema)
        strict = validators.extend(kind, {"pattern": _pattern})  # type: ignore[no-untyped-call]
        # an empty registry: a reference to elsewhere is an error, never a download
        found = list(strict(schema, registry=Registry()).iter_errors(document))
    except SchemaError as error:
        raise InvalidSchemaError(f"the case's JSON Schema is invalid: {error.message}") from error
    except Unresolvable as error:
        raise InvalidSchemaError(
            f"the case's JSON Schema refers outside itself: {error}"
        ) from error
    except PatternError as error:
        raise InvalidSchemaError(f"a pattern of the JSON Schema cannot be used: {error}") from error
    except RecursionError:
        return ["/: nested too deeply to be checked"]
    return sorted(f"/{'/'.join(str(part) for part in each.path)}: {each.message}" for each in found)


def _pattern(
    _validator: object, pattern: str, instance: Json, _schema: Mapping[str, Any]
) -> Iterator[Exception]:
    from jsonschema import ValidationError

    if isinstance(instance, str) and not search_pattern(pattern, ignore_case=False).search(
        instance
    ):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


MATCHERS = frozenset(
    {
        *("any_of", "regex", "number", "present", "absent"),
        *("schema", "glob", "contains", "equals"),
    }
)
"""The one key of an object that is a matcher and not a value; `number` may have a `tolerance`.

any_of    one of these, each a value or a matcher
regex     a text in which this RE2 pattern is found; letter case matters
number    a number that is at most `tolerance` (0) away
present   true: there, whatever it is; false: not there
absent    true: not there; false: there
schema    what this JSON Schema describes
glob      a text of this form
contains  a text with this text in it, an array with such an item, an object with this key
equals    this value, exactly, even where it looks like a matcher
"""

_TOLERANCE = {"number", "tolerance"}


def matcher_name(expected: Json) -> str:
    """Which matcher an expected value is, or an empty string for a plain value.

    >>> matcher_name({"number": 3, "tolerance": 0.5}), matcher_name({"number": 3, "unit": "s"})
    ('number', '')
    """
    if not isinstance(expected, dict):
        return ""
    if expected.keys() == _TOLERANCE:
        return "number"
    only = next(iter(expected), "") if len(expected) == 1 else ""
    return only if only in MATCHERS else ""


def literal(value: Json) -> Json:
    """The value such that nothing in it is taken for a matcher; for values that were recorded.

    >>> literal({"filter": {"contains": "x"}, "limit": 3})
    {'filter': {'equals': {'contains': 'x'}}, 'limit': 3}
    """
    if matcher_name(value):
        return {"equals": value}
    if isinstance(value, dict):
        return {key: literal(inner) for key, inner in value.items()}
    return [literal(inner) for inner in value] if isinstance(value, list) else value


def literal_args(args: JsonObject) -> JsonObject:
    """The same for the arguments of a call, which are never a matcher themselves."""
    return {name: literal(value) for name, value in args.items()}


Same = Callable[[Json, Json], bool]
"""Whether a value is as expected, in the mode in which it is compared."""


class _Absent:
    """What stands for an argument that is not there."""

    @override
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Any = _Absent()
"""Stands for a value that is not there."""


class InvalidMatcherError(Exception):
    """A matcher of the case cannot be used."""


def accepts(matcher: JsonObject, found: Json, same: Same) -> bool:
    """Whether a matcher takes a value.

    Args:
        matcher: An object that `harness.model.matcher_name` knows, but for `equals`, which is a
            plain comparison.
        found: What is there, or `ABSENT`.
        same: How the values inside the matcher are compared.

    Raises:
        InvalidMatcherError: The matcher's operand is of no use.
    """
    name, operand = next((key, value) for key, value in matcher.items() if key != "tolerance")
    if name in _OF_PRESENCE:
        return (found is not ABSENT) == (_OF_PRESENCE[name] == bool(operand))
    if found is ABSENT:
        return False
    if name == "number":
        return _is_near(operand, matcher.get("tolerance", 0), found)
    return _TAKES[name](operand, found, same)


def describe(matcher: JsonObject) -> str:
    """A matcher in words.

    >>> describe({"number": 3, "tolerance": 0.5}), describe({"present": False})
    ('3 within 0.5', 'absent')
    """
    name, operand = next((key, value) for key, value in matcher.items() if key != "tolerance")
    if name in _OF_PRESENCE:
        return "anything" if _OF_PRESENCE[name] == bool(operand) else "absent"
    if name == "number":
        return f"{operand} within {matcher.get('tolerance', 0)}"
    return f"{_WORDS[name]} {operand!r}"


def _is_near(number: Json, tolerance: Json, found: Json) -> bool:
    if not (_is_number(number) and _is_number(tolerance)):
        raise InvalidMatcherError(f"'number' of the case needs numbers, found {number!r}")
    return _is_number(found) and abs(found - number) <= tolerance


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _any_of(operand: Json, found: Json, same: Same) -> bool:
    if not isinstance(operand, list | tuple):
        raise InvalidMatcherError(f"'any_of' of the case needs a list, found {operand!r}")
    return any(same(each, found) for each in operand)


def _regex(operand: Json, found: Json, _is_same: Same) -> bool:
    try:
        return isinstance(found, str) and pattern(operand).search(found)
    except PatternError as error:
        raise InvalidMatcherError(str(error)) from error


@lru_cache(maxsize=512)
def pattern(text: str) -> SearchPattern:
    """A pattern in which letter case matters.

    Raises:
        InvalidMatcherError: It is none.
    """
    try:
        return search_pattern(text, ignore_case=False)
    except PatternError as error:
        raise InvalidMatcherError(f"a pattern of the case cannot be used: {error}") from error


def _glob(operand: Json, found: Json, _is_same: Same) -> bool:
    return isinstance(found, str) and fnmatchcase(found, str(operand))


def _contains(operand: Json, found: Json, same: Same) -> bool:
    if isinstance(found, list | tuple):
        return any(same(operand, item) for item in found)
    if isinstance(found, str | dict):
        return str(operand) in found
    return False


def _schema(operand: Json, found: Json, _is_same: Same) -> bool:
    try:
        return not schema_errors(operand, found)
    except (InvalidSchemaError, AttributeError, TypeError) as error:
        raise InvalidMatcherError(str(error)) from error


_OF_PRESENCE: Mapping[str, bool] = {"present": True, "absent": False}
_TAKES: Mapping[str, Callable[[Json, Json, Same], bool]] = {
    "any_of": _any_of,
    "regex": _regex,
    "glob": _glob,
    "contains": _contains,
    "schema": _schema,
}
_WORDS: Mapping[str, str] = {
    "any_of": "one of",
    "regex": "a text that matches",
    "glob": "a text of the form",
    "contains": "something with",
    "schema": "a value of the schema",
}


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
        return Difference("args", _value_text(expected), _value_text(found))
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
        if found is not ABSENT and _is_same(expected, found):
            return None
        return Difference(where, _value_text(expected), _value_text(found))

    def _of_matcher(
        self, name: str, matcher: JsonObject, found: Json, where: str
    ) -> Difference | None:
        if name == _EQUALS:
            return _Comparison("exact", plain=True).difference(matcher[name], found, where)
        if accepts(matcher, found, self._takes):
            return None
        return Difference(where, _brief(describe(matcher)), _value_text(found))

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
                return Difference(f"{where}.{key}", _value_text(ABSENT), _value_text(value))
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


def _is_same(expected: Json, found: Json) -> bool:
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    return bool(expected == found)


def _value_text(value: object) -> str:
    return "absent" if value is ABSENT else _brief(_BRIEF.repr(value))


def _brief(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
