import pytest

from harness.statistics.quantiles import Latency, latency, latency_text, quantile


def test_nearest_ranks() -> None:
    """CSRR-07: the 95th percentile of 20 values is the 19th, not the maximum."""
    assert quantile(range(1, 21), 0.95) == 19
    assert quantile(range(1, 101), 0.95) == 95
    assert quantile([7], 0.5) == 7


def test_mean_minimum_maximum_and_percentile() -> None:
    """CSR-24"""
    found = latency([float(n) for n in range(1, 21)])
    assert (found.mean, found.min, found.max, found.p95) == (10.5, 1, 20, 19)


def test_a_timeout_is_longer_than_all_and_outside_the_mean() -> None:
    """CSRR-08"""
    found = latency([10.0] * 18, timeouts=[60_000.0] * 2)
    assert (found.n, found.censored, found.mean, found.p50, found.p95) == (20, 2, 10, 10, None)
    assert latency_text(found) == (
        "mean 10 ms, min 10 ms, p95 >= 60000 ms, 2 timeouts (>= 60000 ms) outside the mean"
    )


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (latency([]), "n/a"),
        (latency([], timeouts=[500.0]), "1 timeouts (>= 500 ms)"),
        (latency([5.0, 15.0]), "mean 10 ms, min 5 ms, max 15 ms (n=2)"),
        (latency([5.0] * 20), "mean 5 ms, min 5 ms, p95 5 ms"),
    ],
    ids=["nothing", "timeout", "few", "enough"],
)
def test_in_words(found: Latency, text: str) -> None:
    assert latency_text(found) == text
