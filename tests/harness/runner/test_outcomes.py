from pathlib import Path

from harness.model import HeldRecords, Judge, Policy, TextContains
from harness.runner import compared, outcomes_of, stored_outcomes
from harness.statistics import Terms
from harness.verdicts import decide_case, decide_trial
from tests.harness.cli.test_compare import stored
from tests.harness.records import case, decided, manifest, record


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
    assert compared(outcomes, outcomes, Terms()).trials_needed is None
    assert manifest(["A"]).cases


def test_a_run_whose_judge_was_off_names_the_cases_it_left_open() -> None:
    judged = case(Judge(question="Is it kind?"), TextContains(needles=("a",)), id="A")
    records = [record(text, case="A", number=n) for n, text in enumerate("aab", 1)]
    found = outcomes_of(decided(manifest(["A"]), [judged], records))
    assert (found.counts, found.not_evaluated) == ({"A": (0, 1)}, {"A"})
