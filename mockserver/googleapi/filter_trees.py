"""What filters mean: their trees, the test that a tree puts to a row, the rows that it selects.

The tree has `And`, `Or` and `Not` over leaves. A leaf is a `Comparison`, a `Text` or a `Function`,
or what an API makes of one of these.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Generic, TypeAlias, TypeVar

from mockserver.collections import Store
from mockserver.collections.selections import AllOf, AnyOf, ByTest, Selection, Without
from mockserver.model import JsonObject


@dataclass(frozen=True, slots=True)
class Value:
    """A value as it was written.

    Attributes:
        text: The value.
        quoted: Whether it was in quotes.
    """

    text: str
    quoted: bool = True


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
class Text:
    """A value without a field: looked for in whatever an API searches."""

    value: Value

    @property
    def text(self) -> str:
        """The value as text."""
        return self.value.text


@dataclass(frozen=True, slots=True)
class Function:
    """`name(argument, ...)`."""

    name: str
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """`field operator value`.

    Attributes:
        path: The field; several segments in dialects whose segments may be quoted.
        operator: An operator of the dialect.
        value: What it is compared with.
    """

    path: tuple[str, ...]
    operator: str
    value: Value | Function

    @property
    def field(self) -> str:
        """The field as one text."""
        return ".".join(self.path)

    @property
    def literal(self) -> Value:
        """The value; empty for a function."""
        return self.value if isinstance(self.value, Value) else Value("")

    @property
    def text(self) -> str:
        """The value as text; empty for a function."""
        return self.literal.text


Leaf = Comparison | Text | Function
L = TypeVar("L")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Not(Generic[L]):
    """The contrary of a filter."""

    filter: "Tree[L]"


@dataclass(frozen=True, slots=True)
class And(Generic[L]):
    """Every one of several filters; holds when there are none."""

    filters: "tuple[Tree[L], ...]"


@dataclass(frozen=True, slots=True)
class Or(Generic[L]):
    """At least one of several filters."""

    filters: "tuple[Tree[L], ...]"


Tree: TypeAlias = L | Not[L] | And[L] | Or[L]
Filter: TypeAlias = Tree[Leaf]


def leaves(tree: Tree[Any]) -> tuple[Any, ...]:
    """The leaves of a filter, from left to right."""
    if isinstance(tree, Not):
        return leaves(tree.filter)
    if isinstance(tree, And | Or):
        return tuple(leaf for part in tree.filters for leaf in leaves(part))
    return (tree,)


def tree_test(
    tree: Tree[Any],
    leaf_test: Callable[[Any], Callable[[R], bool]],
    cost: Callable[[Tree[Any]], int] | None = None,
) -> Callable[[R], bool]:
    """The test that a tree puts to a row.

    Args:
        tree: The filter.
        leaf_test: The test that a leaf puts to a row.
        cost: What the test of a part costs; those that cost least are asked first.
    """
    if isinstance(tree, Not):
        inner = tree_test(tree.filter, leaf_test, cost)
        return lambda row: not inner(row)
    if not isinstance(tree, And | Or):
        return leaf_test(tree)
    parts = tree.filters if cost is None else sorted(tree.filters, key=cost)
    tests = tuple(tree_test(part, leaf_test, cost) for part in parts)
    if len(tests) == 1:
        return tests[0]
    return _any_of(tests) if isinstance(tree, Or) else _all_of(tests)


def _all_of(tests: tuple[Callable[[R], bool], ...]) -> Callable[[R], bool]:
    if len(tests) == 2:
        one, other = tests
        return lambda row: one(row) and other(row)

    def test(row: R) -> bool:
        for each in tests:  # noqa: SIM110  (a generator for each row costs more)
            if not each(row):
                return False
        return True

    return test


def _any_of(tests: tuple[Callable[[R], bool], ...]) -> Callable[[R], bool]:
    def test(row: R) -> bool:
        for each in tests:  # noqa: SIM110  (a generator for each row costs more)
            if each(row):
                return True
        return False

    return test


def tree_selection(
    tree: Tree[Any],
    store: Store,
    leaf_test: Callable[[Any], Callable[[JsonObject], bool]],
    look_up: Callable[[Any], Selection | None],
    words: str,
) -> Selection:
    """The rows of a store that a tree means.

    Args:
        tree: The filter.
        store: The rows.
        leaf_test: The test that a leaf puts to a row.
        look_up: The rows of a leaf, where an index knows exactly those.
        words: What is asked, for explanations.
    """
    if isinstance(tree, Not | And | Or):
        inner = (tree.filter,) if isinstance(tree, Not) else tree.filters
        parts = [tree_selection(part, store, leaf_test, look_up, words) for part in inner]
        if not all(isinstance(part, ByTest) for part in parts):
            if isinstance(tree, Not):
                return Without(store, parts[0])
            return AnyOf(parts) if isinstance(tree, Or) else AllOf(parts)
    elif (found := look_up(tree)) is not None:
        return found
    return ByTest(store, tree_test(tree, leaf_test), words[:80])


ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip
"""What the operators of most languages compare by."""
_WORD = re.compile(r"\w+")
_OF_ASCII = {code: chr(code).lower() if _WORD.match(chr(code)) else " " for code in range(128)}


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case.

    >>> words_of("Re: Größe, e-mail_2")
    ['re', 'grösse', 'e', 'mail_2']
    """
    if text.isascii():  # most texts are, and this takes a fifth of the time
        return text.translate(_OF_ASCII).split()
    return _WORD.findall(text.casefold())


def has_phrase(words: Sequence[str], phrase: Sequence[str], *, prefix: bool = False) -> bool:
    """Whether the words of a phrase stand among others, in order and side by side.

    Args:
        words: The words of a text.
        phrase: The words that are looked for.
        prefix: Whether the last may be the beginning of a word.

    >>> has_phrase(["mary", "jane", "smith"], ["jane", "smi"], prefix=True)
    True
    """
    size = len(phrase)
    runs = (words[start : start + size] for start in range(len(words) - size + 1))
    if prefix:
        *whole, last = phrase
        return any(run[:-1] == whole and run[-1].startswith(last) for run in runs)
    return phrase in runs


def matches_wildcards(text: str, pattern: str) -> bool:
    """Whether the whole of a text meets a pattern.

    >>> matches_wildcards("projects/shop/things/cart", "*/shop/*rt")
    True
    >>> matches_wildcards("shop", "sh")
    False
    """
    first, *others = pattern.split("*")
    if not others:
        return text == first
    if not text.startswith(first):
        return False
    rest = text[len(first) :]
    for part in others[:-1]:
        place = rest.find(part)
        if place < 0:
            return False
        rest = rest[place + len(part) :]
    return rest.endswith(others[-1])
