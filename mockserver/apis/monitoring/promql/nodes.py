"""A query as a tree. Durations and times are microseconds."""

from dataclasses import dataclass, field
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
