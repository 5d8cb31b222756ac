from pathlib import Path

import pytest

from harness.cli.case_selection import (
    problems_of_selection,
    selected_cases,
    servable_cases,
    suite_of,
)
from harness.cli.run_options import RunOptions
from harness.errors import CaseProblem, HarnessError, InvalidCasesError
from harness.model import Fixtures


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


def test_what_is_named_is_looked_at_alone(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("id: A-1\ninput: Why?\nexpect: {text: {contains: [x]}}\n")
    (tmp_path / "b.yaml").write_text("id: A-2\ninput: Why?\nexpects: {}\n")
    suite = suite_of(tmp_path, keep_going=True)
    assert [case.id for case in selected_cases(RunOptions(ids="a-1"), suite)] == ["A-1"]
    assert problems_of_selection(suite, "A-1") == []
    assert [each.case for each in problems_of_selection(suite, "")] == ["A-2"]
    with pytest.raises(InvalidCasesError, match="unknown key 'expects'"):
        selected_cases(RunOptions(ids="A-2"), suite)
    assert [case.id for case in selected_cases(RunOptions(ids="A-1,A-2"), suite)] == ["A-1"]


def test_a_snapshot_that_cannot_be_served_costs_the_cases_that_start_from_it(office: Path) -> None:
    cases = suite_of(office, keep_going=True).cases
    first = cases[0].model_copy(update={"fixtures": Fixtures(overrides=("A",))})
    own = CaseProblem(f"{office}/fixtures/A/overrides.json#/users", "no list")
    unused = CaseProblem(f"{office}/B/overrides.json", "not JSON")
    found, lost = servable_cases((first, *cases[1:]), office, [own, unused])
    assert [case.id for case in found] == [case.id for case in cases[1:]]
    assert [(each.message, each.case) for each in lost] == [("no list", first.id)]
    for place in ("fixtures/A/1.patch.json#/0", "A", "fixtures/A"):
        found, _ = servable_cases(
            (first, *cases[1:]), office, [CaseProblem(f"{office}/{place}", "x")]
        )
        assert first.id not in [case.id for case in found], place
    file = first.model_copy(update={"fixtures": Fixtures(overrides=("shared/x.json",))})
    other = CaseProblem(f"{office}/shared/x.json#/users", "no list")
    assert servable_cases((file,), office, [other])[0] == ()
    base = CaseProblem(f"{office}/base/all.json#/users", "no list")
    assert servable_cases(cases, office, [base])[0] == ()


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
