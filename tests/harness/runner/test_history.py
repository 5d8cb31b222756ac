from pathlib import Path
from typing import Any

import pytest

from harness.model import RunManifest
from harness.runner import is_whole, since_whole
from harness.storage import RunFolder
from tests.harness.records import case, manifest, record


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
