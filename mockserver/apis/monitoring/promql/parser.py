"""Reads a query: precedence climbing over its tokens."""

from functools import lru_cache
from math import inf, nan

from mockserver.apis.monitoring.promql.errors import PromqlError
from mockserver.apis.monitoring.promql.formats import SECOND, read_duration
from mockserver.apis.monitoring.promql.lexer import Token, unquoted
from mockserver.apis.monitoring.promql.nodes import (
    KIND_NAMES,
    Aggregation,
    Binary,
    Call,
    Kind,
    Matcher,
    Matching,
    Negation,
    Node,
    Number,
    Selector,
    Shift,
    Text,
)
from mockserver.apis.monitoring.promql.selectors import SelectorReader, number
from mockserver.apis.monitoring.promql.signatures import AGGREGATORS, SIGNATURES, kind_of

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
    reader = _Reader(query)
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


class _Reader(SelectorReader):
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
            return Text(unquoted(token.text))
        if token.kind == "duration":
            return Number(read_duration(token.text) / SECOND)
        return Number(number(token.text))

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
                raise self._count(name, len(takes))
            wanted = takes[min(len(arguments), len(takes) - 1)]
            arguments.append(self._argument(wanted, f'call to function "{name.text}"'))
        if len(arguments) < len(takes) - signature.optional - signature.variadic:
            raise self._count(name, len(takes) - signature.optional)
        return Call(name.text, tuple(arguments))

    def _count(self, name: Token, wanted: int) -> PromqlError:
        return self.error(f'expected {wanted} argument(s) in call to "{name.text}"', name)

    def _argument(self, wanted: Kind, where: str) -> Node:
        start = self.token
        node = self.expression(0)
        found = kind_of(node)
        if found != wanted:
            text = f"expected type {KIND_NAMES[wanted]} in {where}, got {KIND_NAMES[found]}"
            raise self.error(text, start)
        return node
