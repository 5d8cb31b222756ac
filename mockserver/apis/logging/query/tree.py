"""A query as a tree, and the tree as text again."""

import re
from dataclasses import dataclass
from typing import assert_never

from mockserver.apis.logging.query.tokens import KEYWORDS, quoted

_BARE = re.compile(r"[\w/+%@*$#][\w/+%@*$#\-]*")
_BARE_TEXT = re.compile(r"[\w./+%@*$#][\w./+%@*$#\-]*")


@dataclass(frozen=True, slots=True)
class Literal:
    """A value: `ERROR`, `"a b"`, `-5`.

    Attributes:
        text: The value.
        quoted: Whether it was in quotes; `NULL_VALUE` and `*` mean themselves only without.
    """

    text: str
    quoted: bool = True


@dataclass(frozen=True, slots=True)
class Comparison:
    """`path operator value`; the operator is one of `= != < <= > >= : =~ !~`."""

    path: tuple[str, ...]
    operator: str
    value: Literal


@dataclass(frozen=True, slots=True)
class Search:
    """A value alone: it is looked for in every field."""

    value: Literal


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a function: a path, or a text in quotes.

    Attributes:
        path: The segments; one segment when quoted.
        quoted: Whether it is one text in quotes.
    """

    path: tuple[str, ...]
    quoted: bool = False

    @property
    def text(self) -> str:
        """The argument as one text."""
        return ".".join(self.path)


@dataclass(frozen=True, slots=True)
class Function:
    """`name(argument, ...)`."""

    name: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The contrary of a query."""

    query: "Query"


@dataclass(frozen=True, slots=True)
class Both:
    """Every one of several queries; holds when there are none."""

    queries: tuple["Query", ...]


@dataclass(frozen=True, slots=True)
class Either:
    """At least one of several queries."""

    queries: tuple["Query", ...]


Query = Comparison | Search | Function | Not | Both | Either


def print_query(query: Query) -> str:
    """A query as text that reads as the same tree.

    >>> print_query(
    ...     Both((Search(Literal("a b")), Not(Comparison(("severity",), "=", Literal("X")))))
    ... )
    '("a b" AND NOT severity="X")'
    """
    match query:
        case Comparison(path, operator, value):
            text = f"{_path(path)}{operator}{_literal(value)}"
        case Search(value):
            text = _literal(value)
        case Function(name, arguments):
            text = f"{name}({', '.join(map(_argument, arguments))})"
        case Not(inner):
            text = f"NOT {print_query(inner)}"
        case Both(queries):
            text = _joined(" AND ", queries)
        case Either(queries):
            text = _joined(" OR ", queries)
        case _:
            assert_never(query)
    return text


def _joined(word: str, queries: tuple[Query, ...]) -> str:
    return f"({word.join(map(print_query, queries))})" if queries else ""


def _literal(value: Literal) -> str:
    bare = not value.quoted and _BARE_TEXT.fullmatch(value.text.removeprefix("-"))
    return value.text if bare and value.text not in KEYWORDS else quoted(value.text)


def _argument(argument: Argument) -> str:
    return quoted(argument.path[0]) if argument.quoted else _path(argument.path)


def _path(path: tuple[str, ...]) -> str:
    return ".".join(
        segment if _BARE.fullmatch(segment) and segment not in KEYWORDS else quoted(segment)
        for segment in path
    )
