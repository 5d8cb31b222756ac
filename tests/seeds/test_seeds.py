"""The comparisons of `make seeds` on small suites of our own with the same shapes."""

import json
import shutil
from pathlib import Path
from typing import Any

import httpx
import pytest

from harness.cases import read_suite
from tests.seeds import __main__ as seeds
from tests.seeds import adk, chrome_loading, chrome_verdicts, coding, review_service, suites
from tests.seeds.rows import Row, copied, table

ENTRIES: list[dict[str, Any]] = [
    {
        "id": "EC-001",
        "title": "Printers offline",
        "category": "devices",
        "case_file": "evals/cases/EC-001-printers.md",
        "required_evidence": ["spool", "wifi", "402"],
        "forbidden_evidence": ["wipe"],
        "rubric": {"min_score": 2, "criteria": ["issue", "evidence", "recommend"]},
    },
    {
        "id": "EC-002",
        "title": "Badge readers",
        "category": "devices",
        "case_file": "evals/cases/EC-002-badges.md",
        "required_evidence": ["badge", "reset"],
    },
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in the chrome layout, of invented content."""
    files = {
        "registry.json": json.dumps({"version": "3.0.0", "cases": ENTRIES}),
        "cases/EC-001-printers.md": "# EC-001: P\n\n## Conversation\n\nUser: \u201cWhy?\u201d\n",
        "cases/EC-002-badges.md": "# EC-002: B\n\n## Conversation\n\n**User:** Why not?\n",
        "fixtures/base/api-base.json": json.dumps(
            {"orgUnits": [{"orgUnitId": "1", "name": "All", "orgUnitPath": "/"}], "dlpRules": []}
        ),
        "fixtures/EC-001/overrides.json": json.dumps({"auditEvents": {"items": []}}),
    }
    for name, text in files.items():
        path = tmp_path / "timfee+cep-hero" / "evals" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "timfee+cep-hero"


def test_prompts_and_snapshots_are_those_of_its_own_loader(project: Path) -> None:
    found = list(chrome_loading.rows(project))
    assert [(row.good, row.total) for row in found] == [(2, 2), (2, 2)]
    assert "1 without the label" in found[0].notes[1]


def test_a_snapshot_that_differs_is_a_miss(project: Path) -> None:
    own = project / "evals/fixtures/EC-002/overrides.json"
    own.parent.mkdir()
    shutil.copy(project / "evals/fixtures/EC-001/overrides.json", own)
    registry = project / "evals/registry.json"
    without = [ENTRIES[0], {**ENTRIES[1], "overrides": []}]
    registry.write_text(json.dumps({"version": "3.0.0", "cases": without}), encoding="utf-8")
    assert [row.holds for row in chrome_loading.rows(project)] == [True, False]


def test_verdicts_on_answers_differ_for_named_reasons_alone(project: Path) -> None:
    cases = {case.id: case for case in read_suite(project / "evals").cases}
    found = list(chrome_verdicts.compared(ENTRIES, cases, answers=60))
    assert {row.what.split()[1] for row in found} == {
        "required", "forbidden", "rubric", "structural",
    }  # fmt: skip
    assert all(row.holds for row in found), found


def test_scorings_of_tasks_differ_for_named_reasons_alone() -> None:
    found = list(coding.compared(300))
    assert all(row.holds for row in found), found


def test_the_suite_runs_whole(project: Path) -> None:
    assert all(row.holds for row in suites.of_suite("chrome", project / "evals", 2))


def test_trajectories_are_read_from_an_evalset(tmp_path: Path) -> None:
    """An argument that is null is a value, and no arguments as a whole are a matcher."""
    null = {"name": "t", "args": {"limit": None}}
    odd = {"name": "t", "args": {"contains": "x"}}
    trials = [
        {"expected": [null, odd], "actual": [null, odd]},
        {"expected": [null], "actual": [{"name": "t", "args": {}}]},
        {"expected": [odd], "actual": [{"name": "t", "args": {"contains": "xy"}}]},
    ]
    assert adk.trajectories(trials, "EXACT", tmp_path) == [True, False, False]


@pytest.mark.slow
def test_a_model_says_the_same_in_the_same_sequence() -> None:
    """So both runners meet the same service."""
    asked = {"messages": [{"role": "user", "content": "- [R-1] Short: be short.\n- [R-2] Kind."}]}
    with review_service.double() as model, httpx.Client(trust_env=False) as client:
        said = []
        for seed in (1, 1, 2):
            model.begin(seed)
            answers = [client.post(f"{model.url}/chat/completions", json=asked) for _ in range(9)]
            said.append([answer.text for answer in answers])
    assert said[0] == said[1] != said[2]
    assert len(set(said[0])) > 1


def test_reviews_are_compared_with_those_of_the_services_own_runner() -> None:
    """A refusal has neither observations nor stability."""
    alike = {"span_stability": 1.0, "severity_stability": 0.5}
    theirs = {
        "results": [
            {"case_id": "a", "pass": True, "observation_counts": [1, 2], "repeatability": alike},
            {"case_id": "b", "pass": False, "observation_counts": [0, 0], "repeatability": alike},
            {"case_id": "c", "pass": True},
        ]
    }
    ours = {
        "a": {"statuses": ["pass", "fail"], "observations": [1, 2], "stability": alike},
        "b": {"statuses": ["pass", "pass"], "observations": [0, 1], "stability": {}},
        "c": {"statuses": ["pass"], "observations": [None], "stability": {}},
    }
    found = list(review_service.compared([theirs], [ours]))
    assert [(row.good, row.total) for row in found] == [(2, 3), (1, 2), (1, 2)]
    assert found[0].notes[1] == "model 0, b: False, ours True"


def test_a_service_that_is_not_there_is_skipped(tmp_path: Path) -> None:
    (row,) = review_service.rows(tmp_path, tmp_path)
    assert "no whole copy of the service" in row.skipped


def test_the_table_says_what_misses(capsys: pytest.CaptureFixture[str]) -> None:
    shown = [Row("a", 2, 2), Row("b", 1, 2, ("why",)), Row("c", 0, 0, skipped="no network")]
    assert table(shown) == 1
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()] == ["ok", "MISS", "why", "skip", "1"]


def test_a_project_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="git clone it there"):
        copied(tmp_path, "timfee/cep-hero", tmp_path / "scratch")
    assert seeds.main([]) == 2
    assert seeds.main([str(tmp_path)]) == 2
