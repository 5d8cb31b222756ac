"""The filter language of Cloud Monitoring, and whether a value or a resource meets a filter.

A rule compares a selector (`metric.type`, `resource.labels."zone"`, `open_time`) with a literal or
with one of the language's functions. Rules side by side are joined by AND. That OR binds tighter
than AND is not verified against the live API.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from mockserver.apis.monitoring.series import read_time
from mockserver.googleapi import ApiError, invalid
from mockserver.googleapi.filter_trees import (
    ORDERS,
    Argument,
    Comparison,
    Function,
    Text,
    Tree,
    Value,
    tree_test,
)
from mockserver.googleapi.filters import QUOTED, FilterDialect, FilterError, parse, unescape
from mockserver.model import Json, JsonObject
from mockserver.stubs import compile_pattern

Literal = str | float | bool

_LONGEST = 20_000
_SEGMENT = re.compile(r'"((?:[^"\\]|\\.)*)"|([^.]+)')
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])"
_SELECTOR = r'[A-Za-z_][\w\-]*(?:\.(?:[\w\-]+|"(?:[^"\\]|\\.)*"))*+|\*'
FUNCTIONS = frozenset(
    {"starts_with", "ends_with", "has_substring", "one_of", "monitoring.regex.full_match"}
)
DIALECT = FilterDialect(
    terms={
        "sign": r"=~|!~|[(),]",
        "operator": "<=|>=|!=|=|<|>|:",
        "word": rf"{QUOTED}|{_NUMBER}",
        "keyword": r"(?:AND|OR|NOT)(?![\w\-]|\.[\w\-\"])|-",
        "name": _SELECTOR,
    },
    texts=False,
    functions=FUNCTIONS,
)


@dataclass(frozen=True)
class Condition:
    """`selector operator value`; `function` is empty for a literal, `values` its arguments."""

    path: tuple[str, ...]
    operator: str
    function: str
    values: tuple[Literal, ...]


@dataclass(frozen=True)
class Selection:
    """A time series selector such as `select_slo_burn_rate("name", "3600s")`."""

    name: str
    arguments: tuple[Literal, ...]


Leaf = Condition | Selection
Filter: TypeAlias = Tree[Leaf]


@lru_cache(maxsize=256)
def parse_filter(text: str) -> Filter:
    """Read a filter; blank text is the filter that always holds.

    Raises:
        ApiError: 400 with the position of what is not in the language. The form of the message is
            not verified against the live API.
    """
    if len(text) > _LONGEST:
        raise bad_filter(text[:80] + "...", f"the filter is longer than {_LONGEST} characters")
    try:
        return parse(text, DIALECT, _read_leaf)
    except FilterError as error:
        if error.problem == "depth":
            raise bad_filter(text, str(error)) from error
        line, column = error.line_and_column(text)
        token = text[error.token.place : error.token.end] or "end of expression"
        why = f"syntax error at line {line}, column {column}, token '{token}'"
        raise bad_filter(text, why) from error


def bad_filter(text: str, why: str) -> ApiError:
    """The 400 for a filter, in the words that the API puts before every reason."""
    return invalid(f'Field filter had an invalid value of "{text}": {why}', location="filter")


def _read_leaf(leaf: Comparison | Text | Function) -> Leaf:
    if isinstance(leaf, Function):
        return Selection(leaf.name, tuple(map(_read_literal, leaf.arguments)))
    if isinstance(leaf, Comparison) and isinstance(leaf.value, Function):
        values = tuple(map(_read_literal, leaf.value.arguments))
        return Condition(split_selector(leaf.field), leaf.operator, leaf.value.name, values)
    if isinstance(leaf, Comparison):
        return Condition(
            split_selector(leaf.field), leaf.operator, "", (_read_literal(leaf.literal),)
        )
    raise TypeError("the language has no values without a selector")


def _read_literal(value: Value | Argument) -> Literal:
    if value.quoted:
        return value.text
    if re.fullmatch(_NUMBER, value.text):
        return float(value.text)
    lower = value.text.lower()
    return lower == "true" if lower in {"true", "false"} else value.text


def split_selector(selector: str) -> tuple[str, ...]:
    """The segments of a selector.

    >>> split_selector('metric.labels."a.b"')
    ('metric', 'labels', 'a.b')
    """
    return tuple(unescape(quoted) or bare for quoted, bare in _SEGMENT.findall(selector))


def meets_condition(rule: Condition, value: Json) -> bool:
    """Whether a value meets a rule; what is absent (None) is compared as an empty text."""
    if rule.operator == "!=":
        return not _is_equal(rule, value)
    if rule.operator == "=":
        return _is_equal(rule, value)
    if rule.operator == ":":
        return _contains(value, rule.values[0])
    return _meets_order(rule, value)


def check_condition(text: str, rule: Condition) -> None:
    """Refuse a function where it cannot be.

    Raises:
        ApiError: 400: not after `=` or `!=`, without arguments, or no regular expression.
    """
    if not rule.function:
        return
    if rule.operator not in {"=", "!="}:
        raise bad_filter(text, f"{rule.function} can be used with '=' and '!=' only")
    if not rule.values or (rule.function != "one_of" and len(rule.values) != 1):
        raise bad_filter(text, f"wrong number of arguments of {rule.function}")
    if rule.function == "monitoring.regex.full_match":
        try:
            compile_pattern(str(rule.values[0]))
        except ValueError as error:
            raise bad_filter(text, f"invalid regular expression {rule.values[0]}") from error


def _is_equal(rule: Condition, value: Json) -> bool:
    asked = rule.values[0]
    if isinstance(value, list):
        return any(_is_equal(rule, each) for each in value)
    if rule.function == "one_of":
        return any(_is_same(value, each) for each in rule.values)
    if rule.function:
        return _TEXT_TESTS[rule.function](_text(value), str(asked))
    return _is_same(value, asked)


def _is_same(value: Json, wanted: Json) -> bool:
    if isinstance(wanted, float) and not isinstance(value, bool):
        try:
            return float(value) == wanted
        except (TypeError, ValueError):
            return False
    if isinstance(wanted, bool) and value is None:
        return not wanted
    return _text(value) == _text(wanted)


def _contains(value: Json, wanted: Json) -> bool:
    """`:` on a map asks for a key, on a text for a part of it; `*` for anything at all."""
    if value is None:
        return False
    if wanted == "*":
        return True
    if isinstance(value, dict):
        return _text(wanted) in value
    if isinstance(value, list):
        return any(_contains(each, wanted) for each in value)
    return _text(wanted).casefold() in _text(value).casefold()


def _meets_order(rule: Condition, value: Json) -> bool:
    compare, asked = ORDERS[rule.operator], rule.values[0]
    if value is None:
        return False
    for read in (_parse_moment, float):
        try:
            return compare(read(value), read(asked))
        except (TypeError, ValueError):
            continue
    return compare(_text(value), _text(asked))


def _parse_moment(value: Json) -> int:
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


_TEXT_TESTS: dict[str, Callable[[str, str], bool]] = {
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "has_substring": str.__contains__,
    "monitoring.regex.full_match": lambda text, asked: bool(compile_pattern(asked).fullmatch(text)),
}


def row_test(text: str) -> Callable[[JsonObject], bool]:
    """The test that a filter puts to a resource; its selectors are fields, snake case or camel.

    Raises:
        ApiError: 400: the text is not in the language, or asks for time series.
    """

    def leaf_test(leaf: Leaf) -> Callable[[JsonObject], bool]:
        if isinstance(leaf, Selection):
            raise bad_filter(text, f"unknown function {leaf.name}")
        check_condition(text, leaf)
        return lambda row: meets_condition(leaf, field_at(row, leaf.path))

    return tree_test(parse_filter(text), leaf_test)


def field_at(row: JsonObject, path: tuple[str, ...]) -> Json:
    """The value at a selector, or None; a list of objects gives the list of their values.

    >>> field_at({"userLabels": {"team": "shop"}}, ("user_labels", "team"))
    'shop'
    """
    value: Json = row
    for name in path:
        value = _values_inside(value, name)
    return value


def _values_inside(value: Json, name: str) -> Json:
    if isinstance(value, list):
        found = [_values_inside(each, name) for each in value]
        return [each for each in found if each is not None] or None
    if not isinstance(value, dict):
        return None
    head, *rest = name.split("_")
    for key in (name, head + "".join(part.title() for part in rest), f"{name}s"):
        if key in value:
            return value[key]
    return None
