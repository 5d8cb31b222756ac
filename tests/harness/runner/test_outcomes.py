from pathlib import Path

import pytest

from harness.errors import HarnessError, InfrastructureError
from harness.model import HeldRecords, Judge, Patterns, Policy, RunResult, TextContains
from harness.runner import (
    compare_outcomes,
    outcomes_of,
    outcomes_of_review,
    read_baseline,
    stored_outcomes,
    write_baseline,
)
from harness.statistics import Terms
from harness.verdicts import decide_case, decide_trial
from tests.harness.cli.test_compare import stored
from tests.harness.records import case, decided, manifest, record
from tests.harness.reviews import PUBLISHED, published_records, results_of, trial


def test_a_stored_run_counts_as_it_was_decided(tmp_path: Path) -> None:
    folder = stored(tmp_path, "r1", {"A": [True, False]})
    assert stored_outcomes(folder.path).counts == {"A": (1, 2)}
    cases, records = folder.cases(), HeldRecords((record("a", case="A"),))
    decision = decide_case(
        cases[0],
        [decide_trial(cases[0], each) for each in records],
        Policy.model_validate({"pass": "all"}),
    )
    folder.write_decisions(folder.manifest().policy, [decision])
    assert stored_outcomes(folder.path).counts == {"A": (1, 1)}


def test_a_result_counts_the_same(tmp_path: Path) -> None:
    folder = stored(tmp_path, "r1", {"A": [True, False]})
    found = decided(folder.manifest(), folder.cases(), folder.records())
    assert outcomes_of(found) == stored_outcomes(folder.path)


def test_a_verdict_needs_no_more_trials(tmp_path: Path) -> None:
    outcomes = stored_outcomes(stored(tmp_path, "r1", {"A": [True] * 3}).path)
    assert compare_outcomes(outcomes, outcomes, Terms()).trials_needed is None
    assert manifest(["A"]).cases


def test_a_run_whose_judge_was_off_names_the_cases_it_left_open() -> None:
    judged = case(Judge(question="Is it kind?"), TextContains(needles=("a",)), id="A")
    records = [record(text, case="A", number=n) for n, text in enumerate("aab", 1)]
    found = outcomes_of(decided(manifest(["A"]), [judged], records))
    assert (found.counts, found.not_evaluated) == ({"A": (0, 1)}, {"A"})


def test_passes_and_valid_runs_are_compared() -> None:
    found = outcomes_of_review(results_of(PUBLISHED, published_records()))
    assert found.counts == {
        "case_01": (2, 3),
        "case_04": (2, 3),
        "case_06": (0, 0),
        "case_07": (3, 3),
    }
    assert list(found.hashes) == list(found.counts)


def test_without_a_valid_run_there_is_no_baseline() -> None:
    """CSR-29."""
    lost = results_of(PUBLISHED, [trial(case.id, 1) for case in PUBLISHED])
    with pytest.raises(HarnessError, match="no valid run"):
        outcomes_of_review(lost)


def run() -> RunResult:
    cases = [
        case(Patterns(patterns=("one", "two")), id=id, deterministic=id == "B") for id in ("A", "B")
    ]
    records = [
        record("one two", case="A"),
        record("one", case="A", number=2),
        record(case="B", outcome="infra_error"),
    ]
    return decided(manifest(["A", "B"]), cases, HeldRecords.of_cases(["A", "B"], records))


def test_a_baseline_comes_back_from_its_file(tmp_path: Path) -> None:
    """CTXR-05: kept in a file, with hashes, so that a changed task is not compared."""
    path = tmp_path / "deep" / "baseline.json"
    write_baseline(path, run())
    kept = read_baseline(path)
    assert kept.run == "run-1"
    assert kept.hashes == {"A": "hash-A", "B": "hash-B"}
    assert kept.counts == {"A": (1, 2), "B": (0, 0)}
    assert kept.deterministic == {"B"}
    assert '"score": 0.75' in path.read_text(encoding="utf-8")
    assert '"score": null' in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "cannot be read as a baseline"),
        ('{"results": []}', "cannot be read as a baseline"),
        ('{"run": "r", "suite": "s", "cases": {}}', "without any valid trial"),
    ],
)
def test_what_is_no_baseline_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(HarnessError, match=said):
        read_baseline(path)


def test_a_file_that_cannot_be_read_or_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="cannot be read as a baseline: No such file"):
        read_baseline(tmp_path / "none.json")
    (tmp_path / "taken").write_text("", encoding="utf-8")
    with pytest.raises(InfrastructureError, match="cannot write"):
        write_baseline(tmp_path / "taken" / "baseline.json", run())


@pytest.mark.parametrize(("passed", "valid"), [(3, 2), (1, 10**18)], ids=["more", "too many"])
def test_counts_that_no_run_has_are_refused(tmp_path: Path, passed: int, valid: int) -> None:
    path = tmp_path / "baseline.json"
    counts = f'{{"hash": "h", "passed": {passed}, "valid": {valid}}}'
    path.write_text(f'{{"run": "r", "suite": "s", "cases": {{"A": {counts}}}}}', encoding="utf-8")
    with pytest.raises(HarnessError, match="cannot be read as a baseline"):
        read_baseline(path)
