from pathlib import Path

import pytest

from harness.cli.run_reports import copy_report, show_result, show_warnings, write_reports
from harness.errors import HarnessError
from harness.model import Case, RunManifest, RunResult, Turn
from harness.storage import RunFolder

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
    assert f"harness run --resume {tmp_path / 'r1'}" in capsys.readouterr().out


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
