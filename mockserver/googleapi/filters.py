"""The filter language that many Google APIs share (AIP-160), as a tree that an API evaluates."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

_BLANK = re.compile(r"\s*")
_WORD = re.compile(r"[A-Za-z_][\w.\-]*")
_COMPARATOR = re.compile(r"\s*(<=|>=|!=|=|<|>|:)\s*")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'')
_BARE = re.compile(r"[^\s()\"']+")
_ESCAPE = re.compile(r"\\(.)")
_DEEPEST = 40


class FilterError(ValueError):
    """A filter that is not in the language; the message says where."""


@dataclass(frozen=True)
class Comparison:
    """`field op value`; the operator is one of `= != < <= > >= :`."""

    field: str
    operator: str
    value: str


@dataclass(frozen=True)
class Text:
    """A literal without a field: looked for in whatever an API searches."""

    value: str


@dataclass(frozen=True)
class Function:
    """`name(argument)`."""

    name: str
    argument: str


@dataclass(frozen=True)
class Not:
    """The contrary of a filter."""

    filter: "Filter"


@dataclass(frozen=True)
class Both:
    """Every one of several filters; holds when there are none."""

    filters: tuple["Filter", ...]


@dataclass(frozen=True)
class Either:
    """At least one of several filters."""

    filters: tuple["Filter", ...]


Leaf = Comparison | Text | Function
Filter = Leaf | Not | Both | Either


def holds(tree: Filter, test: Callable[[Leaf], bool]) -> bool:
    """Whether a filter holds, when `test` says which of its leaves do."""
    match tree:
        case Not(inner):
            return not holds(inner, test)
        case Both(parts):
            return all(holds(part, test) for part in parts)
        case Either(parts):
            return any(holds(part, test) for part in parts)
        case Comparison() | Text() | Function():
            return test(tree)


def leaves(tree: Filter) -> tuple[Leaf, ...]:
    """The leaves of a filter, from left to right."""
    match tree:
        case Not(inner):
            return leaves(inner)
        case Both(parts) | Either(parts):
            return tuple(leaf for part in parts for leaf in leaves(part))
        case Comparison() | Text() | Function():
            return (tree,)


@lru_cache(maxsize=256)
def parse_filter(text: str) -> Filter:
    """Read a filter; blank text is the filter that always holds.

    Terms side by side are joined by AND, and OR binds tighter than AND, as AIP-160 says.

    Raises:
        FilterError: The text is not in the language.

    >>> parse_filter('os_platform=Windows machine_name:"ws 1"')
    Both(filters=(Comparison(field='os_platform', operator='=', value='Windows'), \
Comparison(field='machine_name', operator=':', value='ws 1')))
    """
    reader = _Reader(text)
    tree = reader.conjunction(0)
    if not reader.at_end():
        raise FilterError(f"unexpected {reader.rest()!r} at position {reader.place}")
    return tree


def _with_field(tree: Filter, name: str, operator: str) -> Filter:
    """A filter of values, `field:(a OR b)`, as one of comparisons."""
    match tree:
        case Not(inner):
            return Not(_with_field(inner, name, operator))
        case Both(parts):
            return Both(tuple(_with_field(part, name, operator) for part in parts))
        case Either(parts):
            return Either(tuple(_with_field(part, name, operator) for part in parts))
        case Text(value):
            return Comparison(name, operator, value)
        case Comparison() | Function():
            raise FilterError(f"expected values in the parentheses after {name!r}")


class _Reader:
    """Reads one filter from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.place = 0

    def at_end(self) -> bool:
        self._take(_BLANK)
        return self.place >= len(self._text)

    def rest(self) -> str:
        return self._text[self.place : self.place + 20]

    def conjunction(self, depth: int) -> Filter:
        if depth > _DEEPEST:
            raise FilterError(f"nested deeper than {_DEEPEST} levels")
        parts: list[Filter] = []
        while not self.at_end() and not self._text.startswith(")", self.place):
            if parts:
                self._keyword("AND")
            parts.append(self._disjunction(depth))
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _disjunction(self, depth: int) -> Filter:
        parts = [self._term(depth)]
        while self._keyword("OR"):
            parts.append(self._term(depth))
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _term(self, depth: int) -> Filter:
        if depth > _DEEPEST:
            raise FilterError(f"nested deeper than {_DEEPEST} levels")
        if self._keyword("NOT") or self._symbol("-"):
            return Not(self._term(depth + 1))
        if self._symbol("("):
            inner = self.conjunction(depth + 1)
            if not self._symbol(")"):
                raise FilterError(f"missing ')' at position {self.place}")
            return inner
        return self._leaf(depth)

    def _leaf(self, depth: int) -> Filter:
        self._take(_BLANK)
        start = self.place
        name = self._take(_WORD)
        if name is not None:
            if self._text.startswith("(", self.place):
                return self._function(name.group())
            operator = self._take(_COMPARATOR)
            if operator is not None:
                return self._comparison(name.group(), operator.group(1), depth)
            self.place = start
        return Text(self._value())

    def _comparison(self, name: str, operator: str, depth: int) -> Filter:
        if not self._symbol("("):
            return Comparison(name, operator, self._value())
        values = self.conjunction(depth + 1)
        if not self._symbol(")"):
            raise FilterError(f"missing ')' at position {self.place}")
        return _with_field(values, name, operator)

    def _function(self, name: str) -> Function:
        self.place += 1
        argument = "" if self._text.startswith(")", self.place) else self._value()
        if not self._symbol(")"):
            raise FilterError(f"missing ')' after {name} at position {self.place}")
        return Function(name, argument)

    def _value(self) -> str:
        self._take(_BLANK)
        quoted = self._take(_QUOTED)
        if quoted is not None:
            return _ESCAPE.sub(r"\1", quoted.group(1) or quoted.group(2) or "")
        bare = self._take(_BARE)
        if bare is None or bare.group() in {"AND", "OR", "NOT"}:
            raise FilterError(f"expected a value at position {self.place}")
        return bare.group()

    def _keyword(self, word: str) -> bool:
        self._take(_BLANK)
        end = self.place + len(word)
        if self._text[self.place : end] != word or self._text[end : end + 1] not in {"", " ", "("}:
            return False
        self.place = end
        return True

    def _symbol(self, symbol: str) -> bool:
        self._take(_BLANK)
        if not self._text.startswith(symbol, self.place):
            return False
        self.place += len(symbol)
        return True

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self._text, self.place)
        if match is not None:
            self.place = match.end()
        return match
