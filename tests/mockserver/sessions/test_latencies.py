"""How long answers are held back."""

from statistics import median

import pytest

from mockserver.model import Latency
from mockserver.sessions.faults import draw_latency_ms
from mockserver.state import Ids


def test_a_fixed_latency_is_always_the_same() -> None:
    assert draw_latency_ms(Latency(ms=12.5), Ids(1)) == 12.5


def test_a_uniform_latency_fills_its_range() -> None:
    latency = Latency(distribution="uniform", low_ms=10, high_ms=20)
    ids = Ids(1)
    drawn = [draw_latency_ms(latency, ids) for _ in range(2000)]
    assert all(10 <= each <= 20 for each in drawn)
    assert min(drawn) < 10.1
    assert max(drawn) > 19.9


def test_half_of_the_lognormal_latencies_are_under_the_median_and_none_over_the_bound() -> None:
    latency = Latency(distribution="lognormal", median_ms=100, sigma=0.5, high_ms=400)
    ids = Ids(3)
    drawn = [draw_latency_ms(latency, ids) for _ in range(4000)]
    assert median(drawn) == pytest.approx(100, rel=0.05)
    assert max(drawn) <= 400
    assert sum(each > 270 for each in drawn) / 4000 == pytest.approx(0.025, abs=0.01)


def test_equal_seeds_draw_equal_latencies() -> None:
    latency = Latency(distribution="uniform", high_ms=50)
    one, other, third = Ids(7), Ids(7), Ids(8)
    drawn = [draw_latency_ms(latency, one) for _ in range(5)]
    assert drawn == [draw_latency_ms(latency, other) for _ in range(5)]
    assert drawn != [draw_latency_ms(latency, third) for _ in range(5)]
