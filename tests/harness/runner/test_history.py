from typing import Any

import pytest

from harness.runner import is_whole
from tests.harness.records import manifest


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
