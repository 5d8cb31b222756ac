"""The filter language of Cloud Monitoring, read into a tree.

A rule compares a selector (`metric.type`, `resource.labels."zone"`, `open_time`) with a literal or
with one of the language's functions. Rules side by side are joined by AND. That OR binds tighter
than AND is not verified against the live API.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from mockserver.googleapi import ApiError, invalid
from mockserver.googleapi.filters import (
    QUOTED,
    Argument,
    Comparison,
    FilterDialect,
    FilterError,
    Function,
    Text,
    Tree,
    Value,
    parse,
    unescape,
)

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
class Rule:
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


Leaf = Rule | Selection
Filter: TypeAlias = Tree[Leaf]


@lru_cache(maxsize=256)
def parse_filter(text: str) -> Filter:
    """Read a filter; blank text is the filter that always holds.

    Raises:
        ApiError: 400 with the position of what is not in the language. The form of the message is
            not verified against the live API.
    """
    if len(text) > _LONGEST:
        raise refused(text[:80] + "...", f"the filter is longer than {_LONGEST} characters")
    try:
        return parse(text, DIALECT, _leaf)
    except FilterError as error:
        if error.problem == "depth":
            raise refused(text, str(error)) from error
        line, column = error.line_and_column(text)
        token = text[error.token.place : error.token.end] or "end of expression"
        why = f"syntax error at line {line}, column {column}, token '{token}'"
        raise refused(text, why) from error


def refused(text: str, why: str) -> ApiError:
    """The 400 for a filter, in the words that the API puts before every reason."""
    return invalid(f'Field filter had an invalid value of "{text}": {why}', location="filter")


def _leaf(leaf: Comparison | Text | Function) -> Leaf:
    if isinstance(leaf, Function):
        return Selection(leaf.name, tuple(map(_literal, leaf.arguments)))
    if isinstance(leaf, Comparison) and isinstance(leaf.value, Function):
        values = tuple(map(_literal, leaf.value.arguments))
        return Rule(path_of(leaf.field), leaf.operator, leaf.value.name, values)
    if isinstance(leaf, Comparison):
        return Rule(path_of(leaf.field), leaf.operator, "", (_literal(leaf.literal),))
    raise TypeError("the language has no values without a selector")


def _literal(value: Value | Argument) -> Literal:
    if value.quoted:
        return value.text
    if re.fullmatch(_NUMBER, value.text):
        return float(value.text)
    lower = value.text.lower()
    return lower == "true" if lower in {"true", "false"} else value.text


def path_of(selector: str) -> tuple[str, ...]:
    """The segments of a selector.

    >>> path_of('metric.labels."a.b"')
    ('metric', 'labels', 'a.b')
    """
    return tuple(unescape(quoted) or bare for quoted, bare in _SEGMENT.findall(selector))
