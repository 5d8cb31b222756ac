"""A query as tokens, each with its place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mockserver.apis.monitoring.promql.errors import PromqlError
from mockserver.apis.monitoring.promql.formats import DURATION

_SPACE = re.compile(r"(?:\s+|#[^\n]*)*")
_TOKEN = re.compile(
    rf"""
      (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)
    | (?P<duration>{DURATION}(?![\w.]))
    | (?P<number>0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<word>[A-Za-z_:][\w:]*)
    | (?P<sign>==|!=|<=|>=|=~|!~|[-+*/%^<>=(){{}}\[\],@])
    """,
    re.VERBOSE,
)
_INSIDE = re.compile(rf"(?P<duration>{DURATION})|(?P<number>\d+\.?\d*)|(?P<sign>[\]:])")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'", "a": "\a", "b": "\b"}
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")


@dataclass(frozen=True)
class Token:
    """One token; the last one has the kind `end` and no text."""

    kind: str
    text: str
    place: int


def tokens(query: str) -> Iterator[Token]:
    """The tokens of a query.

    Yields:
        Each token, and at last the end.

    Raises:
        PromqlError: What is no token, with its position.
    """
    place, inside = 0, False
    while True:
        space = _SPACE.match(query, place)
        place = space.end() if space else place
        if place >= len(query):
            yield Token("end", "", len(query))
            return
        match = (_INSIDE if inside else _TOKEN).match(query, place)
        if match is None:
            raise _no_token(query, place)
        kind = match.lastgroup or ""
        text = match.group()
        yield Token(kind, text, place)
        inside = text == "[" or (inside and text != "]")
        place = match.end()


def _no_token(query: str, place: int) -> PromqlError:
    sign = query[place]
    if sign in "\"'`":
        return error_at(query, place, "unterminated quoted string")
    return error_at(query, place, f"unexpected character: {sign!r}")


def error_at(query: str, place: int, why: str) -> PromqlError:
    """A syntax error: line and column from 1, and what is wrong there."""
    line = query.count("\n", 0, place) + 1
    column = place - (query.rfind("\n", 0, place) + 1) + 1
    return PromqlError(f"{line}:{column}: parse error: {why}")


def unquoted(text: str) -> str:
    r"""The text that a string token stands for.

    >>> unquoted(r'"a\nb"'), unquoted("`a`")
    ('a\nb', 'a')
    """
    inner = text[1:-1]
    return inner if text[0] == "`" else _ESCAPE.sub(_unescaped, inner)


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if code[0] in "xu" and len(code) > 1 else _ESCAPES.get(code, code)
