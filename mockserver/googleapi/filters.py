"""The filter languages of Google's APIs: one tokenizer and one parser.

A `FilterDialect` is a table of what the tokens of a language look like and how they combine; it
stands beside the API that speaks it. AIP-160, which many APIs share, is here. A language without
operators (terms side by side) is one pattern, which `read_terms` reads.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, Literal

from mockserver.googleapi.filter_trees import (
    And,
    Argument,
    Comparison,
    Filter,
    Function,
    L,
    Leaf,
    Not,
    Or,
    R,
    Text,
    Tree,
    Value,
    tree_test,
)

Kind = Literal["name", "word", "operator", "keyword", "sign", "call", "skip", "unreadable", "end"]
"""What a token is.

`name` is a field's name, `word` a value, or either; `call` the parenthesis of a function's
arguments; `skip` means nothing.
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
        closing: The sign that is missing.
    """

    def __init__(
        self, message: str, problem: Problem = "length", token: Token = START, closing: str = ""
    ) -> None:
        super().__init__(message)
        self.problem = problem
        self.token = token
        self.closing = closing

    def line_and_column(self, text: str) -> tuple[int, int]:
        """Where in a filter its token begins, counted from 1."""
        place = self.token.place
        return text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)


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
        or_first: Whether OR binds tighter than AND.
        empty_groups: Whether parentheses may be empty.
        value_groups: Whether a field may be compared with values in parentheses.
        texts: Whether a value may stand without a field.
        dotted: Whether the segments of a path may be quoted.
        signed_values: Whether `-` before a value is a token of its own.
        functions: Names that are functions where a value may stand.
        tokens_first: Whether a character that begins no token is reported before any other error.
        loose: Whether AND may stand at the beginning or the end, or be repeated, a value may be
            missing (those in parentheses must then follow the operator at once), and values in
            parentheses may have fields of their own.
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
    or_first: bool = True
    empty_groups: bool = True
    value_groups: bool = False
    texts: bool = True
    dotted: bool = False
    signed_values: bool = False
    functions: frozenset[str] = frozenset()
    tokens_first: bool = False
    loose: bool = False
    deepest: int = 40

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a filter, the end included; a character that begins none ends them."""
        found: list[Token] = []
        place, table, blank = 0, self.terms, re.compile(self.blank)
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
        quoted = kind in {"name", "word"} and text[0] in self.quotes
        if quoted:
            text = self.unescape(text[1:].removesuffix(text[0]))
        return Token(kind, text, match.start(), match.end(), quoted)

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


