from collections.abc import Mapping

from harness.model import Budget, CaseVerdict, TextContains, TrialStatus
from harness.reports.figures import (
    Figures,
    always_failing,
    by_category,
    figures,
    flaky,
    is_synthetic,
)
from tests.harness.example_run import CASES, example_run, synthetic_run
from tests.harness.records import case, decided, manifest, record

VERDICTS: Mapping[CaseVerdict, int] = {"passed": 7, "failed": 1}
STATUSES: Mapping[TrialStatus, int] = {"pass": 17, "fail": 1, "infra_error": 1, "replay_miss": 1}


def _figures(not_evaluated: int = 0) -> Figures:
    return Figures(VERDICTS, {**STATUSES, "not_evaluated": not_evaluated}, 0)


def test_what_is_not_valid_stands_beside_the_rate() -> None:
    assert _figures().trial_rate() == "17/18 (18 of 20 valid: 1 infra, 1 replay miss)"
    assert _figures().case_rate() == "7/8"


def test_trials_without_a_decision_are_told() -> None:
    assert _figures(not_evaluated=1).trial_rate() == (
        "17/18 (18 of 21 valid: 1 not evaluated, 1 infra, 1 replay miss)"
    )


def test_a_run_that_broke_has_no_pass_rate() -> None:
    total = figures(example_run())
    assert total.case_rate() == "no pass rate (3 of 5 decided: 1 inconclusive, 1 skipped)"
    assert total.trial_rate() == "no pass rate (5 of 7 valid: 1 infra, 1 synthetic)"


def test_made_up_replies_are_no_quality() -> None:
    run = synthetic_run()
    assert is_synthetic(run)
    assert not is_synthetic(example_run())
    assert figures(run).trial_rate() == "no pass rate (0 of 1 valid: 1 synthetic)"


def test_categories_are_sorted_and_complete() -> None:
    """CEPR-12: the summary is broken down by category."""
    groups = by_category(example_run())
    assert {name: (each.cases, each.trials) for name, each in groups.items()} == {
        "policy": (2, 4),
        "system": (2, 2),
        "uncategorised": (1, 1),
    }
    assert list(groups) == sorted(groups)


def test_always_failing_and_flaky_are_listed_apart() -> None:
    lost = decided(
        manifest(["EC-003"]), CASES[2:3], [record("No.", case="EC-003", number=n) for n in (1, 2)]
    )
    assert always_failing(lost) == ["EC-003"]
    assert always_failing(example_run()) == []
    assert flaky(example_run()) == ["EC-003"]


def test_only_what_is_open_counts_as_not_evaluated() -> None:
    asked = case(Budget(tokens=5), TextContains(needles=("a",)))
    records = [record("a"), record("b", number=2)]
    assert figures(decided(manifest(["C-1"]), [asked], records)).not_evaluated == 1
