"""Reads selectors: matchers, ranges, subqueries, offsets."""

from mockserver.apis.monitoring.promql.cursor import Cursor
from mockserver.apis.monitoring.promql.formats import SECOND, read_duration
from mockserver.apis.monitoring.promql.lexer import Token, unquoted
from mockserver.apis.monitoring.promql.nodes import (
    Matcher,
    Node,
    Range,
    Selector,
    Shift,
    Subquery,
)
from mockserver.apis.monitoring.promql.signatures import kind_of
from mockserver.apis.monitoring.promql.tracks import NAME, compiled, matches_text

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
            compiled(matcher, lambda why: self.error(why, token))
        if all(matches_text(matcher, "") for matcher in matchers):
            text = "vector selector must contain at least one non-empty matcher"
            raise self.error(text, token)
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
        return Matcher(label, operator, unquoted(self.step().text))

    def postfix(self, node: Node) -> Node:
        """An expression with the ranges and modifiers that follow it."""
        while self.is_next("[", "offset", "@"):
            sign = self.step()
            if sign.text == "[":
                node = self._bracket(node, sign)
            elif sign.text == "@":
                node = self._shifted(node, sign, at=self._moment())
            else:
                node = self._shifted(node, sign, offset=self._offset())
        return node

    def _bracket(self, node: Node, sign: Token) -> Node:
        span = self._duration()
        if self.take(":"):
            step = 0 if self.is_next("]") else self._duration()
            self.expect("]", " in subquery selector")
            if kind_of(node) != "vector":
                raise self.error("subquery is only allowed on instant vector", sign)
            return Subquery(node, span, step)
        self.expect("]", " in range selector")
        if not isinstance(node, Selector):
            raise self.error("ranges only allowed for vector selectors", sign)
        return Range(node, span)

    def _duration(self) -> int:
        if self.token.kind not in {"duration", "number"}:
            raise self.unexpected(", expected duration")
        found = read_duration(self.step().text)
        if found <= 0:
            raise self.error("duration must be greater than 0")
        return found

    def _offset(self) -> int:
        sign = -1 if self.take("-") else 1
        return sign * self._duration()

    def _moment(self) -> int | str:
        if self.token.kind == "word" and self.token.text in {"start", "end"}:
            found = self.step().text
            self.expect("(")
            self.expect(")")
            return found
        sign = -1 if self.take("-") else 1
        if self.token.kind != "number":
            raise self.unexpected(" in @, expected timestamp")
        return round(sign * number(self.step().text) * SECOND)

    def _shifted(self, node: Node, sign: Token, **given: int | str) -> Node:
        match node:
            case Selector():
                return Selector(node.matchers, _with(node.shift, given))
            case Range():
                inner = node.selector
                return Range(Selector(inner.matchers, _with(inner.shift, given)), node.span)
            case Subquery():
                return Subquery(node.inner, node.span, node.step, _with(node.shift, given))
            case _:
                text = (
                    f"{sign.text} modifier must be preceded by an instant vector selector or range"
                )
                raise self.error(text + " vector selector or a subquery", sign)


def _with(shift: Shift, given: dict[str, int | str]) -> Shift:
    return Shift(**{"offset": shift.offset, "at": shift.at, **given})  # type: ignore[arg-type]


def number(text: str) -> float:
    """The number that a token stands for."""
    return float(int(text, 16)) if text[:2].lower() == "0x" else float(text)
