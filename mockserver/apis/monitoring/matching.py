"""Whether a value, or a resource, meets a rule of a filter."""

from collections.abc import Callable
from functools import lru_cache, partial
from operator import ge, gt, le, lt
from typing import Any

import re2

from mockserver.apis.monitoring.filters import Leaf, Rule, Selection, parse_filter, refused
from mockserver.apis.monitoring.moments import read_time
from mockserver.googleapi.filters import holds, leaves
from mockserver.model import Json, JsonObject

_ORDERED: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


def meets(rule: Rule, value: Json) -> bool:
    """Whether a value meets a rule; what is absent (None) is compared as an empty text."""
    if rule.operator == "!=":
        return not _equals(rule, value)
    if rule.operator == "=":
        return _equals(rule, value)
    if rule.operator == ":":
        return _has(value, rule.values[0])
    return _ordered(rule, value)


def check_rule(text: str, rule: Rule) -> None:
    """Refuse a function where it cannot be.

    Raises:
        ApiError: 400: not after `=` or `!=`, without arguments, or no regular expression.
    """
    if not rule.function:
        return
    if rule.operator not in {"=", "!="}:
        raise refused(text, f"{rule.function} can be used with '=' and '!=' only")
    if not rule.values or (rule.function != "one_of" and len(rule.values) != 1):
        raise refused(text, f"wrong number of arguments of {rule.function}")
    if rule.function == "monitoring.regex.full_match":
        try:
            _pattern(str(rule.values[0]))
        except re2.error as error:
            raise refused(text, f"invalid regular expression {rule.values[0]}") from error


def _equals(rule: Rule, value: Json) -> bool:
    asked = rule.values[0]
    if isinstance(value, list):
        return any(_equals(rule, each) for each in value)
    if rule.function == "one_of":
        return any(_same(value, each) for each in rule.values)
    if rule.function:
        return _TEXT_TESTS[rule.function](_text(value), str(asked))
    return _same(value, asked)


def _same(value: Json, asked: Json) -> bool:
    if isinstance(asked, float) and not isinstance(value, bool):
        try:
            return float(value) == asked
        except (TypeError, ValueError):
            return False
    if isinstance(asked, bool) and value is None:
        return not asked
    return _text(value) == _text(asked)


def _has(value: Json, asked: Json) -> bool:
    """`:` on a map asks for a key, on a text for a part of it; `*` for anything at all."""
    if value is None:
        return False
    if asked == "*":
        return True
    if isinstance(value, dict):
        return _text(asked) in value
    if isinstance(value, list):
        return any(_has(each, asked) for each in value)
    return _text(asked).casefold() in _text(value).casefold()


def _ordered(rule: Rule, value: Json) -> bool:
    compare, asked = _ORDERED[rule.operator], rule.values[0]
    if value is None:
        return False
    for read in (_moment, float):
        try:
            return compare(read(value), read(asked))
        except (TypeError, ValueError):
            continue
    return compare(_text(value), _text(asked))


def _moment(value: Json) -> int:
    if not isinstance(value, str):
        raise TypeError
    return read_time(value)


def _text(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


@lru_cache(maxsize=256)
def _pattern(text: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    return re2.compile(text, options)


_TEXT_TESTS: dict[str, Callable[[str, str], bool]] = {
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "has_substring": str.__contains__,
    "monitoring.regex.full_match": lambda text, asked: bool(_pattern(asked).fullmatch(text)),
}


def row_test(text: str) -> Callable[[JsonObject], bool]:
    """The test that a filter puts to a resource; its selectors are fields, snake case or camel.

    Raises:
        ApiError: 400: the text is not in the language, or asks for time series.
    """
    tree = parse_filter(text)
    for leaf in leaves(tree):
        if isinstance(leaf, Selection):
            raise refused(text, f"unknown function {leaf.name}")
        check_rule(text, leaf)
    return lambda row: holds(tree, partial(_row_meets, row))


def _row_meets(row: JsonObject, leaf: Leaf) -> bool:
    return isinstance(leaf, Rule) and meets(leaf, field_at(row, leaf.path))


def field_at(row: JsonObject, path: tuple[str, ...]) -> Json:
    """The value at a selector, or None; a list of objects gives the list of their values.

    >>> field_at({"userLabels": {"team": "shop"}}, ("user_labels", "team"))
    'shop'
    """
    value: Json = row
    for name in path:
        value = _inside(value, name)
    return value


def _inside(value: Json, name: str) -> Json:
    if isinstance(value, list):
        found = [_inside(each, name) for each in value]
        return [each for each in found if each is not None] or None
    if not isinstance(value, dict):
        return None
    head, *rest = name.split("_")
    for key in (name, head + "".join(part.title() for part in rest), f"{name}s"):
        if key in value:
            return value[key]
    return None
