from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError
from harness.model import RunManifest
from harness.runner import is_whole, since_whole
from harness.runner.history import against_baseline, runs_of, suite_history
from harness.statistics import Terms
from harness.storage import RunFolder, promote
from tests.harness.records import case, manifest, record
from tests.runfolders import stored_run


@pytest.mark.parametrize(
    ("facts", "whole"),
    [
        ({"suite_cases": 2}, True),
        ({"suite_cases": 3}, False),
        ({"suite_cases": 0}, False),
        ({"suite_cases": 2, "options": {"faults_matrix": "outage"}}, False),
    ],
    ids=["all", "some", "of-an-earlier-version", "crossed-with-faults"],
)
def test_a_run_is_whole_with_every_case_of_its_suite(facts: dict[str, Any], whole: bool) -> None:
    """CEP-81; a case under a fault profile is no further case."""
    assert is_whole(manifest(["A", "A--outage"], **facts)) == whole


def test_runs_of_parts_are_counted_since_the_whole_was_run(tmp_path: Path) -> None:
    def run(number: int, ids: list[str], *records: str) -> RunManifest:
        name, started = f"run-{number}", f"2026-01-0{number}T00:00:00Z"
        made = manifest(ids, suite_cases=2, run=name, started_at=started)
        folder = RunFolder.create(tmp_path / name, made, [case(id=id) for id in ids])
        for id in records:
            folder.write_trial(record(case=id))
        return made

    part = run(1, ["A"], "A")
    assert since_whole(part, tmp_path) == ("", 1)
    run(2, ["A", "B"], "A", "B")
    run(3, ["B"], "B")
    broken_off = run(4, ["A", "B"], "A")
    assert since_whole(broken_off, tmp_path) == ("run-2", 2)


def test_the_history_of_a_suite_is_that_of_one_agent(tmp_path: Path) -> None:
    for number, agent in enumerate(("echo", "other", "echo", "other"), 1):
        stored_run(tmp_path, str(number), {"A": [number > 1, True]}, agent=agent)
    stored_run(tmp_path, "5", {"A": [True]}, agent="echo", decided=False)
    stored_run(tmp_path, "6", {"A": [True]}, suite="fixtures/never")
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "manifest.json").write_text("{", encoding="utf-8")

    def runs(**asked: Any) -> tuple[str, list[str]]:
        found = suite_history("office", tmp_path, **asked)
        return found.agent, [each.run for each in found.runs]

    assert runs() == ("other", ["2", "4"])
    assert runs(agent="echo") == ("echo", ["1", "3"])
    assert runs(agent="other") == ("other", ["2", "4"])
    assert runs(agent="other", last=1) == ("other", ["4"])
    newest = [each.run for _, each in runs_of("office", tmp_path)]
    assert newest == ["5", "4", "3", "2", "1"]
    assert [each.run for _, each in runs_of("office", tmp_path, agent="other")] == ["4", "2"]
    (first, *_) = suite_history("office", tmp_path, agent="echo").runs
    told = first.cases["A"]
    assert (told.verdict, told.passed, told.valid) == ("flaky", 1, 2)
    assert told.reason
    with pytest.raises(HarnessError, match="no finished run of suite 'gone'"):
        suite_history("gone", tmp_path)


def test_the_newest_run_with_a_verdict_is_held_against_the_baseline(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="suite 'office' has no baseline"):
        against_baseline("office", tmp_path, Terms())
    stored_run(tmp_path, "1", {"A": [True]})
    stored_run(tmp_path, "2", {"A": [True]})
    promote(tmp_path, tmp_path / "2", set_at="2026")
    with pytest.raises(HarnessError, match="has no finished run after its baseline 2"):
        against_baseline("office", tmp_path, Terms())
    stored_run(tmp_path, "3", {"A": [False]})
    stored_run(tmp_path, "4", {"A": [None]})
    found = against_baseline("office", tmp_path, Terms(threshold=0.5))
    assert (found.baseline, found.candidate, found.over_threshold) == ("2", "3", ("A",))
