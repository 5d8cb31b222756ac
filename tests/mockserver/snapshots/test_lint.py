import json
from pathlib import Path

import pytest

from mockserver.errors import FormatError
from mockserver.snapshots import lint
from mockserver.snapshots.lint import lint_suite


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    write(tmp_path / "base" / "a.json", json.dumps({"capturedAt": "2026-11-01T00:00:00Z"}))
    write(tmp_path / "EC-001" / "overrides.json", "{}")
    return tmp_path


def test_a_sound_suite_has_no_problems(suite: Path) -> None:
    report = lint_suite(suite)
    assert (report.snapshots, report.problems) == (2, ())


def test_every_problem_is_told_once_with_its_file(suite: Path) -> None:
    """CEP-68: fixtures are validated; what cannot be served is named."""
    write(suite / "base" / "b.json", json.dumps({"errors": {"nothing": "X"}}))
    write(suite / "EC-001" / "overrides.json", json.dumps({"user": []}))
    write(suite / "EC-002" / "overrides.json", "{")
    problems = lint_suite(suite).problems
    assert [problem.where for problem in problems[:2]] == [
        "base/b.json#/errors/nothing",
        "EC-001/overrides.json#/user",
    ]
    assert problems[2].where == "EC-002/overrides.json:1:2"
    assert len(problems) == 3


def test_every_file_that_cannot_be_read_is_told(suite: Path) -> None:
    write(suite / "base" / "b.json", "{")
    write(suite / "base" / "c.json", "[]")
    problems = lint_suite(suite).problems
    assert [problem.where for problem in problems] == ["base/b.json:1:2", "base/c.json"]


def test_a_broken_override_is_told_beside_a_broken_base(suite: Path) -> None:
    write(suite / "base" / "b.json", "{")
    write(suite / "EC-001" / "overrides.json", "{")
    problems = lint_suite(suite).problems
    assert [item.where for item in problems] == ["base/b.json:1:2", "EC-001/overrides.json:1:2"]


def test_a_patch_that_does_not_fit_is_a_problem_of_its_case(suite: Path) -> None:
    write(suite / "EC-002" / "x.patch.json", '[{"op": "remove", "path": "/none"}]')
    (problem,) = lint_suite(suite).problems
    assert problem.where == "EC-002/x.patch.json#/0"


def test_a_long_override_is_a_warning(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CEP-69: keep fixtures short and focused."""
    monkeypatch.setattr(lint, "LONG_FIXTURE", 1)
    (problem,) = lint_suite(suite).problems
    assert (problem.level, problem.where) == ("warning", "EC-001/overrides.json")


def test_a_suite_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such folder"):
        lint_suite(tmp_path / "none")


def test_a_fault_that_no_method_meets_is_a_warning_at_its_place(suite: Path) -> None:
    fault = {"method": "directory.orgunit.list", "status": 503}
    write(suite / "EC-001" / "overrides.json", json.dumps({"faults": [fault]}))
    (problem,) = lint_suite(suite).problems
    assert (problem.where, problem.level) == ("EC-001/overrides.json#/faults/0", "warning")


def test_content_is_held_against_documents_and_common_mistakes(suite: Path) -> None:
    """CEPR-29, CEPR-30: wrong shapes and broken texts are told with file and place."""
    units = [{"name": "Sales", "paht": "/Sales", "orgUnitPath": "/Sales"}]
    write(suite / "base" / "b.json", json.dumps({"orgUnits": units}))
    override = {"orgUnits": [*units, {"name": "undefined", "orgUnitPath": "/x"}]}
    write(suite / "EC-001" / "overrides.json", json.dumps(override))
    content = [item.where for item in lint_suite(suite).problems]
    assert "base/b.json#/orgUnits/0/paht" in content
    assert "EC-001/overrides.json#/orgUnits/1/name" in content
    assert not {item.where for item in lint_suite(suite, content=False).problems} & set(content)


def test_a_long_text_of_a_case_is_a_warning(suite: Path) -> None:
    """CEP-69: keep fixtures short and focused."""
    write(suite / "EC-001" / "net.log", "x" * (lint.LONG_FIXTURE + 1))
    (problem,) = lint_suite(suite).problems
    assert (problem.level, problem.where) == ("warning", "EC-001/net.log")


def test_hints_come_last_and_only_when_asked_for(suite: Path) -> None:
    """CEP-68: opaque values are hints."""
    groups = [{"id": "01qdwywh9v2glu3", "email": "a@example.com", "nam": "A"}]
    write(suite / "base" / "b.json", json.dumps({"groups": groups}))
    levels = [item.level for item in lint_suite(suite, hints=True).problems]
    assert levels == ["warning", "hint"]
    assert [item.level for item in lint_suite(suite).problems] == ["warning"]
