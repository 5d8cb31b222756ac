"""What `--perturb-tools` says."""

from typing import Any

import pytest

from harness.cli.run_options import TOOL_CHANGES
from harness.cli.tool_changes import _CHANGES, read_perturbations
from harness.errors import HarnessError

ALL = {
    "rename": True,
    "reorder": True,
    "undescribed": True,
    "distractors": 6,
    "result_limit": 200,
    "prose_errors": True,
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("renamed", {"rename": True}),
        ("reordered, undescribed", {"reorder": True, "undescribed": True}),
        ("distractors=3,truncated=0", {"distractors": 3, "result_limit": 0}),
        ("all", ALL),
        ("truncated=80,all", {**ALL, "result_limit": 80}),
        ("all,distractors=1", {**ALL, "distractors": 1}),
    ],
)
def test_changes_are_read(text: str, expected: dict[str, Any]) -> None:
    found = read_perturbations(text)
    assert found is not None
    assert found.model_dump(exclude_defaults=True) == expected


def test_nothing_is_changed_unless_it_is_asked_for() -> None:
    assert read_perturbations("") is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("shuffled", "'shuffled' is no change of tools"),
        ("renamed=3", "'renamed=3' is no change"),
        ("distractors=many", "'distractors=many' is no change"),
        ("all=1", "'all=1' is no change"),
        ("distractors=13", "less than or equal to 12"),
    ],
)
def test_what_is_no_change_is_refused(text: str, says: str) -> None:
    with pytest.raises(HarnessError, match=says):
        read_perturbations(text)


def test_help_names_every_change() -> None:
    assert [each.partition("[")[0] for each in TOOL_CHANGES] == list(_CHANGES)
