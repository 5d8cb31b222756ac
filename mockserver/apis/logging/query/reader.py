"""Reads the Logging query language.

Source: Logging query language reference. AND may be left out between comparisons. NOT (or `-`)
binds tightest, then OR, then AND, as the reference says: `a OR b AND c` is `(a OR b) AND c`. The
other order, that of most languages, is a switch; the lenient profile reads queries so.
"""

from functools import lru_cache

from mockserver.apis.logging.query.tokens import (
    KEYWORDS,
    Token,
    syntax_error,
    tokens,
    unparseable,
)
from mockserver.apis.logging.query.tree import (
    Argument,
    Both,
    Comparison,
    Either,
    Function,
    Literal,
    Not,
    Query,
    Search,
)
from mockserver.googleapi import ApiError

LONGEST = 20_000
_DEEPEST = 64

_Left = tuple[tuple[str, ...], str]
"""Path and operator that the values of a parenthesis are compared by."""


@lru_cache(maxsize=512)
def parse_query(text: str, *, or_first: bool = True) -> Query:
    """Read a query; blank text is the query that always holds.

    Args:
        text: At most 20,000 characters.
        or_first: Whether OR binds tighter than AND.

    Raises:
        ApiError: 400; the text is too long or not in the language, with line, column and word.

    >>> parse_query('severity>=ERROR "out of memory"')
    Both(queries=(Comparison(path=('severity',), operator='>=', value=Literal(text='ERROR', \
quoted=False)), Search(value=Literal(text='out of memory', quoted=True))))
    """
    if len(text) > LONGEST:
        raise unparseable(f"the filter is longer than {LONGEST:,} characters")
    return _Reader(text, or_first=or_first).read()


class _Reader:
    """Reads one query from left to right."""

    def __init__(self, text: str, *, or_first: bool) -> None:
        self._text = text
        self._or_first = or_first
        self._tokens = tokens(text)
        self._next = 0
        self._left: _Left | None = None

    def read(self) -> Query:
        if self._now.kind == "end":
            return Both(())
        query = self._expression(0)
        if self._next != len(self._tokens) - 1:
            raise self._refusal()
        return query

    @property
    def _now(self) -> Token:
        return self._tokens[self._next]

    def _refusal(self) -> ApiError:
        return syntax_error(self._text, self._now.place, self._now.text)

    def _expression(self, depth: int) -> Query:
        return self._all(depth) if self._or_first else self._any(depth)

    def _all(self, depth: int) -> Query:
        parts = [self._any(depth) if self._or_first else self._term(depth)]
        while self._joins():
            parts.append(self._any(depth) if self._or_first else self._term(depth))
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _any(self, depth: int) -> Query:
        parts = [self._term(depth) if self._or_first else self._all(depth)]
        while self._took("text", "OR"):
            parts.append(self._term(depth) if self._or_first else self._all(depth))
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _joins(self) -> bool:
        """Whether another part of a conjunction follows; a written AND is taken."""
        if self._took("text", "AND"):
            return True
        token = self._now
        return not (token.kind == "end" or token.text == "OR" or _is(token, ")"))

    def _term(self, depth: int) -> Query:
        if depth > _DEEPEST:
            raise unparseable(f"nested deeper than {_DEEPEST} levels")
        if self._took("text", "NOT") or (self._left is None and self._took("sign", "-")):
            return Not(self._term(depth + 1))
        if self._took("sign", "("):
            inner = self._expression(depth + 1)
            self._expect(")")
            return inner
        if self._left is not None:
            return Comparison(*self._left, self._value())
        return self._leaf(depth)

    def _leaf(self, depth: int) -> Query:
        first = self._now
        member = self._member()
        if first.kind == "text" and _is(self._now, "(") and self._now.place == first.end:
            return self._function(first.text)
        if self._now.kind != "operator":
            return Search(Literal(member.text, member.quoted))
        if "" in member.path:
            raise syntax_error(self._text, first.place, first.text)
        operator = self._taken().text
        if not _is(self._now, "("):
            return Comparison(member.path, operator, self._value())
        self._left = (member.path, operator)
        several = self._term(depth + 1)
        self._left = None
        return several

    def _member(self) -> Argument:
        """Words side by side that dots join: `labels."k8s-pod/app".x`."""
        first = self._word()
        if first.kind == "string" and not self._continues(first):
            return Argument((first.text,), quoted=True)
        path, last = _segments(first), first
        while self._continues(last):
            last = self._word()
            more = _segments(last)
            path = [*path[:-1], *more] if path[-1] == "" else [*path, *more[1:]]
        return Argument(tuple(path))

    def _continues(self, last: Token) -> bool:
        """Whether the next word goes on with the path of the last one."""
        token = self._now
        if token.place != last.end or token.kind == last.kind:
            return False
        if last.kind == "string":
            return token.kind == "text" and token.text.startswith(".")
        return token.kind == "string" and last.text.endswith(".")

    def _word(self) -> Token:
        token = self._now
        if token.kind not in {"text", "string"} or _is_keyword(token):
            raise self._refusal()
        return self._taken()

    def _value(self) -> Literal:
        minus = self._now
        if self._took("sign", "-"):
            if self._now.kind != "text" or self._now.place != minus.end:
                raise self._refusal()
            return Literal(f"-{self._word().text}", quoted=False)
        token = self._word()
        return Literal(token.text, quoted=token.kind == "string")

    def _function(self, name: str) -> Function:
        self._expect("(")
        arguments: list[Argument] = []
        while not self._took("sign", ")"):
            if arguments:
                self._expect(",")
            arguments.append(self._member())
        return Function(name, tuple(arguments))

    def _expect(self, sign: str) -> None:
        if not self._took("sign", sign):
            raise self._refusal()

    def _took(self, kind: str, text: str) -> bool:
        token = self._now
        if token.kind != kind or token.text != text:
            return False
        self._next += 1
        return True

    def _taken(self) -> Token:
        token = self._now
        self._next += 1
        return token


def _segments(token: Token) -> list[str]:
    return token.text.split(".") if token.kind == "text" else [token.text]


def _is(token: Token, sign: str) -> bool:
    return token.kind == "sign" and token.text == sign


def _is_keyword(token: Token) -> bool:
    return token.kind == "text" and token.text in KEYWORDS
