"""Which functions there are, what they take and what they give."""

from collections.abc import Mapping
from dataclasses import dataclass

from mockserver.apis.monitoring.promql.nodes import (
    Aggregation,
    Binary,
    Call,
    Kind,
    Negation,
    Node,
    Number,
    Range,
    Selector,
    Subquery,
    Text,
)


@dataclass(frozen=True)
class Signature:
    """What a function takes and gives.

    Attributes:
        takes: Kinds of its arguments.
        optional: How many of the last ones may be left out.
        variadic: Whether the last may be repeated, or left out.
        gives: Kind of its result.
    """

    takes: tuple[Kind, ...] = ("vector",)
    optional: int = 0
    variadic: bool = False
    gives: Kind = "vector"


_MATHS = (
    "abs ceil floor sqrt exp ln log2 log10 sgn sin cos tan asin acos atan sinh cosh tanh asinh "
    "acosh atanh deg rad timestamp absent sort sort_desc"
)
_OVER_TIME = (
    "rate irate increase delta idelta deriv changes resets avg_over_time min_over_time "
    "max_over_time sum_over_time count_over_time last_over_time stddev_over_time "
    "stdvar_over_time present_over_time absent_over_time mad_over_time"
)
_CALENDAR = "minute hour day_of_week day_of_month day_of_year days_in_month month year"

SIGNATURES: Mapping[str, Signature] = {
    **{name: Signature() for name in _MATHS.split()},
    **{name: Signature(("matrix",)) for name in _OVER_TIME.split()},
    **{name: Signature(optional=1) for name in _CALENDAR.split()},
    "quantile_over_time": Signature(("scalar", "matrix")),
    "predict_linear": Signature(("matrix", "scalar")),
    "histogram_quantile": Signature(("scalar", "vector")),
    "clamp": Signature(("vector", "scalar", "scalar")),
    "clamp_min": Signature(("vector", "scalar")),
    "clamp_max": Signature(("vector", "scalar")),
    "round": Signature(("vector", "scalar"), optional=1),
    "label_replace": Signature(("vector", "string", "string", "string", "string")),
    "label_join": Signature(("vector", "string", "string", "string"), variadic=True),
    "scalar": Signature(gives="scalar"),
    "vector": Signature(("scalar",)),
    "time": Signature((), gives="scalar"),
    "pi": Signature((), gives="scalar"),
}

AGGREGATORS: Mapping[str, Kind | None] = {
    **dict.fromkeys(["sum", "avg", "min", "max", "count", "group", "stddev", "stdvar"]),
    "topk": "scalar",
    "bottomk": "scalar",
    "quantile": "scalar",
    "count_values": "string",
}
"""Aggregation operator to the kind of its parameter, None where it has none."""


def kind_of(node: Node) -> Kind:
    """What an expression gives."""
    match node:
        case Negation(inner):
            return kind_of(inner)
        case Binary():
            both = kind_of(node.left) == kind_of(node.right) == "scalar"
            return "scalar" if both else "vector"
        case Call():
            return SIGNATURES[node.function].gives
        case _:
            return _KINDS[type(node)]


_KINDS: Mapping[type, Kind] = {
    Number: "scalar",
    Text: "string",
    Selector: "vector",
    Aggregation: "vector",
    Range: "matrix",
    Subquery: "matrix",
}
