from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.storage import Baseline, Baselines, promote, suite_name
from tests.runfolders import stored_run


def test_the_baseline_of_a_suite_is_the_one_set_last(tmp_path: Path) -> None:
    """CTX-24, CTXR-02: it is kept, also for other processes."""
    for run, suite in [("r1", "office"), ("r2", "other"), ("r3", "office")]:
        Baselines(tmp_path).set(Baseline(run=run, suite=suite))
    kept = Baselines(tmp_path)
    found = kept.of("fixtures/office")
    assert found is not None
    assert found.run == "r3"
    assert [each.run for each in kept.all()] == ["r1", "r2", "r3"]
    assert kept.of("none") is None


def test_a_run_is_a_baseline_once(tmp_path: Path) -> None:
    kept = Baselines(tmp_path)
    for run in ("r1", "r2", "r1"):
        kept.set(Baseline(run=run, suite="office", note=run))
    assert [each.run for each in kept.all()] == ["r2", "r1"]


def test_without_its_newest_baseline_a_suite_has_the_one_before(tmp_path: Path) -> None:
    kept = Baselines(tmp_path)
    kept.set(Baseline(run="r1", suite="office"))
    kept.set(Baseline(run="r2", suite="office"))
    assert kept.remove("r2").suite == "office"
    assert [each.run for each in kept.all()] == ["r1"]
    with pytest.raises(HarnessError, match=r"run 'r22' is no baseline|did you mean"):
        kept.remove("r22")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("fixtures/office", "office"),
        ("fixtures/office/", "office"),
        ("units.yaml", "units"),
        ("fixtures/office/registry.json", "office"),
        ("suite.json", "suite"),
        ("tests/a.b", "a.b"),
        ("", ""),
    ],
)
def test_a_suite_is_called_by_its_folder_or_file(path: str, name: str) -> None:
    assert suite_name(path) == name


def test_a_finished_run_is_made_the_baseline_of_its_suite(tmp_path: Path) -> None:
    """CTX-21"""
    folder = stored_run(tmp_path, "1", {"A": [True, False]})
    made = promote(tmp_path, folder.path, set_at="2026-11-20T10:00:00Z", note="release")
    assert (made.run, made.suite, made.agent) == ("1", "office", "echo")
    assert Baselines(tmp_path).of("office") == made


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"passes": {"A": [None]}}, "no valid trial"),
        ({"passes": {"A": [True]}, "trials": {"A": 2}}, r"unfinished.*understudy run --resume"),
        ({"passes": {"A": [True]}, "decided": False}, "unfinished"),
    ],
    ids=["infrastructure", "interrupted", "undecided"],
)
def test_a_run_that_says_nothing_is_no_baseline(
    tmp_path: Path, facts: dict[str, object], why: str
) -> None:
    """Pitfall 5"""
    folder = stored_run(tmp_path, "1", **facts)  # type: ignore[arg-type]
    with pytest.raises(HarnessError, match=why):
        promote(tmp_path, folder.path, set_at="")
    assert Baselines(tmp_path).all() == ()
