"""Durations and numbers as Prometheus writes them."""

import re
from decimal import Decimal
from math import inf, isnan

from mockserver.apis.monitoring.promql.errors import PromqlError

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
