from pathlib import Path

import pytest

from harness.cli.run_cases import selected_cases, suite_of
from harness.cli.run_options import RunOptions
from harness.errors import HarnessError, InvalidCasesError


def ids(office: Path, **options: object) -> list[str]:
    found = selected_cases(
        RunOptions(**options),  # type: ignore[arg-type]
        suite_of(office, keep_going=False),
    )
    return [case.id for case in found]


def test_a_shard_is_taken_of_what_is_selected_and_then_crossed(office: Path) -> None:
    assert ids(office, shard="2/2") == ["T-002"]
    assert ids(office, ids="T-001", faults_matrix="slow") == ["T-001", "T-001--slow"]


def test_an_empty_selection_is_a_mistake_unless_it_is_allowed(office: Path) -> None:
    """Pitfall 7; a name that nobody knows stays one."""
    assert ids(office, ids="T-001", shard="2/2", allow_empty=True) == []
    assert ids(office, ids="T-001", category="dlp", allow_empty=True) == []
    with pytest.raises(HarnessError, match="shard 2/2 of 1 cases has none"):
        ids(office, ids="T-001", shard="2/2")
    with pytest.raises(HarnessError, match="did you mean"):
        ids(office, ids="T-01", allow_empty=True)


def test_invalid_cases_are_left_out_where_the_valid_ones_go_on(tmp_path: Path) -> None:
    """Pitfall 22."""
    (tmp_path / "good.yaml").write_text("id: A-1\ninput: Why?\nexpect: {text: {contains: [x]}}\n")
    (tmp_path / "bad.yaml").write_text("id: A-2\ninput: Why?\nexpects: {}\n")
    with pytest.raises(InvalidCasesError):
        suite_of(tmp_path, keep_going=False)
    assert [case.id for case in suite_of(tmp_path, keep_going=True).cases] == ["A-1"]
    (tmp_path / "good.yaml").unlink()
    with pytest.raises(InvalidCasesError):
        suite_of(tmp_path, keep_going=True)
