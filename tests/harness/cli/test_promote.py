from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from harness.cases import load_suite
from harness.cli.main import app
from harness.doctor.promotion import promote_trial, write_regression_case
from harness.errors import HarnessError
from harness.model import Case, Fixtures, RunManifest
from harness.storage import RunFolder
from tests.harness.conftest import write_suite
from tests.harness.records import case, record


def told(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)])


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which everything failed, beside its suite."""
    folder = tmp_path_factory.mktemp("promoted")
    suite = write_suite(folder / "office")
    cases = (suite / "cases.yaml").read_text(encoding="utf-8")
    files = "fixtures: {overrides: [T-001], files: [T-001/net.log]}"
    (suite / "T-001" / "net.log").write_text("reset", encoding="utf-8")
    (suite / "cases.yaml").write_text(
        cases.replace("fixtures: {overrides: [T-001]}", files), encoding="utf-8"
    )
    assert told("run", suite, "-a", "echo", "--run-dir", folder / "runs").exit_code == 1
    return folder


def test_a_failing_trial_becomes_a_case_that_stands_alone(failed: Path, tmp_path: Path) -> None:
    """CEP-62."""
    into = tmp_path / "regressions"
    for id in ("T-001", "T-002"):
        result = told("promote", "latest", id, "--run-dir", failed / "runs", "--into", into)
        assert result.exit_code == 0, result.output
    suite = load_suite(into)
    assert suite.problems == ()
    first = suite.cases[0]
    assert (first.id, first.tags) == ("T-001-regression", ("units", "regression"))
    assert first.fixtures.workspace == {"net.log": "reset"}
    checked = told("run", into, "-a", "oracle", "--run-dir", tmp_path / "runs")
    assert checked.exit_code == 0, checked.output


def test_nothing_is_overwritten_and_another_id_is_taken(failed: Path, tmp_path: Path) -> None:
    order = ("promote", "latest", "T-001", "--run-dir", failed / "runs", "--into", tmp_path)
    assert told(*order).exit_code == 0
    again = told(*order)
    assert "is there already" in str(again.exception)
    assert told(*order, "--id", "T-001-again").exit_code == 0
    assert "is no id of a case" in str(told(*order, "--id", "../x").exception)


def test_a_case_that_has_changed_since_is_refused(failed: Path, tmp_path: Path) -> None:
    changed = write_suite(tmp_path / "office")
    text = (changed / "cases.yaml").read_text(encoding="utf-8")
    (changed / "cases.yaml").write_text(text.replace("Which units do we", "Which do we"), "utf-8")
    order = ("promote", "latest", "T-001", "--run-dir", failed / "runs", "--into", tmp_path / "r")
    result = told(*order, "--suite", changed)
    assert "something else now" in str(result.exception)


def test_without_a_reference_it_is_said(failed: Path, tmp_path: Path) -> None:
    suite = tmp_path / "bare"
    suite.mkdir()
    (suite / "a.yaml").write_text(
        "id: A\ninput: Why?\nexpect: {text: {contains: [x]}}\n", encoding="utf-8"
    )
    runs = tmp_path / "runs"
    assert told("run", suite, "-a", "echo", "--run-dir", runs).exit_code == 1
    result = told("promote", "latest", "A", "--run-dir", runs, "--into", tmp_path / "r")
    assert "A-regression has no reference" in result.output


def run_of(folder: Path, *cases: Case) -> RunFolder:
    hashes = {each.id: "h" for each in cases}
    manifest = RunManifest(
        run="r1", suite=str(folder), agent="a", cases=hashes, trials=dict.fromkeys(hashes, 1)
    )
    run = RunFolder.create(folder / "run", manifest, cases)
    for each in cases:
        run.write_trial(record("no", case=each.id))
    return run


def test_what_cannot_be_promoted_is_told(tmp_path: Path) -> None:
    taped = case(id="TAPED", fixtures=Fixtures(cassettes=("a",)))
    run = run_of(tmp_path, taped)
    with pytest.raises(HarnessError, match=r"no case 'TAPEE' \(did you mean 'TAPED'"):
        promote_trial(run, "TAPEE", None, "R", None)
    with pytest.raises(HarnessError, match="plays recordings"):
        promote_trial(run, "TAPED", None, "R", None)


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(HarnessError, match="cannot write into"):
        write_regression_case(case(id="R"), {}, tmp_path / "file")
