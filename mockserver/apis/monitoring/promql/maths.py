"""Functions of one sample."""

import math
from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from math import floor, inf, isnan, nan


def _guarded(function: Callable[[float], float], at_zero: float = nan) -> Callable[[float], float]:
    """A function that answers NaN where it is not defined."""

    def answer(value: float) -> float:
        try:
            return float(function(value))
        except ValueError:
            return at_zero if value == 0 else nan
        except OverflowError:
            return inf if value > 0 or function is not math.sinh else -inf

    return answer


def _whole(function: Callable[[float], float]) -> Callable[[float], float]:
    """A rounding that leaves infinities and NaN as they are."""
    return lambda value: float(function(value)) if math.isfinite(value) else value


def _sign(value: float) -> float:
    return value if isnan(value) or value == 0 else math.copysign(1.0, value)


MATHS: Mapping[str, Callable[[float], float]] = {
    "abs": abs,
    "ceil": _whole(math.ceil),
    "floor": _whole(math.floor),
    "sgn": _sign,
    "sqrt": _guarded(math.sqrt),
    "exp": _guarded(math.exp),
    "ln": _guarded(math.log, -inf),
    "log2": _guarded(math.log2, -inf),
    "log10": _guarded(math.log10, -inf),
    "deg": math.degrees,
    "rad": math.radians,
    **{
        name: _guarded(getattr(math, name))
        for name in [
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "tanh",
            "asinh",
            "acosh",
            "atanh",
        ]
    },
}


def rounded(value: float, to: float) -> float:
    """The nearest multiple; halves go up.

    >>> rounded(2.5, 1.0), rounded(13, 5)
    (3.0, 15.0)
    """
    if not math.isfinite(value) or to == 0:
        return value if to else nan
    inverse = 1 / to
    return floor(value * inverse + 0.5) / inverse


def clamped(value: float, low: float, high: float) -> float:
    """A value within bounds; NaN stays, and so it is with a bound that is NaN."""
    if isnan(value) or isnan(low) or isnan(high):
        return nan
    return max(low, min(high, value))


def _calendar(read: Callable[[datetime], int]) -> Callable[[float], float]:
    def answer(value: float) -> float:
        try:
            return float(read(datetime.fromtimestamp(value, UTC)))
        except (ValueError, OverflowError, OSError):
            return nan

    return answer


CALENDAR: Mapping[str, Callable[[float], float]] = {
    "minute": _calendar(lambda moment: moment.minute),
    "hour": _calendar(lambda moment: moment.hour),
    "day_of_week": _calendar(lambda moment: moment.isoweekday() % 7),
    "day_of_month": _calendar(lambda moment: moment.day),
    "day_of_year": _calendar(lambda moment: moment.timetuple().tm_yday),
    "days_in_month": _calendar(lambda moment: monthrange(moment.year, moment.month)[1]),
    "month": _calendar(lambda moment: moment.month),
    "year": _calendar(lambda moment: moment.year),
}
