"""Which calls a fault meets, and how often."""

import pytest

from mockserver.model import Fault
from mockserver.server.faults import SessionFaults

LIST = "directory.orgunits.list"


@pytest.mark.parametrize(
    ("method", "meets"),
    [(LIST, True), ("directory.*", True), ("*", True), ("reports.*", False)],
    ids=["id", "glob", "all", "other"],
)
def test_a_fault_meets_a_method_by_id_or_glob(method: str, meets: bool) -> None:
    fault, _ = SessionFaults([Fault(method=method, status=503)]).meet(LIST)
    assert (fault is not None) == meets


def test_a_fault_meets_as_many_calls_as_it_says_and_then_no_more() -> None:
    faults = SessionFaults([Fault(method=LIST, status=429, times=2)])

    met = [faults.meet(LIST)[0] is not None for _ in range(4)]

    assert met == [True, True, False, False]
    assert faults.report()[0].met == 2


def test_a_fault_without_status_delays_and_lets_the_next_one_answer() -> None:
    slow = Fault(method="*", latency_ms=20)
    broken = Fault(method=LIST, status=500, latency_ms=5)

    assert SessionFaults([slow, broken]).meet(LIST) == (broken, 25)


def test_a_fault_that_was_never_met_says_so() -> None:
    faults = SessionFaults([Fault(method="users.list", status=500)])
    faults.meet(LIST)
    assert [report.met for report in faults.report()] == [0]


def test_faults_are_added_behind_the_others_and_forgotten_together() -> None:
    faults = SessionFaults()
    assert faults.meet(LIST) == (None, 0)

    faults.add(Fault(method=LIST, status=404))
    assert faults.meet(LIST)[0] is not None
    assert len(faults) == 1

    faults.clear()
    assert faults.meet(LIST) == (None, 0)
    assert len(faults) == 0
