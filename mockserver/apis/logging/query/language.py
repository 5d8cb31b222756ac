"""The Logging query language: its dialect and its refusals.

Source: Logging query language reference. AND may be left out between comparisons. NOT (or `-`)
binds tightest, then OR, then AND, as the reference says: `a OR b AND c` is `(a OR b) AND c`. The
other order, that of most languages, is a switch; the lenient profile reads queries so.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from mockserver.googleapi import ApiError, invalid
from mockserver.googleapi.filter_trees import Filter
from mockserver.googleapi.filters import QUOTED, FilterDialect, FilterError, Kind, parse

LONGEST = 20_000
OPERATORS = ("<=", ">=", "!=", "=~", "!~", "=", "<", ">", ":")

_WORD = r"[\w./+%@*$#][\w./+%@*$#\-]*+"
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

    >>> parse_query('-"out of memory"')
    Not(filter=Text(value=Value(text='out of memory', quoted=True)))
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
