import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from harness.cli.main import app
from harness.errors import HarnessError
from harness.storage import Baseline, Baselines
from tests.harness.conftest import write_suite


def told(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of a suite: one in which everything passed, one in which everything failed."""
    folder = tmp_path_factory.mktemp("explained")
    suite = write_suite(folder / "office")
    common = ("run", suite, "--run-dir", folder / "runs", "--ids", "T-001")
    assert told(*common, "-a", "oracle").exit_code == 0
    assert "why: understudy explain" in told(*common, "-a", "echo").output
    return folder / "runs"


def in_order(runs: Path) -> list[str]:
    """The names of the runs as they were made, perhaps in one second."""
    manifests = sorted(runs.glob("*/manifest.json"), key=lambda path: path.stat().st_mtime_ns)
    return [path.parent.name for path in manifests]


@pytest.mark.slow
def test_a_run_that_is_named_is_compared(runs: Path) -> None:
    passed, failed = in_order(runs)
    found = told("explain", "T-001", "--with", passed, "--run-dir", runs)
    assert found.exit_code == 0, found.output
    assert f"Compared with trial 1 of run {passed}, which passed." in found.output
    assert "they part at" in found.output.lower() or "They part" in found.output
    record = runs / failed / "trials" / "T-001" / "1.json"
    names = ("T-001/1", f"{failed}/T-001", f"{runs / failed}/T-001/1", record)
    order = ("--with", passed, "--run-dir", runs, "--json")
    stories = [json.loads(told("explain", name, *order).output) for name in names]
    assert stories[0]["compared"] == {"kind": "other run", "run": passed, "trial": 1}
    assert all(each == stories[0] for each in stories)


def test_the_baseline_is_compared_where_no_trial_of_the_run_passed(runs: Path) -> None:
    passed = in_order(runs)[0]
    before = json.loads(told("explain", "T-001", "--run-dir", runs, "--json").output)
    assert before["compared"]["kind"] == "reference"
    Baselines(runs).set(Baseline(run=passed, suite="office"))
    after = json.loads(told("explain", "T-001", "--run-dir", runs, "--json").output)
    assert after["compared"] == {"kind": "baseline", "run": passed, "trial": 1}
    assert told("explain", f"{passed}/T-001", "--run-dir", runs).output.endswith(
        "pass; there is nothing to explain\n"
    )


@pytest.mark.parametrize(
    ("name", "more", "problem"),
    [
        ("T-01", (), "has no case 'T-01'"),
        ("T-001/7", (), "has no trial 7"),
        ("2020/T-001", (), "no run '2020'"),
        ("T-001", ("--with", "latest"), "no trial of case 'T-001' passed in run"),
    ],
)
def test_what_is_not_there_is_told(
    name: str, more: tuple[str, ...], problem: str, runs: Path
) -> None:
    found = told("explain", name, *more, "--run-dir", runs)
    assert isinstance(found.exception, HarnessError)
    assert problem in str(found.exception)


def test_what_is_left_of_a_run_is_explained(runs: Path, tmp_path: Path) -> None:
    failed = in_order(runs)[-1]
    shutil.copytree(runs, tmp_path / "runs")
    name, folder = f"{failed}/T-001", tmp_path / "runs" / failed
    (folder / "trials" / "T-001" / "1.json").unlink()
    gone = told("explain", name, "--run-dir", tmp_path / "runs")
    assert "the record of trial 1 of case 'T-001' is not there" in str(gone.exception)
    shutil.rmtree(folder / "decisions")
    undecided = told("explain", name, "--run-dir", tmp_path / "runs")
    assert "no trial of case 'T-001' is finished" in str(undecided.exception)