def parse(text: str, dialect: FilterDialect, leaf: Callable[[Leaf], Tree[L]]) -> Tree[L]:
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

    def __init__(self, text: str, dialect: FilterDialect, leaf: Callable[[Leaf], Tree[L]]) -> None:
        self._text = text
        self._dialect = dialect
        self._leaf_of = leaf
        self._tokens = dialect.tokens(text)
        self._next = 0
        self._left: tuple[tuple[str, ...], str] | None = None
        """Path and operator that the values in parentheses are compared by."""

    def read(self) -> Tree[L]:
        if len(self._tokens) == 1:
            return And(())
        if self._dialect.tokens_first and self._tokens[-2].kind == "unreadable":
            self._next = len(self._tokens) - 2
            raise self._no_value()
        tree = self._expression(0)
        if self._now.kind != "end":
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

    def _is_keyword(self, keywords: frozenset[str]) -> bool:
        return self._now.kind == "keyword" and self._now.text.upper() in keywords

    def _takes(self, keywords: frozenset[str]) -> bool:
        found = self._is_keyword(keywords)
        self._next += found
        return found

    def _is(self, *signs: str) -> bool:
        return self._now.kind in {"sign", "call"} and self._now.text in signs

    def _is_over(self) -> bool:
        return self._now.kind == "end" or self._is(")", "}")

    def _error(self, problem: Problem, message: str, closing: str = "") -> FilterError:
        return FilterError(message, problem, self._now, closing)

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
        joins: type[And[Any]] | type[Or[Any]] = Or if closing == "}" else And
        if self._dialect.empty_groups and self._is_over():
            return joins(())
        if self._dialect.loose:
            self._takes(self._dialect.and_)
        return self._terms(depth, joins, outer=True)

    def _terms(self, depth: int, joins: type[And[Any]] | type[Or[Any]], *, outer: bool) -> Tree[L]:
        """Terms that OR joins, or those that AND or nothing joins: the looser of both outside."""
        is_or = outer is not self._dialect.or_first
        parts: list[Tree[L]] = []
        while not parts or (self._takes(self._dialect.or_) if is_or else self._joins()):
            parts.append(self._terms(depth, joins, outer=False) if outer else self._term(depth))
        if len(parts) == 1:
            return parts[0]
        return Or(tuple(parts)) if is_or else joins(tuple(parts))

    def _joins(self) -> bool:
        """Whether another part of a conjunction follows; a written AND is taken."""
        dialect, taken = self._dialect, self._takes(self._dialect.and_)
        if taken and not dialect.loose:
            return True
        while self._takes(dialect.and_):
            pass
        more = taken or not self._is_keyword(dialect.or_)
        return dialect.implicit_and and not self._is_over() and more

    def _term(self, depth: int) -> Tree[L]:
        self._check_depth(depth)
        not_ = self._dialect.not_
        if self._dialect.signed_values and self._left is not None:
            not_ -= {"-"}
        if self._takes(not_):
            return Not(self._term(depth + 1))
        return self._group(depth + 1) if self._is("(", "{") else self._leaf(depth)

    def _group(self, depth: int) -> Tree[L]:
        closing = _CLOSING[self._advance().text]
        inner = self._expression(depth, closing)
        self._expect_closing(closing)
        return inner

    def _leaf(self, depth: int) -> Tree[L]:
        dialect, first = self._dialect, self._now
        if self._left is not None and not dialect.loose:
            value = self._value()
            if self._now.kind in {"operator", "call"}:
                field = ".".join(self._left[0])
                raise self._error("values", f"expected values in the parentheses after {field!r}")
            return self._leaf_of(Comparison(*self._left, value))
        if not dialect.texts and first.kind != "name":
            raise self._no_value()
        operand = self._operand()
        if first.kind == "name" and self._now.kind != "operator" and not self._is("("):
            raise self._no_value()
        if self._is("(") and (self._now.kind == "call" or not dialect.texts):
            return self._leaf_of(self._function(operand.text))
        if self._now.kind == "operator":
            if dialect.dotted and "" in operand.path:
                raise FilterError("a field has no name", "value", first)
            return self._comparison(operand.path, depth)
        value = Value(operand.text, operand.quoted)
        return self._leaf_of(Comparison(*self._left, value) if self._left else Text(value))

    def _comparison(self, path: tuple[str, ...], depth: int) -> Tree[L]:
        dialect, operator = self._dialect, self._advance()
        follows = self._now.place == operator.end or not dialect.loose
        if dialect.value_groups and self._is("(", "{") and follows:
            outer, self._left = self._left, (path, operator.text)
            inner = self._group(depth + 1)
            self._left = outer
            return inner
        value: Value | Function = Value("", quoted=False)
        if self._now.text in dialect.functions and not self._now.quoted:
            name = self._advance().text
            if not self._is("("):
                raise self._no_value()
            value = self._function(name)
        elif not dialect.loose or self._now.kind == "word":
            value = self._value()
        return self._leaf_of(Comparison(path, operator.text, value))

    def _value(self) -> Value:
        token = self._now
        if self._dialect.signed_values and self._takes(frozenset("-")):
            if self._now.kind == "end" or self._now.quoted or self._now.place != token.end:
                raise self._no_value()
            return Value(f"-{self._word().text}", quoted=False)
        token = self._word()
        return Value(token.text, token.quoted)

    def _word(self) -> Token:
        kinds = {"name", "word", "keyword"} if self._dialect.loose else {"name", "word"}
        if self._now.kind not in kinds or self._is_reserved():
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

    def _function(self, name: str) -> Function:
        self._advance()
        found: list[Argument] = []
        while not self._is(")"):
            if found:
                if not self._is(","):
                    self._expect_closing(")", f" after {name}")
                self._advance()
            found.append(self._operand())
        self._advance()
        return Function(name, tuple(found))


def _segments(token: Token) -> list[str]:
    return [token.text] if token.quoted else token.text.split(".")


def read_terms(text: str, term: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """The terms of a language without operators, from left to right.

    Args:
        text: The filter.
        term: One term, with the blanks before it.

    Yields:
        A match for each term.

    Raises:
        FilterError: Something else follows; its token begins where the last term ends.
    """
    place = 0
    while place < len(text):
        match = term.match(text, place)
        if match is None:
            token = Token("unreadable", text[place], place, place + 1)
            raise FilterError(f"expected a value at position {place}", "value", token)
        yield match
        place = match.end()


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


def filter_test(
    text: str,
    leaf_test: Callable[[Leaf], Callable[[R], bool]],
    refusal: Callable[[FilterError], Exception],
) -> Callable[[R], bool]:
    """The test that a filter of AIP-160 puts to a row.

    Args:
        text: The filter; blank text holds for every row.
        leaf_test: The test that a leaf puts to a row; may refuse the leaf.
        refusal: The error for a text that is not in the language.

    Raises:
        Exception: What `refusal` makes.
    """
    try:
        tree = parse_filter(text)
    except FilterError as error:
        raise refusal(error) from error
    return tree_test(tree, leaf_test)
