from harness.checks import decide_trial
from harness.doctor.bench import Seen
from harness.doctor.symptoms import indistinct, not_asked, uncontrolled, unread, vacuous
from harness.model import Case, TextContains, TrialRecord
from mockserver.model import Journal
from tests.harness.records import case, entry, record

CASE = case(TextContains(needles=("a",)))


def seen(trial: TrialRecord, of: Case = CASE) -> Seen:
    return Seen(trial, decide_trial(of, trial))


def test_who_fails_is_no_finding() -> None:
    assert list(vacuous({"C-1": seen(record("b"))}, "says nothing")) == []


def test_a_skipped_trial_is_no_lost_one() -> None:
    assert list(not_asked({"C-1": seen(record(outcome="skipped", error="no tools"))}, "x")) == []
    (finding,) = not_asked({"C-1": seen(record(outcome="infra_error", error="gone"))}, "x")
    assert finding.message == "x: gone"


def test_one_other_answer_does_not_make_a_case_indistinct_from_all() -> None:
    assert [finding.level for finding in indistinct({"A": (("B",), 1), "C": ((), 3)})] == [
        "warning"
    ]
    (whole,) = indistinct({"A": (("B", "C", "D", "E"), 4)})
    assert whole.level == "error"
    assert whole.message == "each of 4 answers to other cases pass it, too: B, C, D and 1 more"


def test_a_reference_that_asks_nothing_reads_nothing_and_is_not_blamed() -> None:
    silent = seen(record("a"))
    assert list(unread({"C-1": silent}, {"C-1": silent})) == []
    asking = seen(record("a", journal=Journal(entries=(entry("x", response_ref="h"),))))
    assert len(list(unread({"C-1": asking}, {"C-1": asking}))) == 1
    assert list(unread({}, {"C-1": asking})) == []


def test_a_changed_world_that_was_refused_says_why() -> None:
    lost = seen(record(outcome="infra_error", error="unknown status"))
    (finding,) = uncontrolled([CASE], [], {"C-1": lost})
    assert finding.message == "its changed world is refused: unknown status"
    assert list(uncontrolled([CASE], ["C-1"], {})) == []
    (other,) = uncontrolled([CASE], [], {})
    assert other.message.startswith("adds nothing")
