"""Reads a query: tokens, selectors, and precedence climbing over expressions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import inf, nan

from mockserver.apis.monitoring.promql.nodes import (
    DURATION,
    KIND_NAMES,
    SECOND,
    Aggregation,
    Binary,
    Call,
    Kind,
    Matcher,
    Matching,
    Negation,
    Node,
    Number,
    PromqlError,
    Range,
    Selector,
    Shift,
    Subquery,
    Text,
    read_duration,
)
from mockserver.apis.monitoring.promql.signatures import AGGREGATORS, SIGNATURES, kind_of
from mockserver.apis.monitoring.promql.vectors import NAME, check_matcher, matches_text

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


def unquote(text: str) -> str:
    r"""The text that a string token stands for.

    >>> unquote(r'"a\nb"'), unquote("`a`")
    ('a\nb', 'a')
    """
    inner = text[1:-1]
    return inner if text[0] == "`" else _ESCAPE.sub(_unescape_match, inner)


def _unescape_match(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if code[0] in "xu" and len(code) > 1 else _ESCAPES.get(code, code)


_KINDS = {"end": "end of input", "word": "identifier", "text": "string", "sign": ""}


class Cursor:
    """The place in a query, a token ahead."""

    def __init__(self, query: str) -> None:
        self._query = query
        self._tokens = tokens(query)
        self.depth = self.operators = 0
        self.token = next(self._tokens)

    def unexpected(self, where: str = "") -> PromqlError:
        """The error for the token that is next."""
        shown = _KINDS.get(self.token.kind, self.token.kind)
        if self.token.kind != "end":
            shown = f'{shown} "{self.token.text}"'.lstrip()
        return self.error(f"unexpected {shown}{where}")

    def error(self, why: str, token: Token | None = None) -> PromqlError:
        """An error at a token, or at the next one."""
        return error_at(self._query, (token or self.token).place, why)

    def step(self) -> Token:
        """Step over the next token; that token."""
        before = self.token
        self.token = next(self._tokens)
        return before

    def is_next(self, *texts: str) -> bool:
        """Whether the next token is one of these signs or words."""
        return self.token.kind in {"sign", "word"} and self.token.text.lower() in texts

    def take(self, *texts: str) -> bool:
        """Step over the next token when it is one of these; whether it was."""
        found = self.is_next(*texts)
        if found:
            self.step()
        return found

    def expect(self, text: str, where: str = "") -> None:
        """Step over a sign that must come next.

        Raises:
            PromqlError: Something else comes.
        """
        if not self.take(text):
            raise self.unexpected(where)

    def names(self) -> tuple[str, ...]:
        """Label names in parentheses."""
        self.expect("(", " in grouping opts")
        names: list[str] = []
        while not self.take(")"):
            if names:
                self.expect(",", " in grouping opts")
                if self.take(")"):
                    break
            names.append(self.name(" in grouping opts"))
        return tuple(names)

    def name(self, where: str) -> str:
        """A label name, bare or quoted."""
        if self.token.kind == "text":
            return unquote(self.step().text)
        if self.token.kind != "word":
            raise self.unexpected(where)
        return self.step().text


_MATCHES = frozenset({"=", "!=", "=~", "!~"})


class SelectorReader(Cursor):
    """Reads what stands around a selector."""

    def selector(self, name: str, token: Token) -> Node:
        """An instant vector selector; its name has been read.

        Raises:
            PromqlError: It is none, or would select everything.
        """
        matchers = [Matcher(NAME, "=", name)] if name else []
        if self.take("{"):
            while not self.take("}"):
                matchers.append(self._matcher(name))
                if not self.is_next("}"):
                    self.expect(",", " inside braces")
        for matcher in matchers:
            check_matcher(matcher, lambda why: self.error(why, token))
        if all(matches_text(matcher, "") for matcher in matchers):
            raise self.error("vector selector must contain at least one non-empty matcher", token)
        return Selector(tuple(matchers))

    def _matcher(self, name: str) -> Matcher:
        quoted = self.token.kind == "text"
        label = self.name(" inside braces")
        if quoted and self.is_next(",", "}"):
            if name:
                raise self.error("metric name must not be set twice")
            return Matcher(NAME, "=", label)
        if not self.is_next(*_MATCHES):
            raise self.unexpected(" inside braces, expected label matching operator")
        operator = self.step().text
        if self.token.kind != "text":
            raise self.unexpected(" in label matching, expected string")
        return Matcher(label, operator, unquote(self.step().text))

    def postfix(self, node: Node) -> Node:
        """An expression with the ranges and modifiers that follow it."""
        while self.is_next("[", "offset", "@"):
            sign = self.step()
            if sign.text == "[":
                node = self._bracket(node, sign)
            elif sign.text == "@":
                node = self._read_shift(node, sign, at=self._read_moment())
            else:
                node = self._read_shift(node, sign, offset=self._read_offset())
        return node

    def _bracket(self, node: Node, sign: Token) -> Node:
        span = self._read_duration()
        if self.take(":"):
            step = 0 if self.is_next("]") else self._read_duration()
            self.expect("]", " in subquery selector")
            if kind_of(node) != "vector":
                raise self.error("subquery is only allowed on instant vector", sign)
            return Subquery(node, span, step)
        self.expect("]", " in range selector")
        if not isinstance(node, Selector):
            raise self.error("ranges only allowed for vector selectors", sign)
        return Range(node, span)

    def _read_duration(self) -> int:
        if self.token.kind not in {"duration", "number"}:
            raise self.unexpected(", expected duration")
        found = read_duration(self.step().text)
        if found <= 0:
            raise self.error("duration must be greater than 0")
        return found

    def _read_offset(self) -> int:
        sign = -1 if self.take("-") else 1
        return sign * self._read_duration()

    def _read_moment(self) -> int | str:
        if self.token.kind == "word" and self.token.text in {"start", "end"}:
            found = self.step().text
            self.expect("(")
            self.expect(")")
            return found
        sign = -1 if self.take("-") else 1
        if self.token.kind != "number":
            raise self.unexpected(" in @, expected timestamp")
        return round(sign * parse_number(self.step().text) * SECOND)

    def _read_shift(self, node: Node, sign: Token, **given: int | str) -> Node:
        match node:
            case Selector():
                return Selector(node.matchers, _with_shift(node.shift, given))
            case Range():
                inner = node.selector
                return Range(Selector(inner.matchers, _with_shift(inner.shift, given)), node.span)
            case Subquery():
                return Subquery(node.inner, node.span, node.step, _with_shift(node.shift, given))
            case _:
                text = (
                    f"{sign.text} modifier must be preceded by an instant vector selector or range"
                )
                raise self.error(text + " vector selector or a subquery", sign)


def _with_shift(shift: Shift, given: dict[str, int | str]) -> Shift:
    return Shift(**{"offset": shift.offset, "at": shift.at, **given})  # type: ignore[arg-type]


def parse_number(text: str) -> float:
    """The number that a token stands for."""
    return float(int(text, 16)) if text[:2].lower() == "0x" else float(text)


_LEVELS = {
    "or": 1,
    **dict.fromkeys(("and", "unless"), 2),
    **dict.fromkeys(("==", "!=", "<=", "<", ">=", ">"), 3),
    **dict.fromkeys(("+", "-"), 4),
    **dict.fromkeys(("*", "/", "%", "atan2"), 5),
    "^": 6,
}
_POWER = 6
COMPARISONS = frozenset({"==", "!=", "<=", "<", ">=", ">"})
SETS = frozenset({"and", "or", "unless"})
_LITERALS = frozenset({"text", "duration", "number"})
_DEEPEST = 60
_MOST_OPERATORS = 250
"""A chain of operators is as deep as it is long."""

_LONGEST = 50_000


@lru_cache(maxsize=256)
def parse(query: str) -> Node:
    """Read a query.

    Raises:
        PromqlError: It is none; the message begins with line and column.
    """
    if len(query) > _LONGEST:
        raise PromqlError(f"the query is longer than {_LONGEST:,} characters")
    reader = _ExpressionReader(query)
    node = reader.expression(0)
    if reader.token.kind != "end":
        raise reader.unexpected()
    return node


def parse_selector(text: str) -> tuple[Matcher, ...]:
    """Read a series selector (`up{job="a"}`).

    Raises:
        PromqlError: It is none.
    """
    node = parse(text)
    if not isinstance(node, Selector) or node.shift != Shift():
        raise PromqlError("1:1: parse error: expected a series selector")
    return node.matchers


class _ExpressionReader(SelectorReader):
    """Reads one query from left to right."""

    def expression(self, level: int) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.error(f"nested deeper than {_DEEPEST} levels")
        left = self._unary()
        while (found := _LEVELS.get(self.token.text.lower(), 0)) > level and self.is_next(*_LEVELS):
            left = self._binary(left, found)
        self.depth -= 1
        return left

    def _unary(self) -> Node:
        if not self.is_next("-", "+"):
            return self.postfix(self._primary())
        sign = self.step()
        inner = self.expression(_POWER - 1)
        if kind_of(inner) not in {"scalar", "vector"}:
            raise self.error("unary expression only allowed on scalars and instant vectors", sign)
        if sign.text == "+":
            return inner
        return Number(-inner.value) if isinstance(inner, Number) else Negation(inner)

    def _binary(self, left: Node, level: int) -> Node:
        sign = self.step()
        self.operators += 1
        if self.operators > _MOST_OPERATORS:
            raise self.error(f"more than {_MOST_OPERATORS} operators", sign)
        operator = sign.text.lower()
        returns_bool = self.take("bool")
        if returns_bool and operator not in COMPARISONS:
            raise self.error("bool modifier can only be used on comparison operators", sign)
        matching = self._matching(operator)
        right = self.expression(level - (operator == "^"))
        self._check_sides(operator, left, right, sign)
        both_scalar = kind_of(left) == kind_of(right) == "scalar"
        if operator in COMPARISONS and both_scalar and not returns_bool:
            raise self.error("comparisons between scalars must use BOOL modifier", sign)
        return Binary(operator, left, right, returns_bool, matching)

    def _check_sides(self, operator: str, left: Node, right: Node, sign: Token) -> None:
        kinds = {kind_of(left), kind_of(right)}
        if not kinds <= {"scalar", "vector"}:
            text = "binary expression must contain only scalar and instant vector types"
            raise self.error(text, sign)
        if operator in SETS and "scalar" in kinds:
            text = f'set operator "{operator}" not allowed in binary scalar expression'
            raise self.error(text, sign)

    def _matching(self, operator: str) -> Matching:
        if not self.is_next("on", "ignoring"):
            return Matching()
        on = self.step().text.lower() == "on"
        labels = self.names()
        if not self.is_next("group_left", "group_right"):
            return Matching(on, labels)
        group = self.step()
        if operator in SETS:
            raise self.error(f'no grouping allowed for "{operator}" operation', group)
        include = self.names() if self.is_next("(") else ()
        return Matching(
            on, labels, "left" if group.text.lower() == "group_left" else "right", include
        )

    def _primary(self) -> Node:
        token = self.token
        if token.kind in _LITERALS:
            return self._literal(self.step())
        if token.kind == "word":
            return self._word()
        if self.is_next("{"):
            return self.selector("", token)
        if not self.take("("):
            raise self.unexpected()
        inner = self.expression(0)
        self.expect(")", " in paren expression")
        return inner

    def _literal(self, token: Token) -> Node:
        if token.kind == "text":
            return Text(unquote(token.text))
        if token.kind == "duration":
            return Number(read_duration(token.text) / SECOND)
        return Number(parse_number(token.text))

    def _word(self) -> Node:
        token = self.step()
        name = token.text
        if name.lower() in {"inf", "nan"}:
            return Number(inf if name.lower() == "inf" else nan)
        if name.lower() in AGGREGATORS and self.is_next("(", "by", "without"):
            return self._aggregation(name.lower())
        if self.is_next("("):
            return self._call(token)
        return self.selector(name, token)

    def _aggregation(self, operator: str) -> Node:
        grouping = self._grouping()
        self.expect("(")
        parameter = None
        wanted = AGGREGATORS[operator]
        if wanted is not None:
            parameter = self._argument(wanted, f"aggregation {operator}")
            self.expect(",", f" in aggregation {operator}")
        inner = self._argument("vector", f"aggregation {operator}")
        self.expect(")", " in aggregation")
        labels, without = grouping or self._grouping() or ((), False)
        return Aggregation(operator, inner, parameter, labels, without)

    def _grouping(self) -> tuple[tuple[str, ...], bool] | None:
        if not self.is_next("by", "without"):
            return None
        without = self.step().text.lower() == "without"
        return self.names(), without

    def _call(self, name: Token) -> Node:
        signature = SIGNATURES.get(name.text)
        if signature is None:
            raise self.error(f'unknown function with name "{name.text}"', name)
        self.step()
        arguments: list[Node] = []
        takes = signature.takes
        while not self.take(")"):
            if arguments:
                self.expect(",", f' in call to function "{name.text}"')
            if len(arguments) >= len(takes) and not signature.variadic:
                raise self._bad_argument_count(name, len(takes))
            wanted = takes[min(len(arguments), len(takes) - 1)]
            arguments.append(self._argument(wanted, f'call to function "{name.text}"'))
        if len(arguments) < len(takes) - signature.optional - signature.variadic:
            raise self._bad_argument_count(name, len(takes) - signature.optional)
        return Call(name.text, tuple(arguments))

    def _bad_argument_count(self, name: Token, wanted: int) -> PromqlError:
        return self.error(f'expected {wanted} argument(s) in call to "{name.text}"', name)

    def _argument(self, wanted: Kind, where: str) -> Node:
        start = self.token
        node = self.expression(0)
        found = kind_of(node)
        if found != wanted:
            text = f"expected type {KIND_NAMES[wanted]} in {where}, got {KIND_NAMES[found]}"
            raise self.error(text, start)
        return node
