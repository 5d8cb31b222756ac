"""A query as a tree, durations and numbers as texts, and errors of a query.

Durations and times are microseconds.
"""

import re
from dataclasses import dataclass, field
from decimal import Decimal
from math import inf, isnan
from typing import Literal

Kind = Literal["scalar", "vector", "matrix", "string"]
KIND_NAMES: dict[Kind, str] = {
    "scalar": "scalar",
    "vector": "instant vector",
    "matrix": "range vector",
    "string": "string",
}


@dataclass(frozen=True)
class Matcher:
    """`label operator "value"`; the operator is one of `= != =~ !~`."""

    label: str
    operator: str
    value: str


@dataclass(frozen=True)
class Shift:
    """`offset` and `@` of a selector; `at` is a time, `start`, `end` or None."""

    offset: int = 0
    at: int | Literal["start", "end"] | None = None


@dataclass(frozen=True)
class Number:
    """A number."""

    value: float


@dataclass(frozen=True)
class Text:
    """A string."""

    value: str


@dataclass(frozen=True)
class Selector:
    """An instant vector selector."""

    matchers: tuple[Matcher, ...]
    shift: Shift = Shift()


@dataclass(frozen=True)
class Range:
    """A selector with the span of time that it looks back."""

    selector: Selector
    span: int


@dataclass(frozen=True)
class Subquery:
    """An expression evaluated at steps over a span; a step of 0 is the default."""

    inner: "Node"
    span: int
    step: int
    shift: Shift = Shift()


@dataclass(frozen=True)
class Negation:
    """Minus an expression."""

    inner: "Node"


@dataclass(frozen=True)
class Matching:
    """How the sides of an operator find each other.

    Attributes:
        on: Whether `labels` are those to match on, else those to ignore.
        labels: Label names.
        many: The side that may have several for one, or empty.
        include: Labels that the many side takes from the one side.
    """

    on: bool = False
    labels: tuple[str, ...] = ()
    many: Literal["", "left", "right"] = ""
    include: tuple[str, ...] = ()


@dataclass(frozen=True)
class Binary:
    """Two expressions and an operator."""

    operator: str
    left: "Node"
    right: "Node"
    returns_bool: bool = False
    matching: Matching = field(default_factory=Matching)


@dataclass(frozen=True)
class Aggregation:
    """An aggregation; `labels` are those to keep, or with `without` those to drop."""

    operator: str
    inner: "Node"
    parameter: "Node | None" = None
    labels: tuple[str, ...] = ()
    without: bool = False


@dataclass(frozen=True)
class Call:
    """A function with its arguments."""

    function: str
    arguments: tuple["Node", ...]


Node = Number | Text | Selector | Range | Subquery | Negation | Binary | Aggregation | Call


class PromqlError(ValueError):
    """A query that cannot be read or carried out.

    Attributes:
        kind: `bad_data` for what cannot be read, `execution` for what cannot be carried out.
    """

    def __init__(self, message: str, kind: str = "bad_data") -> None:
        super().__init__(message)
        self.kind = kind


def execution(message: str) -> PromqlError:
    """A query that can be read and not be carried out."""
    return PromqlError(message, "execution")


MILLI = 1000
SECOND = 1_000_000
_UNITS = {
    "ms": MILLI,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3600 * SECOND,
    "d": 86_400 * SECOND,
    "w": 7 * 86_400 * SECOND,
    "y": 365 * 86_400 * SECOND,
}
DURATION = r"(?:\d+(?:ms|[smhdwy]))+"
_DURATION = re.compile(f"{DURATION}$")
_PART = re.compile(r"(\d+)(ms|[smhdwy])")


def read_duration(text: str) -> int:
    """A duration in microseconds: `1h30m`, or seconds as a number.

    Raises:
        PromqlError: It is none.

    >>> read_duration("1h30m"), read_duration("0.5")
    (5400000000, 500000)
    """
    if _DURATION.match(text):
        return sum(int(count) * _UNITS[unit] for count, unit in _PART.findall(text))
    try:
        return round(float(text) * SECOND)
    except (ValueError, OverflowError) as error:
        raise PromqlError(f'cannot parse "{text}" to a valid duration') from error


def format_value(value: float) -> str:
    """A sample value: the shortest text that reads back, never with an exponent.

    >>> [format_value(value) for value in (1.0, 0.1, 1e21, inf, -inf)]
    ['1', '0.1', '1000000000000000000000', '+Inf', '-Inf']
    """
    if isnan(value):
        return "NaN"
    if value in {inf, -inf}:
        return "+Inf" if value > 0 else "-Inf"
    text = repr(float(value))
    if "e" in text:
        text = format(Decimal(text), "f")
    return text.removesuffix(".0")
