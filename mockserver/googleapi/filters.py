"""The filter languages of Google's APIs: one tokenizer, one parser, and a `FilterDialect` for each.

A dialect is a table of what its tokens look like and how they combine; it stands beside the API
that speaks it. AIP-160, which many APIs share, is here.

The result is a tree of `And`, `Or` and `Not` over leaves. A leaf is a `Comparison`, a `Text` or a
`Function`, or what the API makes of one of these.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Generic, Literal, TypeAlias, TypeVar, overload

Kind = Literal[
    "name",
    "word",
    "operator",
    "keyword",
    "sign",
    "call",
    "prefix",
    "suffix",
    "skip",
    "unreadable",
    "end",
]
"""What a token is.

`name` is a field's name, `word` a value, or either; `call` the parenthesis of a function's
arguments; `prefix` and `suffix` are signs at a term that change how it is compared; `skip` means
nothing.
"""
Problem = Literal["value", "closing", "unexpected", "values", "depth", "length"]

QUOTED = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
"""A string in double or single quotes, with escapes."""

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_CLOSING = {"(": ")", "{": "}"}


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a filter.

    Attributes:
        kind: What it is.
        text: The token; of a string what is inside its quotes, escapes read.
        place: Where it begins, counted from 0.
        end: Where it ends.
        quoted: Whether it is a string.
    """

    kind: Kind
    text: str
    place: int
    end: int
    quoted: bool = False


START = Token("end", "", 0, 0)


