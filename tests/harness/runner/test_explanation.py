"""Which trials a trial that failed is held against."""

from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.runner import TrialName, explain_trial
from harness.storage import promote
from tests.runfolders import stored_run


def explained(runs: Path, run: str, number: int | None = None, other: str = "") -> tuple[str, ...]:
    """The trial, and what it is held against: kind, run and trial."""
    found = explain_trial(TrialName(runs / run, "A", number), runs / other if other else None)
    compared = found.compared
    return str(found.trial), compared.kind, compared.run, str(compared.trial)


def test_trials_that_passed_are_those_of_the_run_else_of_its_baseline(tmp_path: Path) -> None:
    stored_run(tmp_path, "1", {"A": [True, False, False]})
    stored_run(tmp_path, "2", {"A": [False], "B": [True]})
    stored_run(tmp_path, "3", {"A": [True], "B": [False]})
    assert explained(tmp_path, "1") == ("2", "run", "1", "1")
    assert explained(tmp_path, "1", 3) == ("3", "run", "1", "1")
    assert explained(tmp_path, "2")[1] == "expectations"
    assert explained(tmp_path, "2", other="1") == ("1", "other run", "1", "1")
    promote(tmp_path, tmp_path / "1", set_at="2026")
    assert explained(tmp_path, "2") == ("1", "baseline", "1", "1")
    assert explained(tmp_path, "3")[0] == "1"  # none failed: the first


def test_a_run_without_its_end_is_decided_for_it(tmp_path: Path) -> None:
    stored_run(tmp_path, "1", {"A": [False, True]}, decided=False)
    assert explained(tmp_path, "1") == ("1", "run", "1", "2")


@pytest.mark.parametrize(
    ("name", "other", "said", "hint"),
    [
        (("C", None), None, "run '1' has no case 'C'", "known: A, BB, E"),
        (("AA", None), None, "run '1' has no case 'AA'", "did you mean 'A'?"),
        (("A", 4), None, "case 'A' has no trial 4", "there are 1, 2"),
        (("E", None), None, "no trial of case 'E' is finished in run '1'", ""),
        (("A", 1), "2", "no trial of case 'A' passed in run", "name a run in which it did, or"
                                                               " leave the option out"),
        (("BB", 1), "2", "no trial of case 'BB' passed in run", "name a run in which it did, or"
                                                                 " leave the option out"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_told(
    tmp_path: Path, name: tuple[str, int | None], other: str | None, said: str, hint: str
) -> None:
    stored_run(tmp_path, "1", {"A": [False, True], "BB": [False], "E": []})
    stored_run(tmp_path, "2", {"A": [False]})
    with pytest.raises(HarnessError, match=said) as refused:
        explain_trial(TrialName(tmp_path / "1", *name), tmp_path / other if other else None)
    assert refused.value.hint == hint


def test_a_record_that_is_gone_is_told(tmp_path: Path) -> None:
    stored_run(tmp_path, "1", {"A": [False, True]})
    (record,) = (tmp_path / "1").rglob("trials/**/1.json*")
    record.unlink()
    with pytest.raises(HarnessError, match="the record of trial 1 of case 'A' is not there"):
        explain_trial(TrialName(tmp_path / "1", "A", 1))
