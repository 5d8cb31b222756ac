"""Which calls a fault meets, and how often."""

from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.model import Fault, Latency, Rate
from mockserver.sessions.faults import CallTraits, SessionFaults, TokenBucket, draw_latency_ms
from mockserver.state import Ids

LIST = "directory.orgunits.list"
START = datetime(2026, 3, 2, tzinfo=UTC)


def fault(**fields: Any) -> Fault:
    return Fault.model_validate({"method": LIST, **fields})


def met(faults: SessionFaults, count: int) -> list[bool]:
    return [faults.next_effect(LIST).answer is not None for _ in range(count)]


@pytest.mark.parametrize(
    ("method", "meets"),
    [(LIST, True), ("directory.*", True), ("*", True), ("reports.*", False)],
    ids=["id", "glob", "all", "other"],
)
def test_a_fault_meets_a_method_by_id_or_glob(method: str, meets: bool) -> None:
    meeting = SessionFaults([Fault(method=method, status=503)]).next_effect(LIST)
    assert (meeting.answer is not None) == meets


def test_a_fault_meets_as_many_calls_as_it_says_and_then_no_more() -> None:
    faults = SessionFaults([fault(status=429, times=2)])
    assert met(faults, 4) == [True, True, False, False]
    assert (faults.report()[0].met, faults.report()[0].asked) == (2, 4)


def test_a_fault_meets_the_calls_whose_numbers_it_names() -> None:
    faults = SessionFaults([fault(status=503, calls=[2, "4-5", "8-"])])
    assert met(faults, 9) == [False, True, False, True, True, False, False, True, True]


def test_call_numbers_and_times_hold_together() -> None:
    faults = SessionFaults([fault(status=503, calls=["2-"], times=2)])
    assert met(faults, 5) == [False, True, True, False, False]


def test_calls_of_other_methods_are_not_counted() -> None:
    faults = SessionFaults([fault(status=503, calls=[1])])
    faults.next_effect("directory.users.list")
    assert met(faults, 1) == [True]


def test_a_fault_without_status_delays_and_lets_the_next_one_answer() -> None:
    slow = Fault(method="*", latency_ms=20)
    broken = Fault(method=LIST, status=500, latency_ms=5)

    meeting = SessionFaults([slow, broken]).next_effect(LIST)

    assert (meeting.answer, meeting.delay_ms) == (broken, 25)


def test_a_drawn_latency_comes_on_top_and_repeats_with_the_seed() -> None:
    slow = fault(latency_ms=10, latency={"distribution": "uniform", "high_ms": 5})
    one, other = (SessionFaults([slow], seed=4) for _ in range(2))
    delays = [one.next_effect(LIST).delay_ms for _ in range(4)]
    assert all(10 <= each <= 15 for each in delays)
    assert delays == [other.next_effect(LIST).delay_ms for _ in range(4)]


@pytest.mark.parametrize("kind", ["truncate", "malformed"])
def test_damage_on_the_wire_lets_the_next_fault_answer(kind: str) -> None:
    meeting = SessionFaults([fault(kind=kind), fault(status=404)]).next_effect(LIST)
    assert meeting.damage is not None
    assert meeting.damage.kind == kind
    assert meeting.answer is not None


def test_a_reset_before_anything_is_done_is_the_end() -> None:
    meeting = SessionFaults([fault(kind="reset"), fault(status=404)]).next_effect(LIST)
    assert meeting.damage is not None
    assert meeting.damage.at_once
    assert meeting.answer is None


def test_the_latency_of_a_paced_answer_is_not_spent_before_it() -> None:
    slow = fault(kind="dribble", latency_ms=7, chunk_bytes=3)
    meeting = SessionFaults([slow]).next_effect(LIST)
    assert meeting.damage is not None
    assert (meeting.delay_ms, meeting.damage.pause_ms, meeting.damage.chunk_bytes) == (0, 7, 3)


def test_a_page_token_goes_stale_only_where_one_is_sent() -> None:
    faults = SessionFaults([fault(kind="stale_page_token", times=1)])
    assert faults.next_effect(LIST).stale is None
    assert faults.next_effect(LIST, CallTraits(paged=True)).stale is not None
    assert faults.next_effect(LIST, CallTraits(paged=True)).stale is None


def test_a_late_change_is_met_only_once_there_is_one() -> None:
    faults = SessionFaults([fault(propagation={"reads": 1}), fault(status=404)])
    meeting = faults.next_effect(LIST)
    assert len(meeting.late) == 1
    assert meeting.answer is not None
    assert [(each.met, each.asked) for each in faults.report()] == [(0, 1), (1, 1)]
    assert (faults.delays_changes, SessionFaults().delays_changes) == (True, False)


