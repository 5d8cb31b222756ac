"""The words of the Logging query language, each with its place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from mockserver.googleapi import ApiError, invalid

TokenKind = Literal["text", "string", "operator", "sign", "end"]

OPERATORS = ("<=", ">=", "!=", "=~", "!~", "=", "<", ">", ":")
KEYWORDS = frozenset({"AND", "OR", "NOT"})

_BLANK = re.compile(r"(?:\s+|--[^\n]*)+")
_TEXT = re.compile(r"[\w./+%@*$#][\w./+%@*$#\-]*")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'', re.DOTALL)
_OPERATOR = re.compile("|".join(map(re.escape, OPERATORS)))
_SIGNS = frozenset("(),-")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[0-7]{1,3}|.)", re.DOTALL)
_SURROGATES = range(0xD800, 0xE000)
_NAMED = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a query.

    Attributes:
        kind: `text` is unquoted, `string` was quoted, `sign` is one of `( ) , -`, `end` the end.
        text: The word; of a string what is inside its quotes, escapes read.
        place: Where it begins, counted from 0.
        end: Where it ends.
    """

    kind: TokenKind
    text: str
    place: int
    end: int


def tokens(query: str) -> list[Token]:
    """The words of a query, the end included; `--` begins a comment up to the end of the line.

    Raises:
        ApiError: 400; a character that begins no word, with its line and column.

    >>> [token.text for token in tokens("severity>=ERROR -- bad")]
    ['severity', '>=', 'ERROR', '']
    """
    return list(_read(query))


def _read(query: str) -> Iterator[Token]:
    place = 0
    while True:
        blank = _BLANK.match(query, place)
        place = blank.end() if blank else place
        if place >= len(query):
            yield Token("end", "", place, place)
            return
        token = _token(query, place)
        yield token
        place = token.end


def _token(query: str, place: int) -> Token:
    string = _STRING.match(query, place)
    if string:
        inside = string.group(1) if string.group(1) is not None else string.group(2)
        return Token("string", _ESCAPE.sub(_unescaped, inside), place, string.end())
    operator = _OPERATOR.match(query, place)
    if operator:
        return Token("operator", operator.group(), place, operator.end())
    text = _TEXT.match(query, place)
    if text:
        return Token("text", text.group(), place, text.end())
    if query[place] in _SIGNS:
        return Token("sign", query[place], place, place + 1)
    raise syntax_error(query, place, query[place])


def _unescaped(match: re.Match[str]) -> str:
    sign = match.group(1)
    if sign[0] in "ux" and len(sign) > 1:
        code = int(sign[1:], 16)
        return "\N{REPLACEMENT CHARACTER}" if code in _SURROGATES else chr(code)
    if sign[0] in "01234567":
        return chr(int(sign, 8))
    return _NAMED.get(sign, f"\\{sign}" if sign.isalnum() else sign)


def quoted(text: str) -> str:
    r"""A text as a string of the language.

    >>> quoted('say "hi"')
    '"say \\"hi\\""'
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def syntax_error(query: str, place: int, token: str) -> ApiError:
    """400 in the API's own words; the column counts from 1, which is not verified against it."""
    line = query.count("\n", 0, place) + 1
    column = place - (query.rfind("\n", 0, place) + 1) + 1
    return unparseable(f"syntax error at line {line}, column {column}, token '{token}'")


def unparseable(why: str) -> ApiError:
    """400: the query is not in the language."""
    return invalid(f"Unparseable filter: {why}")
