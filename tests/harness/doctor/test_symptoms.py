from harness.checks import decide_trial
from harness.doctor.bench import Seen
from harness.doctor.symptoms import indistinct, not_asked, vacuous
from harness.model import Case, TextContains, TrialRecord
from tests.harness.records import case, record

CASE = case(TextContains(needles=("a",)))


def seen(trial: TrialRecord, of: Case = CASE) -> Seen:
    return Seen(trial, decide_trial(of, trial))


def test_who_fails_is_no_finding() -> None:
    assert list(vacuous({"C-1": seen(record("b"))}, "says nothing")) == []


def test_a_skipped_trial_is_no_lost_one() -> None:
    assert list(not_asked({"C-1": seen(record(outcome="skipped", error="no tools"))}, "x")) == []
    (finding,) = not_asked({"C-1": seen(record(outcome="infra_error", error="gone"))}, "x")
    assert finding.message == "x: gone"


def test_only_what_tests_the_same_is_indistinct() -> None:
    confused = {"A": (("B",), 1), "C": ((), 3), "D": (("A", "B"), 2), "E": (("A", "B"), 3)}
    assert list(indistinct(confused, {})) == []
    (whole, twin) = indistinct({"A": (("B", "C", "D", "E"), 4)}, {"F": ["A", "B"]})
    assert (whole.level, twin.level, twin.case) == ("error", "warning", "F")
    assert whole.message == "each of 4 answers to other cases pass it, too: B, C, D and 1 more"
    assert twin.message == "expects the same in the same world as A, B: only the prompt differs"