def test_tool_calls_break_only_where_a_model_may_make_some() -> None:
    faults = SessionFaults([fault(kind="malformed_tool_call", method="models.chat"),
                            fault(kind="malformed_tool_call", method="models.*"),
                            fault(method="models.chat", latency_ms=3)])  # fmt: skip
    assert faults.next_effect("models.chat").malformed is None
    meeting = faults.next_effect("models.chat", CallTraits(group="models.chat"))
    assert meeting.malformed is faults._scripts[0]
    assert [(each.met, each.asked) for each in faults.report()] == [(0, 1), (0, 1), (2, 2)]
    assert meeting.delay_ms == 3
    named = SessionFaults([Fault(method="models.chat", status=500)])
    assert named.next_effect("m-1", CallTraits(group="models.chat")).answer is not None
    assert named.next_effect("m-2").answer is None


def test_some_calls_are_met_by_a_share_that_the_seed_draws() -> None:
    faults = [SessionFaults([fault(status=503, share=0.25)], seed=seed) for seed in (1, 1, 2)]
    drawn = [met(each, 400) for each in faults]
    assert drawn[0] == drawn[1] != drawn[2]
    assert 80 < sum(drawn[0]) < 120


def test_the_first_damage_counts_and_says_where_it_is_from() -> None:
    one = fault(kind="truncate", after_bytes=3, origin="snapshot")
    damage = SessionFaults([one, fault(kind="malformed")]).next_effect(LIST).damage
    assert damage is not None
    assert (damage.kind, damage.origin, damage.after_bytes) == ("truncate", "snapshot", 3)
    assert damage.pause_ms == 0
    later = SessionFaults([fault(kind="reset", after_events=2)]).next_effect(LIST).damage
    assert later is not None
    assert (later.at_once, later.origin, later.after_events) == (False, LIST, 2)


def test_drawn_latencies_are_the_same_in_every_release() -> None:
    latency = Latency(distribution="lognormal", median_ms=100, sigma=0.5, high_ms=400)
    ids = Ids(3)
    assert [round(draw_latency_ms(latency, ids), 2) for _ in range(3)] == [104.48, 121.6, 71.17]


def test_tokens_expire_once_unless_more_is_said() -> None:
    faults = SessionFaults([fault(kind="expire_token")])
    assert [faults.next_effect(LIST).expires is not None for _ in range(3)] == [True, False, False]


def test_a_rate_refuses_what_is_over_it_and_counts_that() -> None:
    now = [START]
    faults = SessionFaults([fault(rate={"per_minute": 60, "burst": 1})], now=lambda: now[0])
    assert met(faults, 2) == [False, True]
    now[0] += timedelta(seconds=1)
    assert met(faults, 1) == [False]
    assert (faults.report()[0].met, faults.report()[0].asked) == (1, 3)


def test_a_change_that_is_seen_late_is_met_when_something_is_not_seen() -> None:
    faults = SessionFaults([fault(propagation={"reads": 1})])
    assert faults.delays_changes
    (lag,) = faults.next_effect(LIST).late
    assert faults.report()[0].met == 0
    lag.met()
    assert faults.report()[0].met == 1


def test_a_fault_that_was_never_met_says_so() -> None:
    faults = SessionFaults([Fault(method="users.list", status=500)])
    faults.next_effect(LIST)
    assert [(report.met, report.asked) for report in faults.report()] == [(0, 0)]


def test_faults_are_added_behind_the_others_and_forgotten_together() -> None:
    faults = SessionFaults()
    assert met(faults, 1) == [False]

    faults.add(Fault(method=LIST, status=404))
    assert met(faults, 1) == [True]
    assert len(faults) == 1

    faults.clear()
    assert met(faults, 1) == [False]
    assert len(faults) == 0


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


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_a_burst_is_let_through_and_then_what_the_rate_allows() -> None:
    bucket = TokenBucket(Rate(per_minute=60, burst=2))
    asked = [bucket.admits("a", after(at)) for at in (0, 0, 0, 0.5, 1.0, 1.1)]
    assert asked == [True, True, False, False, True, False]


def test_each_user_has_a_bucket_of_their_own() -> None:
    bucket = TokenBucket(Rate(per_minute=1))
    assert bucket.admits("a", START)
    assert bucket.admits("b", START)
    assert not bucket.admits("a", START)


def test_a_session_has_one_bucket_for_all_users() -> None:
    bucket = TokenBucket(Rate(per_minute=1, per="session"))
    assert bucket.admits("a", START)
    assert not bucket.admits("b", START)


@given(st.lists(st.floats(0, 600), max_size=200), st.integers(1, 300), st.integers(1, 20))
def test_no_more_is_let_through_than_burst_and_rate_together(
    moments: list[float], per_minute: int, burst: int
) -> None:
    bucket = TokenBucket(Rate(per_minute=per_minute, burst=burst))
    passed = sum(bucket.admits("", after(at)) for at in sorted(moments))
    span = max(moments, default=0) - min(moments, default=0)
    assert passed <= burst + span * per_minute / 60 + 1e-6
