"""Over what, and when, an expression is evaluated."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mockserver.apis.monitoring.promql.errors import execution
from mockserver.apis.monitoring.promql.formats import SECOND
from mockserver.apis.monitoring.promql.nodes import Node
from mockserver.apis.monitoring.promql.tracks import Source
from mockserver.apis.monitoring.promql.vectors import Scalar, Value, Vector


@dataclass(frozen=True)
class Context:
    """Over what, and when, an expression is evaluated.

    Attributes:
        source: Where tracks come from.
        times: The steps, ascending, in the source's microseconds.
        start: The first step of the whole query (`@ start()`).
        end: The last step of the whole query (`@ end()`).
        shift: What is added to the source's times to give those of the caller.
        evaluate: Evaluates an expression.
    """

    source: Source
    times: Sequence[int]
    start: int
    end: int
    shift: int
    evaluate: Callable[[Node, "Context"], Value]

    def value(self, node: Node) -> Value:
        """The value of an expression at every step."""
        return self.evaluate(node, self)

    def lines(self, node: Node) -> Vector:
        """The lines of an instant vector.

        Raises:
            PromqlError: The expression is none.
        """
        value = self.value(node)
        if not isinstance(value, list):
            raise execution("expected an instant vector")
        return value

    def numbers(self, node: Node) -> list[float]:
        """The numbers of a scalar.

        Raises:
            PromqlError: The expression is none.
        """
        value = self.value(node)
        if not isinstance(value, Scalar):
            raise execution("expected a scalar")
        return value.values

    def now(self) -> list[float]:
        """The caller's time at every step, in seconds."""
        return [(each + self.shift) / SECOND for each in self.times]
