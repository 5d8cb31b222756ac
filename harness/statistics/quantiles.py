"""Latencies: nearest ranks, and timeouts that are known only to be longer than their limit."""

import math
from collections.abc import Sequence
from typing import NamedTuple

FEWEST_FOR_P95 = 20
"""Below this the nearest rank of the 95th percentile is the maximum."""


class Latency(NamedTuple):
    """Latencies, milliseconds.

    Attributes:
        n: How many, censored ones included.
        censored: How many ran into a time limit: they count as longer than all others.
        limit: The limit they ran into, or None.
        mean: Of those that ended; None without one.
        min: Likewise.
        max: Likewise.
        p50: The nearest rank; None where it is a censored one, or there is none.
        p95: Likewise; where there are fewer than 20, it is the maximum and should be called so.
    """

    n: int
    censored: int = 0
    limit: float | None = None
    mean: float | None = None
    min: float | None = None
    max: float | None = None
    p50: float | None = None
    p95: float | None = None


def quantile(values: Sequence[float], share: float) -> float | None:
    """The nearest rank: the value at place ceil(share * n) of the sorted ones.

    >>> quantile(range(1, 21), 0.95), quantile(range(1, 101), 0.95), quantile([], 0.5)
    (19, 95, None)
    """
    if not values:
        return None
    place = math.ceil(round(share * len(values), 9))
    return sorted(values)[max(1, place) - 1]


def latency(values: Sequence[float], *, timeouts: Sequence[float] = ()) -> Latency:
    """What latencies come to.

    Args:
        values: Of what ended, milliseconds.
        timeouts: The limits that the others ran into, milliseconds.
    """
    everything = [*values, *(math.inf for _ in timeouts)]
    return Latency(
        n=len(everything),
        censored=len(timeouts),
        limit=min(timeouts, default=None),
        mean=math.fsum(values) / len(values) if values else None,
        min=min(values, default=None),
        max=max(values, default=None),
        p50=_finite(quantile(everything, 0.5)),
        p95=_finite(quantile(everything, 0.95)),
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def latency_text(found: Latency) -> str:
    """In words, for people.

    >>> latency_text(latency([100.0, 250.0]))
    'mean 175 ms, min 100 ms, max 250 ms (n=2)'
    """
    if found.mean is None or found.min is None or found.max is None:
        return f"{found.censored} timeouts (>= {found.limit:g} ms)" if found.censored else "n/a"
    parts = [f"mean {found.mean:.0f} ms", f"min {found.min:.0f} ms"]
    if found.n < FEWEST_FOR_P95:
        parts.append(f"max {found.max:.0f} ms (n={found.n})")
    elif found.p95 is None:
        parts.append(f"p95 >= {found.limit:g} ms")
    else:
        parts.append(f"p95 {found.p95:.0f} ms")
    if found.censored:
        parts.append(f"{found.censored} timeouts (>= {found.limit:g} ms) outside the mean")
    return ", ".join(parts)
