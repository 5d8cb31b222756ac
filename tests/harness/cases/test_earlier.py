"""Suites as an earlier version imported them, with the hashes of their cases then.

A hash is what runs and baselines know a case by: with another one, no earlier run could be compared
with a later one.
"""

import json
from pathlib import Path

import pytest

from harness.cases import case_hash, load_suite

EARLIER = Path(__file__).with_name("earlier")
SUITES = sorted(path for path in EARLIER.glob("*/*") if path.is_dir())


@pytest.mark.parametrize("path", SUITES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_suite_is_read_and_its_cases_are_the_same(path: Path) -> None:
    then = json.loads((path.parent / "hashes.json").read_bytes())
    suite = load_suite(path)
    assert suite.problems == ()
    assert {f"{path.name}/{case.id}": case_hash(case) for case in suite.cases} == {
        name: hash for name, hash in then.items() if name.startswith(f"{path.name}/")
    }
