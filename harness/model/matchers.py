"""Matchers: objects that stand in an expected value where no plain value would do."""

from harness.model.values import Json, JsonObject

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
