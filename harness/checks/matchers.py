"""What each matcher of an expected value accepts."""

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from typing_extensions import override

from harness.checks.json_schema import InvalidSchemaError, schema_errors
from harness.trials.regexes import PatternError, SearchPattern, search_pattern
from harness.trials.values import Json, JsonObject

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


def _regex(operand: Json, found: Json, _same: Same) -> bool:
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


def _glob(operand: Json, found: Json, _same: Same) -> bool:
    return isinstance(found, str) and fnmatchcase(found, str(operand))


def _contains(operand: Json, found: Json, same: Same) -> bool:
    if isinstance(found, list | tuple):
        return any(same(operand, item) for item in found)
    if isinstance(found, str | dict):
        return str(operand) in found
    return False


def _schema(operand: Json, found: Json, _same: Same) -> bool:
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
