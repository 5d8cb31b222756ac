"""`understudy runs recheck` on stored trials: nothing is run again."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.model import Reply, TrialRecord, TrialStatus
from harness.runner import NewRun, RunSettings, begin_run, read_policy
from harness.runner.run import decide
from harness.storage import RunFolder
from tests.harness.conftest import write_suite

Recheck = Callable[..., Any]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "office")


@pytest.fixture
def folder(suite: Path, tmp_path: Path) -> RunFolder:
    """A decided run of one case, in which one trial of two names the laboratory."""
    from datetime import UTC, datetime

    from harness.cases import load_suite
    from harness.verdicts import Limits

    case = load_suite(suite).cases[0]
    asked = NewRun(str(suite), [case], "echo", read_policy("all"), RunSettings(trials=2))
    folder = begin_run(asked, tmp_path / "runs", lambda: datetime(2026, 11, 20, tzinfo=UTC))
    manifest = folder.manifest()
    for number, text in enumerate(("The Laboratory.", "The Attic."), start=1):
        folder.write_trial(
            TrialRecord(
                run=manifest.run,
                case=case.id,
                case_hash=manifest.cases[case.id],
                number=number,
                outcome="replied",
                started_at="2026-11-20T00:00:00Z",
                replies=(Reply(turn=1, prompt=case.turns[0].user, text=text),),
            )
        )
    decide(folder, Limits())
    return folder


@pytest.fixture
def recheck(folder: RunFolder) -> Recheck:
    def call(*arguments: str) -> Any:
        return CliRunner().invoke(app, ["recheck", str(folder.path), *arguments])

    return call


def rewritten(suite: Path, old: str, new: str) -> None:
    path = suite / "cases.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


TOOLS = "\n      tools: {calls: [{name: listOrgUnits}]}"


def statuses(folder: RunFolder, report: Path) -> list[TrialStatus]:
    cases = json.loads((folder.path / report / "report.json").read_text(encoding="utf-8"))["cases"]
    return [trial["trialStatus"] for case in cases for trial in case["trials"]]


def test_other_expectations_flip_verdicts_without_a_trial(
    recheck: Recheck, folder: RunFolder, suite: Path
) -> None:
    """The decisions of then are kept beside those of now, and so are the reports."""
    first = {path.name for path in (folder.path / "decisions").iterdir()}
    rewritten(suite, TOOLS, "")
    result = recheck("--verbose")
    assert result.exit_code == 1
    assert "1 verdicts, 1 trials flipped:" in result.stdout
    assert "T-001: failed -> flaky (trials 1)" in result.stdout
    kept = {path.name for path in (folder.path / "decisions").iterdir()}
    assert first < kept
    assert len(kept) == 2
    (below,) = (folder.path / "rechecks").iterdir()
    assert statuses(folder, below) == ["pass", "fail"]


def test_another_policy_decides_over_the_same_trials(
    recheck: Recheck, folder: RunFolder, suite: Path
) -> None:
    rewritten(suite, TOOLS, "")
    result = recheck("--policy", "0.5")
    assert result.exit_code == 0
    assert "T-001: failed -> passed (trials 1)" in result.stdout
    again = recheck("--policy", "0.5", "--stored")
    assert again.exit_code == 1
    assert "no verdict flipped" in again.stdout


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("Which units do we have?", "Which?", id="prompt"),
        pytest.param("{overrides: [T-001]}", "{overrides: []}", id="fixtures"),
    ],
)
def test_a_case_that_asks_something_else_is_not_decided_anew(
    recheck: Recheck, suite: Path, old: str, new: str
) -> None:
    """Pitfall 12: inputs may not change."""
    rewritten(suite, old, new)
    result = recheck()
    assert "fixtures of T-001 are not what they were" in str(result.exception)


def test_a_case_that_is_gone_is_held_against_what_it_was(recheck: Recheck, suite: Path) -> None:
    rewritten(suite, "id: T-001", "id: T-009")
    rewritten(suite, "overrides: [T-001]", "overrides: []")
    shutil.rmtree(suite / "T-001")
    result = recheck()
    assert result.exit_code == 1
    assert "no longer in the suite, held against what they were: T-001" in result.stderr


def test_a_run_that_was_not_decided_is_decided(recheck: Recheck, folder: RunFolder) -> None:
    shutil.rmtree(folder.path / "decisions")
    (folder.path / "decisions").mkdir()
    assert "the run had not been decided before" in recheck().stdout


def test_a_suite_that_moved_is_named(
    recheck: Recheck, suite: Path, tmp_path: Path, folder: RunFolder
) -> None:
    moved = suite.rename(tmp_path / "elsewhere")
    assert "is not there" in str(recheck().exception)
    copy = tmp_path / "copy.json"
    result = recheck("--suite", str(moved), "--json-output", str(copy))
    assert "no verdict flipped" in result.stdout
    assert json.loads(copy.read_text(encoding="utf-8"))["runId"] == folder.manifest().run
    assert "two places" in str(recheck("--suite", str(moved), "--stored").exception)


def test_json_alone_is_on_standard_output(recheck: Recheck) -> None:
    done = recheck("--json")
    assert json.loads(done.stdout)["cases"]
    assert "cases" in done.stderr
