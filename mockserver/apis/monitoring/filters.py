"""The filter language of Cloud Monitoring, read into a tree.

A rule compares a selector (`metric.type`, `resource.labels."zone"`, `open_time`) with a literal or
with one of the language's functions. Rules side by side are joined by AND. That OR binds tighter
than AND is not verified against the live API.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from mockserver.googleapi import ApiError, invalid

Literal = str | float | bool

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<operator><=|>=|!=|=~|!~|=|<|>|:)
    | (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    | (?P<word>[A-Za-z_][\w\-]*(?:\.(?:[\w\-]+|"(?:[^"\\]|\\.)*"))*|\*)
    | (?P<sign>[(),\-])
    )""",
    re.VERBOSE,
)
_SEGMENT = re.compile(r'"((?:[^"\\]|\\.)*)"|([^.]+)')
_ESCAPE = re.compile(r"\\(.)")
_DEEPEST = 40
_LONGEST = 20_000
FUNCTIONS = frozenset(
    {"starts_with", "ends_with", "has_substring", "one_of", "monitoring.regex.full_match"}
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


@dataclass(frozen=True)
class Not:
    """The contrary of a filter."""

    filter: "Filter"


@dataclass(frozen=True)
class All:
    """Every one of several filters; holds when there are none."""

    filters: tuple["Filter", ...]


@dataclass(frozen=True)
class Some:
    """At least one of several filters."""

    filters: tuple["Filter", ...]


Leaf = Rule | Selection
Filter = Leaf | Not | All | Some


def holds(tree: Filter, test: Callable[[Leaf], bool]) -> bool:
    """Whether a filter holds, when `test` says which of its leaves do."""
    match tree:
        case Not(inner):
            return not holds(inner, test)
        case All(parts):
            return all(holds(part, test) for part in parts)
        case Some(parts):
            return any(holds(part, test) for part in parts)
        case Rule() | Selection():
            return test(tree)


def leaves(tree: Filter) -> Iterator[Leaf]:
    """The leaves of a filter, from left to right.

    Yields:
        Each leaf.
    """
    match tree:
        case Not(inner):
            yield from leaves(inner)
        case All(parts) | Some(parts):
            for part in parts:
                yield from leaves(part)
        case Rule() | Selection():
            yield tree


@lru_cache(maxsize=256)
def parse_filter(text: str) -> Filter:
    """Read a filter; blank text is the filter that always holds.

    Raises:
        ApiError: 400 with the position of what is not in the language. The form of the message is
            not verified against the live API.
    """
    if len(text) > _LONGEST:
        raise refused(text[:80] + "...", f"the filter is longer than {_LONGEST} characters")
    reader = _Reader(text)
    tree = reader.conjunction(0)
    if reader.kind:
        raise reader.unexpected()
    return tree


def refused(text: str, why: str) -> ApiError:
    """The 400 for a filter, in the words that the API puts before every reason."""
    return invalid(f'Field filter had an invalid value of "{text}": {why}', location="filter")


class _Reader:
    """Reads one filter from left to right, a token ahead."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = 0
        self.kind = self.lexeme = ""
        self._start = 0
        self._next()

    def _next(self) -> str:
        """Step to the next token; the one that was read."""
        before = self.lexeme
        rest = self._text[self._end :]
        if not rest.strip():
            self._start = len(self._text)
            self.kind, self.lexeme = "", ""
            return before
        match = _TOKEN.match(self._text, self._end)
        if match is None:
            self._start = self._end + len(rest) - len(rest.lstrip())
            self.lexeme = self._text[self._start]
            raise self.unexpected()
        self.kind = match.lastgroup or ""
        self.lexeme = match.group(self.kind)
        self._start, self._end = match.start(self.kind), match.end()
        return before

    def unexpected(self) -> ApiError:
        line = self._text.count("\n", 0, self._start) + 1
        column = self._start - (self._text.rfind("\n", 0, self._start) + 1) + 1
        token = self.lexeme or "end of expression"
        why = f"syntax error at line {line}, column {column}, token '{token}'"
        return refused(self._text, why)

    def _take(self, token: str) -> bool:
        found = self.kind != "text" and self.lexeme == token
        if found:
            self._next()
        return found

    def conjunction(self, depth: int) -> Filter:
        if depth > _DEEPEST:
            raise refused(self._text, f"nested deeper than {_DEEPEST} levels")
        parts: list[Filter] = []
        while self.kind and not (self.kind == "sign" and self.lexeme == ")"):
            if parts:
                self._take("AND")
            parts.append(self._disjunction(depth))
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _disjunction(self, depth: int) -> Filter:
        parts = [self._term(depth)]
        while self._take("OR"):
            parts.append(self._term(depth))
        return parts[0] if len(parts) == 1 else Some(tuple(parts))

    def _term(self, depth: int) -> Filter:
        if depth > _DEEPEST:
            raise refused(self._text, f"nested deeper than {_DEEPEST} levels")
        if self._take("NOT") or self._take("-"):
            return Not(self._term(depth + 1))
        if self._take("("):
            inner = self.conjunction(depth + 1)
            self._expect(")")
            return inner
        return self._rule()

    def _rule(self) -> Filter:
        if self.kind != "word" or self.lexeme in {"AND", "OR", "NOT"}:
            raise self.unexpected()
        name = self._next()
        if self._take("("):
            return Selection(name, self._arguments())
        if self.kind != "operator" or self.lexeme in {"=~", "!~"}:
            raise self.unexpected()
        return self._compared(path_of(name), self._next())

    def _compared(self, path: tuple[str, ...], operator: str) -> Rule:
        if self.kind == "word" and self.lexeme in FUNCTIONS:
            function = self._next()
            self._expect("(")
            return Rule(path, operator, function, self._arguments())
        return Rule(path, operator, "", (self._literal(),))

    def _arguments(self) -> tuple[Literal, ...]:
        values: list[Literal] = []
        while not self._take(")"):
            if values:
                self._expect(",")
            values.append(self._literal())
        return tuple(values)

    def _literal(self) -> Literal:
        if self.kind == "text":
            return _ESCAPE.sub(r"\1", self._next()[1:-1])
        if self.kind == "number":
            return float(self._next())
        if self.kind == "word" and self.lexeme not in {"AND", "OR", "NOT"}:
            word = self._next()
            return word.lower() == "true" if word.lower() in {"true", "false"} else word
        raise self.unexpected()

    def _expect(self, token: str) -> None:
        if not self._take(token):
            raise self.unexpected()


def path_of(selector: str) -> tuple[str, ...]:
    """The segments of a selector.

    >>> path_of('metric.labels."a.b"')
    ('metric', 'labels', 'a.b')
    """
    return tuple(_ESCAPE.sub(r"\1", quoted) or bare for quoted, bare in _SEGMENT.findall(selector))
