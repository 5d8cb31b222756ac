"""Over what, and when, an expression is evaluated."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mockserver.apis.monitoring.promql.errors import execution
from mockserver.apis.monitoring.promql.formats import SECOND
from mockserver.apis.monitoring.promql.nodes import Node
from mockserver.apis.monitoring.promql.tracks import Source
from mockserver.apis.monitoring.promql.vectors import Scalar, Value, Vector

TOO_MANY = "query processing would load too many samples into memory in query execution"
"""Prometheus' own words."""

_MOST_SAMPLES = 50_000_000
"""Prometheus' own limit."""


class Budget:
    """How many samples a query may still look at."""

    def __init__(self) -> None:
        self._left = _MOST_SAMPLES

    def spend(self, samples: int) -> None:
        """Look at some samples.

        Raises:
            PromqlError: The query has looked at as many as it may.
        """
        self._left -= samples
        if self._left < 0:
            raise execution(TOO_MANY)


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
        budget: How much the whole query may look at.
    """

    source: Source
    times: Sequence[int]
    start: int
    end: int
    shift: int
    evaluate: Callable[[Node, "Context"], Value]
    budget: Budget = field(default_factory=Budget)

    def value(self, node: Node) -> Value:
        """The value of an expression at every step."""
        value = self.evaluate(node, self)
        self.budget.spend(len(self.times) * (len(value) if isinstance(value, list) else 1))
        return value

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
