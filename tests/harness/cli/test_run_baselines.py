"""The baseline of a run in a file, through the real command on a suite of one task."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.cli.options import run_path
from harness.errors import HarnessError
from harness.storage import Baselines, RunFolder

SUITE = {
    "name": "depots",
    "tasks": [
        {
            "id": id,
            "category": "search_retrieval",
            "prompt": "Where is it?",
            "expectedPatterns": ["contains:Utrecht"],
        }
        for id in ("one", "two")
    ],
}


@pytest.fixture
def harness(mock_url: str, tmp_path: Path) -> Callable[..., Any]:
    (tmp_path / "tasks.json").write_text(json.dumps(SUITE), encoding="utf-8")

    def call(answer: str, *arguments: str, trials: int | None = 3) -> Any:
        script = tmp_path / "script.yaml"
        script.write_text(json.dumps(dict.fromkeys(("one", "two"), answer)), encoding="utf-8")
        fixed = ["--suite", str(tmp_path / "tasks.json"), "--mock", mock_url]
        runs = ["--run-dir", str(tmp_path / "runs"), "-a", f"scripted:{script}"]
        number = ["-n", str(trials)] if trials else []
        return CliRunner().invoke(app, ["run", *fixed, *runs, *number, *arguments])

    return call


def test_a_run_that_falls_behind_its_baseline_exits_with_4_and_does_not_take_its_place(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    """CTXR-05, CTX-18, CTX-26: saved in a file, held against it, and a regression is a gate."""
    file = tmp_path / "kept" / "baseline.json"
    options = ("--baseline", str(file), "--save-baseline")
    saved = harness("In Utrecht.", *options)
    assert saved.exit_code == 0, saved.output
    assert f"baseline saved in {file}" in saved.output
    before = file.read_bytes()
    worse = harness("In Lima.", *options, "--threshold", "0.1")
    assert worse.exit_code == 1  # a failed gate weighs more than a regression, both are told
    assert "exit 4:" in worse.output
    assert "stays as it was" in worse.stderr
    assert file.read_bytes() == before
    again = harness("Utrecht it is.", *options)
    assert again.exit_code == 0
    assert file.read_bytes() != before


def test_a_baseline_that_is_not_there_is_an_error_and_no_dim_line(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    """CTXR-05."""
    found = harness("In Utrecht.", "--baseline", str(tmp_path / "none.json"))
    assert isinstance(found.exception, HarnessError)
    assert "no baseline at" in str(found.exception)
    assert "--save-baseline" in found.exception.hint
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("options", "code", "headline"),
    [([], 4, "CHANGED:"), (["--allow-removed"], 0, "INCONCLUSIVE:")],
    ids=["gone", "allowed"],
)
def test_cases_that_are_gone_need_leave_in_code_and_headline_alike(
    harness: Callable[..., Any], tmp_path: Path, options: list[str], code: int, headline: str
) -> None:
    """Pitfall 20"""
    file = str(tmp_path / "baseline.json")
    assert harness("In Utrecht.", "--baseline", file, "--save-baseline").exit_code == 0
    found = harness("In Utrecht.", "--baseline", file, "--ids", "one", *options)
    assert (found.exit_code, headline in found.output) == (code, True), found.output


def test_without_a_file_the_run_becomes_the_baseline_of_its_suite(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    """CTX-21, CTX-27."""
    assert harness("In Utrecht.", "--save-baseline").exit_code == 0
    (made,) = Baselines(tmp_path / "runs").all()
    assert (tmp_path / "runs" / made.run).is_dir()
    assert made.suite == "tasks"


@pytest.mark.parametrize(("options", "at_a_time"), [((), 1), (("-j", "3"), 3)])
def test_tasks_run_one_by_one_where_nothing_else_is_said(
    harness: Callable[..., Any], tmp_path: Path, options: tuple[str, ...], at_a_time: int
) -> None:
    """CTX-19: one after the other, each in a session of its own."""
    assert harness("In Utrecht.", *options).exit_code == 0
    (path,) = (tmp_path / "runs").glob("*/manifest.json")
    folder = RunFolder(path.parent)
    assert folder.manifest().options["concurrency"] == at_a_time
    assert len({record.session for record in folder.records()}) == 6


def test_trials_are_added_until_the_comparison_is_decided(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    """A baseline is asked for, the looks tell the number of trials, and a verdict ends it."""
    file = tmp_path / "baseline.json"
    assert harness("In Utrecht.", "--baseline", str(file), "--save-baseline").exit_code == 0
    options = ["--baseline", str(file), "--until-decided", "--margin", "0.6"]
    found = harness("In Utrecht.", *options, trials=None)
    assert found.exit_code == 0, found.output
    assert "looked at after 3 trials a case, at alpha = 0.0167 each time" in found.output


@pytest.mark.parametrize(
    ("options", "trials", "said"),
    [
        (["--until-decided"], None, "--until-decided needs a baseline"),
        (["--until-decided", "--baseline", "FILE"], 5, "leave --trials out"),
        (["--until-decided", "--baseline", "FILE", "--shard", "1/2"], None, "leave --shard out"),
    ],
    ids=["baseline", "trials", "shard"],
)
def test_what_goes_not_with_until_decided_is_told(
    harness: Callable[..., Any],
    tmp_path: Path,
    options: list[str],
    trials: int | None,
    said: str,
) -> None:
    file = tmp_path / "baseline.json"
    assert harness("In Utrecht.", "--baseline", str(file), "--save-baseline").exit_code == 0
    named = [str(file) if each == "FILE" else each for each in options]
    assert said in str(harness("In Utrecht.", *named, trials=trials).exception)


def test_a_run_that_is_topped_up_needs_its_baseline_to_be_resumed(
    harness: Callable[..., Any], mock_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "baseline.json"
    options = ["--baseline", str(file), "--margin", "0.6"]
    assert harness("In Utrecht.", *options, "--save-baseline").exit_code == 0
    assert harness("In Utrecht.", *options, "--until-decided", trials=None).exit_code == 0
    runs = tmp_path / "runs"
    latest = run_path("latest", runs)
    (latest / "trials" / "one" / "3.json").unlink()
    resume = ["run", "--resume", str(latest), "--mock", mock_url, "--run-dir", str(runs)]
    lost = CliRunner().invoke(app, resume)
    assert "give it again to resume" in str(lost.exception)
    found = CliRunner().invoke(app, [*resume, *options])
    assert (found.exit_code, "NOT WORSE" in found.output) == (0, True), found.output


@pytest.mark.parametrize(
    ("deterministic", "code"), [(True, 4), (False, 0)], ids=["deterministic", "not"]
)
def test_a_deterministic_case_may_not_change_at_all(
    mock_url: str, tmp_path: Path, *, deterministic: bool, code: int
) -> None:
    """One trial says enough where the agent answers the same every time; better is a change too."""
    suite = tmp_path / "cases.yaml"
    case = {
        "id": "D-1",
        "input": "Say hello.",
        "deterministic": deterministic,
        "expect": {"text": {"contains": ["good morning"]}},
        "reference": {"answer": "Good morning."},
    }
    suite.write_text(json.dumps({"cases": [case]}), encoding="utf-8")
    fixed = ["run", str(suite), "--mock", mock_url, "--run-dir", str(tmp_path / "runs"), "-n", "1"]
    assert CliRunner().invoke(app, [*fixed, "-a", "echo"]).exit_code == 1
    found = CliRunner().invoke(app, [*fixed, "-a", "oracle", "--baseline", "latest"])
    assert found.exit_code == code, found.output
    assert ("CHANGED OUTCOME (declared deterministic):" in found.output) == deterministic
