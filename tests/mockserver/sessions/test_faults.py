"""Which calls a fault meets, and how often."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mockserver.model import Fault
from mockserver.sessions.faults import CallTraits, SessionFaults

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