class FilterError(ValueError):
    """A filter that is not in its language.

    Attributes:
        problem: What is wrong: a `value` or a `closing` sign is missing, a token is `unexpected`,
            something other than `values` is in the parentheses of a field, or the filter is too
            deep (`depth`) or too long (`length`).
        token: The token at which reading stopped.
        complete: Where the last complete term ends.
        closing: The sign that is missing.
    """

    def __init__(
        self,
        message: str,
        problem: Problem = "length",
        token: Token = START,
        complete: int = 0,
        closing: str = "",
    ) -> None:
        super().__init__(message)
        self.problem = problem
        self.token = token
        self.complete = complete
        self.closing = closing

    def line_and_column(self, text: str) -> tuple[int, int]:
        """Where in a filter its token begins, counted from 1."""
        place = self.token.place
        return text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)


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
    modifiers: str = ""

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
class Record:
    """Comparisons in braces, where a value may stand: `{key='a' and value='b'}`."""

    comparisons: tuple["Comparison", ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`field operator value`.

    Attributes:
        path: The field; several segments in dialects whose segments may be quoted.
        operator: An operator of the dialect.
        value: What it is compared with.
        modifiers: The signs beside the value.
    """

    path: tuple[str, ...]
    operator: str
    value: Value | Function | Record
    modifiers: str = ""

    @property
    def field(self) -> str:
        """The field as one text."""
        return ".".join(self.path)

    @property
    def literal(self) -> Value:
        """The value; empty for a function or a record."""
        return self.value if isinstance(self.value, Value) else Value("")

    @property
    def text(self) -> str:
        """The value as text; empty for a function or a record."""
        return self.literal.text


Leaf = Comparison | Text | Function
L = TypeVar("L")


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


@overload
def holds(tree: Filter, test: Callable[[Leaf], bool]) -> bool: ...


@overload
def holds(tree: Tree[L], test: Callable[[L], bool]) -> bool: ...


def holds(tree: Tree[Any], test: Callable[[Any], bool]) -> bool:
    """Whether a filter holds, when `test` says which of its leaves do."""
    if isinstance(tree, Not):
        return not holds(tree.filter, test)
    if isinstance(tree, And):
        return all(holds(part, test) for part in tree.filters)
    if isinstance(tree, Or):
        return any(holds(part, test) for part in tree.filters)
    return test(tree)


@overload
def leaves(tree: Filter) -> tuple[Leaf, ...]: ...


@overload
def leaves(tree: Tree[Any]) -> tuple[Any, ...]: ...


def leaves(tree: Tree[Any]) -> tuple[Any, ...]:
    """The leaves of a filter, from left to right."""
    if isinstance(tree, Not):
        return leaves(tree.filter)
    if isinstance(tree, And | Or):
        return tuple(leaf for part in tree.filters for leaf in leaves(part))
    return (tree,)


def unescape(text: str) -> str:
    r"""A text without the backslashes before its characters.

    >>> unescape(r"it\'s")
    "it's"
    """
    return _ESCAPE.sub(r"\1", text)


@dataclass(frozen=True, kw_only=True, eq=False)
class FilterDialect:
    """How one filter language is written.

    What can be read depends on what was read before: the patterns of each table are tried in order.

    Attributes:
        terms: Tokens where a term may begin.
        after_name: Tokens after a `name`; those of `terms` when empty.
        after_operator: Tokens after an operator or a `call`; those of `terms` when empty.
        after_term: Tokens after a `word` or a closing sign; those of `terms` when empty.
        blank: What separates tokens.
        quotes: Characters that begin a string.
        unescape: Reads the escapes of a string.
        and_: Keywords that join two terms, both of which must hold; in any case.
        or_: Keywords that join two terms, one of which must hold.
        not_: Keywords that negate the next term.
        reserved: Words that are no values unless quoted.
        implicit_and: Whether terms side by side are joined by AND.
        loose_and: Whether AND may stand at the beginning or the end, or be repeated.
        or_first: Whether OR binds tighter than AND.
        empty_groups: Whether parentheses may be empty.
        value_groups: Whether a field may be compared with values in parentheses.
        nested_names: Whether such values may have fields of their own.
        empty_values: Whether a value may be missing; values in parentheses must then follow the
            operator at once.
        texts: Whether a value may stand without a field.
        dotted: Whether the segments of a path may be quoted.
        signed_values: Whether `-` before a value is a token of its own.
        membership: An operator before which the value stands, and behind which the field.
        functions: Names that are functions where a value may stand.
        tokens_first: Whether a character that begins no token is reported before any other error.
        deepest: How deep parentheses and negations may nest.
    """

    terms: Mapping[Kind, str]
    after_name: Mapping[Kind, str] = field(default_factory=dict)
    after_operator: Mapping[Kind, str] = field(default_factory=dict)
    after_term: Mapping[Kind, str] = field(default_factory=dict)
    blank: str = r"\s*"
    quotes: str = "\"'"
    unescape: Callable[[str], str] = unescape
    and_: frozenset[str] = frozenset({"AND"})
    or_: frozenset[str] = frozenset({"OR"})
    not_: frozenset[str] = frozenset({"NOT", "-"})
    reserved: frozenset[str] = frozenset()
    implicit_and: bool = True
    loose_and: bool = False
    or_first: bool = True
    empty_groups: bool = True
    value_groups: bool = False
    nested_names: bool = False
    empty_values: bool = False
    texts: bool = True
    dotted: bool = False
    signed_values: bool = False
    membership: str = ""
    functions: frozenset[str] = frozenset()
    tokens_first: bool = False
    deepest: int = 40

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a filter, the end included; a character that begins none ends them."""
        found: list[Token] = []
        blank = re.compile(self.blank)
        place, table = 0, self.terms
        while True:
            space = blank.match(text, place)
            place = space.end() if space else place
            if place >= len(text):
                return [*found, Token("end", "", place, place)]
            match = _pattern(tuple(table.items())).match(text, place)
            if match is None:
                bad = Token("unreadable", text[place], place, place + 1)
                return [*found, bad, Token("end", "", len(text), len(text))]
            token = self._token(match)
            place = token.end
            if token.kind != "skip":
                found.append(token)
                table = self._next_table(token) or self.terms

    def _token(self, match: re.Match[str]) -> Token:
        kind: Kind = match.lastgroup  # type: ignore[assignment]  # the groups are kinds
        text = match.group()
        if kind in {"name", "word"} and text[0] in self.quotes:
            inside = self.unescape(text[1:].removesuffix(text[0]))
            return Token(kind, inside, match.start(), match.end(), quoted=True)
        return Token(kind, text, match.start(), match.end())

    def _next_table(self, token: Token) -> Mapping[Kind, str]:
        if token.kind == "name":
            return self.after_name
        if token.kind in {"operator", "call"}:
            return self.after_operator
        if token.kind == "word" or token.text in _CLOSING.values():
            return self.after_term
        return self.terms


@lru_cache(maxsize=256)
def _pattern(table: tuple[tuple[Kind, str], ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{kind}>{each})" for kind, each in table), re.DOTALL)


def parse(text: str, dialect: FilterDialect, leaf: Callable[[Leaf], L]) -> Tree[L]:
    """Read a filter; blank text is the filter that always holds.

    Args:
        text: The filter.
        dialect: Its language.
        leaf: What to make of each leaf, called as soon as the leaf is read.

    Raises:
        FilterError: The text is not in the language.
    """
    return _Parser(text, dialect, leaf).read()


class _Parser(Generic[L]):
    """Reads one filter from left to right."""

    def __init__(self, text: str, dialect: FilterDialect, leaf: Callable[[Leaf], L]) -> None:
        self._text = text
        self._dialect = dialect
        self._leaf_of = leaf
        self._tokens = dialect.tokens(text)
        self._next = 0
        self._complete = 0
        self._left: tuple[tuple[str, ...], str] | None = None
        """Path and operator that the values in parentheses are compared by."""

    def read(self) -> Tree[L]:
        if self._now.kind == "end":
            return And(())
        if self._dialect.tokens_first and self._tokens[-2].kind == "unreadable":
            self._next = len(self._tokens) - 2
            raise self._no_value()
        tree = self._expression(0)
        if self._next < len(self._tokens) - 1:
            place = self._now.place
            rest = self._text[place : place + 20]
            raise self._error("unexpected", f"unexpected {rest!r} at position {place}")
        return tree

    @property
    def _now(self) -> Token:
        return self._tokens[self._next]

    def _advance(self) -> Token:
        self._next += 1
        return self._tokens[self._next - 1]

    def _takes(self, keywords: frozenset[str]) -> bool:
        found = self._now.kind == "keyword" and self._now.text.upper() in keywords
        self._next += found
        return found

    def _is(self, *signs: str) -> bool:
        return self._now.kind in {"sign", "call"} and self._now.text in signs

    def _is_over(self) -> bool:
        return self._now.kind == "end" or self._is(")", "}")

    def _error(self, problem: Problem, message: str, closing: str = "") -> FilterError:
        return FilterError(message, problem, self._now, self._complete, closing)

    def _no_value(self) -> FilterError:
        place = self._now.end if self._is_reserved() else self._now.place
        return self._error("value", f"expected a value at position {place}")

    def _is_reserved(self) -> bool:
        token = self._now
        return token.kind == "word" and token.text in self._dialect.reserved and not token.quoted

    def _expect_closing(self, sign: str, after: str = "") -> None:
        if not self._is(sign):
            message = f"missing {sign!r}{after} at position {self._now.place}"
            raise self._error("closing", message, sign)
        self._advance()

    def _check_depth(self, depth: int) -> None:
        if depth > self._dialect.deepest:
            raise self._error("depth", f"nested deeper than {self._dialect.deepest} levels")

    def _expression(self, depth: int, closing: str = "") -> Tree[L]:
        """Terms up to a closing sign or the end; in braces one of them must hold."""
        self._check_depth(depth)
        if self._dialect.empty_groups and self._is_over():
            return Or(()) if closing == "}" else And(())
        if self._dialect.loose_and:
            self._takes(self._dialect.and_)
        if not self._dialect.or_first:
            return self._any(depth)
        return self._all(depth, Or if closing == "}" else And)

    def _all(self, depth: int, node: "type[And[L] | Or[L]]" = And) -> Tree[L]:
        read = self._any if self._dialect.or_first else self._term
        parts = [read(depth)]
        while self._joins():
            parts.append(read(depth))
        return parts[0] if len(parts) == 1 else node(tuple(parts))

    def _any(self, depth: int) -> Tree[L]:
        read = self._term if self._dialect.or_first else self._all
        parts = [read(depth)]
        while self._takes(self._dialect.or_):
            parts.append(read(depth))
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _joins(self) -> bool:
        """Whether another part of a conjunction follows; a written AND is taken."""
        taken = self._takes(self._dialect.and_)
        while taken and self._dialect.loose_and and self._takes(self._dialect.and_):
            pass
        if taken and not self._dialect.loose_and:
            return True
        is_or = self._now.kind == "keyword" and self._now.text.upper() in self._dialect.or_
        return self._dialect.implicit_and and not self._is_over() and (taken or not is_or)

    def _term(self, depth: int) -> Tree[L]:
        self._check_depth(depth)
        not_ = self._dialect.not_
        if self._dialect.signed_values and self._left is not None:
            not_ -= {"-"}
        if self._takes(not_):
            return Not(self._term(depth + 1))
        if self._is("(", "{"):
            return self._group(depth + 1)
        leaf = self._leaf(depth)
        self._complete = self._tokens[self._next - 1].end
        return leaf

    def _group(self, depth: int) -> Tree[L]:
        closing = _CLOSING[self._advance().text]
        inner = self._expression(depth, closing)
        self._expect_closing(closing)
        return inner

    def _leaf(self, depth: int) -> Tree[L]:
        if self._left is not None and not self._dialect.nested_names:
            value = self._value()
            if self._now.kind in {"operator", "call"}:
                field = ".".join(self._left[0])
                raise self._error("values", f"expected values in the parentheses after {field!r}")
            return self._leaf_of(Comparison(*self._left, value))
        prefixes = self._modifiers("prefix")
        first = self._now
        operand = self._operand()
        if not self._dialect.texts and first.kind != "name":
            self._next -= 1
            raise self._no_value()
        if first.kind == "name" and self._now.kind != "operator" and not self._is("("):
            raise self._no_value()
        if self._is("(") and (self._now.kind == "call" or not self._dialect.texts):
            return self._leaf_of(Function(operand.text, self._arguments(operand.text)))
        if self._now.kind == "operator":
            if self._dialect.dotted and "" in operand.path:
                raise FilterError("a field has no name", "value", first, self._complete)
            return self._comparison(operand, prefixes, depth)
        value = Value(operand.text, operand.quoted)
        modifiers = prefixes + self._modifiers("suffix")
        if self._left is not None:
            return self._leaf_of(Comparison(*self._left, value, modifiers))
        return self._leaf_of(Text(value, modifiers))

    def _modifiers(self, kind: Kind) -> str:
        found = ""
        while self._now.kind == kind:
            found += self._advance().text
        return found

    def _comparison(self, operand: Argument, prefixes: str, depth: int) -> Tree[L]:
        dialect = self._dialect
        if dialect.membership:
            is_membership = self._now.text.lower() == dialect.membership
            if is_membership is not operand.quoted:
                raise self._no_value()
        operator = self._advance()
        follows = self._now.place == operator.end or not dialect.empty_values
        if dialect.value_groups and self._is("(", "{") and follows:
            outer, self._left = self._left, (operand.path, operator.text)
            inner = self._group(depth + 1)
            self._left = outer
            return inner
        if dialect.membership and operand.quoted:
            if self._now.quoted:
                raise self._no_value()
            made = Comparison((self._value().text,), dialect.membership, Value(operand.text))
        else:
            made = Comparison(operand.path, operator.text, self._compared_value())
        modifiers = prefixes + self._modifiers("suffix")
        return self._leaf_of(replace(made, modifiers=modifiers) if modifiers else made)

    def _compared_value(self) -> Value | Function | Record:
        token = self._now
        if self._is("{"):
            return self._record()
        if token.text in self._dialect.functions and not token.quoted:
            self._advance()
            if not self._is("("):
                raise self._no_value()
            return Function(token.text, self._arguments(token.text))
        if self._dialect.empty_values and token.kind != "word":
            return Value("", quoted=False)
        return self._value()

    def _record(self) -> Record:
        self._advance()
        found: list[Comparison] = []
        while not found or self._takes(self._dialect.and_):
            path = self._operand().path
            if self._now.kind != "operator":
                raise self._no_value()
            found.append(Comparison(path, self._advance().text, self._value()))
        self._expect_closing("}")
        return Record(tuple(found))

    def _value(self) -> Value:
        token = self._now
        if self._dialect.signed_values and self._takes(frozenset("-")):
            if self._now.kind == "end" or self._now.quoted or self._now.place != token.end:
                raise self._no_value()
            return Value(f"-{self._word().text}", quoted=False)
        token = self._word()
        return Value(token.text, token.quoted)

    def _word(self) -> Token:
        token = self._now
        kinds = {"name", "word", "keyword"} if self._dialect.loose_and else {"name", "word"}
        if token.kind not in kinds:
            raise self._no_value()
        if self._is_reserved():
            raise self._no_value()
        return self._advance()

    def _operand(self) -> Argument:
        """A field or a value; where segments may be quoted, words that dots join are one path."""
        last = self._word()
        if not self._dialect.dotted or (last.quoted and not self._continues(last)):
            return Argument((last.text,), last.quoted)
        path = _segments(last)
        while self._continues(last):
            last = self._word()
            more = _segments(last)
            path = [*path[:-1], *more] if path[-1] == "" else [*path, *more[1:]]
        return Argument(tuple(path))

    def _continues(self, last: Token) -> bool:
        """Whether the next token goes on with the path of the last one."""
        token = self._now
        if token.kind not in {"name", "word"} or token.place != last.end:
            return False
        if last.quoted:
            return not token.quoted and token.text.startswith(".")
        return token.quoted and last.text.endswith(".")

    def _arguments(self, name: str) -> tuple[Argument, ...]:
        self._advance()
        found: list[Argument] = []
        while not self._is(")"):
            if found:
                self._expect_separator(name)
            found.append(self._operand())
        self._advance()
        return tuple(found)

    def _expect_separator(self, name: str) -> None:
        if not self._is(","):
            self._expect_closing(")", f" after {name}")
        self._advance()


def _segments(token: Token) -> list[str]:
    return [token.text] if token.quoted else token.text.split(".")


_NAME = r"[A-Za-z_][\w.\-]*+"
_OPERATOR = r"<=|>=|!=|=|<|>|:"

AIP_160 = FilterDialect(
    terms={
        "keyword": r"NOT(?=[ (]|\Z)|-",
        "sign": r"[()]",
        "name": rf"{_NAME}(?=\(|\s*(?:{_OPERATOR}))",
        "word": rf"{QUOTED}|[^\s()\"']+",
    },
    after_name={"call": r"\(", "operator": _OPERATOR},
    after_operator={"sign": r"\(|(?<=\()\)", "word": rf"{QUOTED}|[^\s()\"']+"},
    after_term={
        "keyword": r"(?:AND|OR|NOT)(?=[ (]|\Z)|-",
        "sign": r"[()]",
        "name": rf"{_NAME}(?=\(|\s*(?:{_OPERATOR}))",
        "word": rf"{QUOTED}|[^\s()\"']+",
    },
    reserved=frozenset({"AND", "OR", "NOT"}),
    value_groups=True,
)
"""The language of AIP-160; OR binds tighter than AND."""


@lru_cache(maxsize=256)
def parse_filter(text: str) -> Filter:
    """Read a filter of AIP-160; blank text is the filter that always holds.

    Raises:
        FilterError: The text is not in the language.

    >>> parse_filter('os_platform=Windows -"ws 1"') == And(
    ...     (
    ...         Comparison(("os_platform",), "=", Value("Windows", quoted=False)),
    ...         Not(Text(Value("ws 1"))),
    ...     )
    ... )
    True
    """
    return parse(text, AIP_160, lambda leaf: leaf)


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
