"""How long answers are held back: drawn from a distribution, the same for the same seed."""

from math import cos, exp, log, pi, sqrt

from mockserver.model import Latency
from mockserver.state import Ids

_DIGITS = 13
_RANGE: int = 16**_DIGITS


def drawn_ms(latency: Latency, ids: Ids) -> float:
    """The next latency of a session, in milliseconds."""
    match latency.distribution:
        case "fixed":
            return latency.ms
        case "uniform":
            return latency.low_ms + (latency.high_ms - latency.low_ms) * _drawn(ids)
        case "lognormal":
            drawn = latency.median_ms * exp(latency.sigma * _normal(ids))
            return min(drawn, latency.high_ms)


def _drawn(ids: Ids) -> float:
    """A number from 0 to 1, neither of them."""
    return (int(ids.hex("latency", _DIGITS), 16) + 0.5) / float(_RANGE)


def _normal(ids: Ids) -> float:
    """A number of the standard normal distribution (Box and Muller)."""
    return sqrt(-2 * log(_drawn(ids))) * cos(2 * pi * _drawn(ids))
