"""Token buckets in session time."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from mockserver.model import Rate
from mockserver.sessions.faults import TokenBucket

START = datetime(2026, 3, 2, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_a_burst_is_let_through_and_then_what_the_rate_allows() -> None:
    bucket = TokenBucket(Rate(per_minute=60, burst=2))
    asked = [bucket.lets_through("a", after(at)) for at in (0, 0, 0, 0.5, 1.0, 1.1)]
    assert asked == [True, True, False, False, True, False]


def test_each_user_has_a_bucket_of_their_own() -> None:
    bucket = TokenBucket(Rate(per_minute=1))
    assert bucket.lets_through("a", START)
    assert bucket.lets_through("b", START)
    assert not bucket.lets_through("a", START)


def test_a_session_has_one_bucket_for_all_users() -> None:
    bucket = TokenBucket(Rate(per_minute=1, per="session"))
    assert bucket.lets_through("a", START)
    assert not bucket.lets_through("b", START)


@given(st.lists(st.floats(0, 600), max_size=200), st.integers(1, 300), st.integers(1, 20))
def test_no_more_is_let_through_than_burst_and_rate_together(
    moments: list[float], per_minute: int, burst: int
) -> None:
    bucket = TokenBucket(Rate(per_minute=per_minute, burst=burst))
    passed = sum(bucket.lets_through("", after(at)) for at in sorted(moments))
    span = max(moments, default=0) - min(moments, default=0)
    assert passed <= burst + span * per_minute / 60 + 1e-6
