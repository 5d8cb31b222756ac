"""The Logging query language: its dialect, its refusals, and a query as text again.

Source: Logging query language reference. AND may be left out between comparisons. NOT (or `-`)
binds tightest, then OR, then AND, as the reference says: `a OR b AND c` is `(a OR b) AND c`. The
other order, that of most languages, is a switch; the lenient profile reads queries so.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import assert_never

from mockserver.googleapi import ApiError, invalid
from mockserver.googleapi.filters import (
    QUOTED,
    And,
    Argument,
    Comparison,
    Filter,
    FilterDialect,
    FilterError,
    Function,
    Kind,
    Not,
    Or,
    Text,
    Value,
    parse,
)

LONGEST = 20_000
OPERATORS = ("<=", ">=", "!=", "=~", "!~", "=", "<", ">", ":")
KEYWORDS = frozenset({"AND", "OR", "NOT"})

_WORD = r"[\w./+%@*$#][\w./+%@*$#\-]*+"
_BARE = re.compile(r"[\w/+%@*$#][\w/+%@*$#\-]*")
_BARE_TEXT = re.compile(_WORD)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[0-7]{1,3}|.)", re.DOTALL)
_SURROGATES = range(0xD800, 0xE000)
_NAMED = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def _unescape_match(match: re.Match[str]) -> str:
    sign = match.group(1)
    if sign[0] in "ux" and len(sign) > 1:
        code = int(sign[1:], 16)
        return "\N{REPLACEMENT CHARACTER}" if code in _SURROGATES else chr(code)
    if sign[0] in "01234567":
        return chr(int(sign, 8))
    return _NAMED.get(sign, f"\\{sign}" if sign.isalnum() else sign)


_TOKENS: Mapping[Kind, str] = {
    "operator": "|".join(map(re.escape, OPERATORS)),
    "keyword": r"(?:AND|OR|NOT)(?![\w./+%@*$#\-])|-",
    "word": rf"{QUOTED}|{_WORD}",
    "sign": r"[(),]",
}
DIALECT = FilterDialect(
    blank=r"(?:\s|--[^\n]*)*+",
    terms={"keyword": _TOKENS["keyword"], "name": rf"{_WORD}(?=\()", **_TOKENS},
    after_name={"call": r"\("},
    after_operator=_TOKENS,
    unescape=lambda text: _ESCAPE.sub(_unescape_match, text),
    empty_groups=False,
    value_groups=True,
    dotted=True,
    signed_values=True,
    tokens_first=True,
    deepest=64,
)
"""`--` begins a comment up to the end of the line."""


@lru_cache(maxsize=512)
def parse_query(text: str, *, or_first: bool = True) -> Filter:
    """Read a query; blank text is the query that always holds.

    Args:
        text: At most 20,000 characters.
        or_first: Whether OR binds tighter than AND.

    Raises:
        ApiError: 400; the text is too long or not in the language, with line, column and word. The
            column counts from 1, which is not verified against the API.

    >>> print_query(parse_query('severity>=ERROR "out of memory"'))
    '(severity>=ERROR AND "out of memory")'
    """
    if len(text) > LONGEST:
        raise unparseable(f"the filter is longer than {LONGEST:,} characters")
    try:
        return parse(text, replace(DIALECT, or_first=or_first), lambda leaf: leaf)
    except FilterError as error:
        if error.problem == "depth":
            raise unparseable(str(error)) from error
        line, column = error.line_and_column(text)
        where = f"line {line}, column {column}, token '{error.token.text}'"
        raise unparseable(f"syntax error at {where}") from error


def unparseable(why: str) -> ApiError:
    """400: the query is not in the language."""
    return invalid(f"Unparseable filter: {why}")


def quote(text: str) -> str:
    r"""A text as a string of the language.

    >>> quote('say "hi"')
    '"say \\"hi\\""'
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def print_query(query: Filter) -> str:
    """A query as text that reads as the same tree.

    >>> print_query(And((Text(Value("a b")), Not(Comparison(("severity",), "=", Value("X"))))))
    '("a b" AND NOT severity="X")'
    """
    match query:
        case Comparison(path, operator, value):
            return f"{_print_path(path)}{operator}{_print_value(value)}"
        case Text(value):
            return _print_value(value)
        case Function(name, arguments):
            return f"{name}({', '.join(map(_print_argument, arguments))})"
        case Not(inner):
            return f"NOT {print_query(inner)}"
        case And(queries):
            return _join_queries(" AND ", queries)
        case Or(queries):
            return _join_queries(" OR ", queries)
        case _:
            assert_never(query)


def _join_queries(word: str, queries: tuple[Filter, ...]) -> str:
    return f"({word.join(map(print_query, queries))})" if queries else ""


def _print_value(value: Value | Function) -> str:
    if not isinstance(value, Value):
        raise TypeError("the language has no functions as values")
    bare = not value.quoted and _BARE_TEXT.fullmatch(value.text.removeprefix("-"))
    return value.text if bare and value.text not in KEYWORDS else quote(value.text)


def _print_argument(argument: Argument) -> str:
    return quote(argument.path[0]) if argument.quoted else _print_path(argument.path)


def _print_path(path: tuple[str, ...]) -> str:
    return ".".join(
        segment if _BARE.fullmatch(segment) and segment not in KEYWORDS else quote(segment)
        for segment in path
    )
