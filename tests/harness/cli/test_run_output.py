from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.cli.run_output import (
    _previous,
    check_db,
    copy_report,
    index_run,
    show_result,
    show_warnings,
    write_reports,
)
from harness.errors import HarnessError
from harness.model import Case, RunManifest, RunResult, Turn
from harness.storage import RunFolder, open_index
from harness.storage.index import find_run
from tests.runfolders import stored_run

CASE = Case(id="C-1", turns=(Turn(user="Why?"),))


def run(folder: Path, name: str, *, interrupted: bool = False) -> RunResult:
    manifest = RunManifest(run=name, suite="s", agent="a", cases={"C-1": "h"}, trials={"C-1": 1})
    RunFolder.create(folder / name, manifest, [CASE])
    return RunResult(
        manifest=manifest,
        cases=(),
        decisions=(),
        records=(),
        interrupted=interrupted,
        folder=str(folder / name),
    )


def test_warnings_stand_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    show_warnings(["no base"])
    assert capsys.readouterr() == ("", "warning: no base\n")


def test_an_interrupted_run_says_how_to_finish_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show_result(run(tmp_path, "r1", interrupted=True), verbose=False)
    assert f"understudy run --resume {tmp_path / 'r1'}" in capsys.readouterr().out


@pytest.mark.parametrize("report", [None, "{", '{"cases": 3}', '{"cases": [{}]}'])
def test_an_earlier_run_without_a_report_is_nothing_to_compare_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], report: str | None
) -> None:
    run(tmp_path, "r1")
    (tmp_path / "r2").mkdir()
    if report is not None:
        (tmp_path / "r1" / "report.json").write_text(report, encoding="utf-8")
    show_result(run(tmp_path, "r3"), verbose=False, filtered=True)
    assert "against" not in capsys.readouterr().out


def test_a_copy_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    result = run(tmp_path, "r1")
    folder = RunFolder(tmp_path / "r1")
    write_reports(result, folder)
    assert (folder.path / "summary.md").is_file()
    with pytest.raises(HarnessError, match="cannot write"):
        copy_report(folder, folder.path / "report.json" / "copy.json")


def test_a_run_is_indexed_where_a_database_was_named(tmp_path: Path) -> None:
    folder = stored_run(tmp_path / "runs", "1", {"A": [True]})
    index_run(folder, "")
    assert not list(tmp_path.glob("**/*.db"))
    index_run(folder, str(tmp_path / "central.db"))
    index = open_index(tmp_path, str(tmp_path / "central.db"))
    assert find_run(index.database, "1") is not None
    index.close()


def test_a_database_that_is_down_does_not_stop_a_run(
    office: Path, mock_url: str, tmp_path: Path
) -> None:
    """The run goes on, and the index catches up."""
    runs = tmp_path / "runs"
    arguments = ["run", str(office), "--mock", mock_url, "--run-dir", str(runs), "-a", "oracle"]
    down = ["--db", "postgresql://u:s3cret@127.0.0.1:9/d"]
    result = CliRunner().invoke(app, [*arguments, *down])
    assert result.exit_code == 0
    assert "warning: the run is not indexed: " in result.output
    assert "s3cret" not in result.output
    listed = CliRunner().invoke(app, ["runs", "--run-dir", str(runs)])
    assert "oracle  2/2    2/2     1.000" in listed.output


def test_a_database_that_can_never_be_used_is_refused_before_the_run() -> None:
    check_db("")
    with pytest.raises(HarnessError, match="unknown kind"):
        check_db("mysql://h/d")


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({"20261120-101500-ffffff": "10:15:00.100", "20261120-101459-bbbbbb": "10:14:59.000"}, "f"),
        ({"20261120-101500-ffffff": "10:15:00.900", "20261120-101459-bbbbbb": "10:14:59.000"}, "b"),
        ({"20261120-101500-ffffff": "10:15:00.100", "20261120-101500-000000": "10:15:00.300"}, "0"),
        ({"20261120-101501-ffffff": "10:15:01.000"}, ""),
    ],
)
def test_the_earlier_run_is_the_latest_that_began_before(
    others: dict[str, str], expected: str, tmp_path: Path
) -> None:
    own = {"20261120-101500-aaaaaa": "10:15:00.500"}
    for name, moment in {**others, **own}.items():
        stored_run(tmp_path, name, {"A": [True]}, started_at=f"2026-11-20T{moment}Z")
    folder = RunFolder(tmp_path / next(iter(own)))
    found = _previous(
        RunResult(
            manifest=folder.manifest(),
            cases=(),
            decisions=(),
            records=(),
            interrupted=False,
            folder=str(folder.path),
        )
    )
    assert (found.name[16:17] if found else "") == expected
