"""`understudy report` over runs of the doubles."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.cli.report import (
    make_reports,
    named_formats,
    tell_github,
    write_elsewhere,
    write_further,
)
from harness.errors import HarnessError
from tests.harness.cli.test_compare import stored
from tests.harness.example_run import example_run, good_run


@pytest.fixture
def report(tmp_path: Path) -> Callable[..., Any]:
    runs = tmp_path / "runs"
    stored(runs, "r1", {"A": [True, True], "B": [True, True]})
    stored(runs, "r2", {"A": [True, False], "B": [False, False]})

    def call(*arguments: str) -> Any:
        return CliRunner().invoke(app, ["report", *arguments, "--run-dir", str(runs)])

    return call


def test_a_page_lies_in_the_run(report: Callable[..., Any], tmp_path: Path) -> None:
    """CEPR-14: the HTML report, of a run that is there already"""
    result = report("latest")
    assert result.exit_code == 0
    page = (tmp_path / "runs" / "r2" / "report.html").read_text(encoding="utf-8")
    assert "A quality gate failed" in page
    assert "Pass rates" in page


def test_a_report_goes_to_a_file_and_tells_of_the_baseline(
    report: Callable[..., Any], tmp_path: Path
) -> None:
    output = tmp_path / "page.html"
    result = report("r2", "--output", str(output), "--baseline", "r1")
    assert result.output == f"report in {output}\n"
    assert "Against r1" in output.read_text(encoding="utf-8")


def test_one_file_can_go_to_stdout(report: Callable[..., Any]) -> None:
    result = report("r2", "-f", "junit", "-o", "-")
    assert result.output.startswith('<?xml version="1.0"')
    assert result.exit_code == 0


def test_tables_and_charts_go_to_a_folder(report: Callable[..., Any], tmp_path: Path) -> None:
    report("r2", "-f", "csv,charts", "-o", str(tmp_path / "out"))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "checks.csv", "pass_rates.svg", "stability.svg", "trials.csv",
    ]  # fmt: skip


def test_github_is_told_on_stdout(
    report: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    result = report("r2", "--format", "github")
    assert "::error title=B failed 0/2::" in result.output
    assert (tmp_path / "summary").is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["r2", "-f", "htlm"], "there is no report 'htlm'"),
        (["r2", "-f", ","], "no format given"),
        (["r2", "-f", "csv", "-o", "-"], "several files: trials.csv, checks.csv"),
        (["r2", "-f", "github", "-o", "x"], "github is no file"),
        (["r9"], "no run 'r9'"),
    ],
    ids=["format", "none", "stdout", "github", "run"],
)
def test_what_cannot_be_is_told(
    report: Callable[..., Any], arguments: list[str], said: str
) -> None:
    assert said in str(report(*arguments).exception)


def test_nothing_to_draw_is_told(report: Callable[..., Any], tmp_path: Path) -> None:
    stored(tmp_path / "runs", "r3", {"A": []})
    assert "nothing to report" in str(report("r3", "-f", "charts", "-o", "-").exception)


def test_a_run_writes_the_reports_it_is_asked_for(
    office: Path, mock_url: str, tmp_path: Path
) -> None:
    """CEPR-14: `understudy run --report html`"""
    runs = ["--run-dir", str(tmp_path), "--mock", mock_url, "--report", "html,csv"]
    result = CliRunner().invoke(app, ["run", str(office), "--agent", "oracle", *runs])
    assert result.exit_code == 0, result.output
    (run,) = (path.parent for path in tmp_path.glob("*/manifest.json"))
    assert {path.name for path in run.iterdir()} >= {"report.html", "trials.csv", "checks.csv"}
    assert f"report in {run / 'report.html'}" in result.output


def test_a_report_that_there_is_not_is_told_before_anything_is_run(
    office: Path, tmp_path: Path
) -> None:
    arguments = ["run", str(office), "--agent", "null", "--run-dir", str(tmp_path / "runs")]
    result = CliRunner().invoke(app, [*arguments, "--report", "htm"])
    assert "there is no report 'htm'" in str(result.exception)
    assert not (tmp_path / "runs").exists()


def test_formats_are_named_once_each() -> None:
    assert named_formats(" html, csv,html,") == ("html", "csv")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("htm", "html"), ("powerpoint", "known: badge, charts, csv")],
    ids=["near", "far"],
)
def test_an_unknown_format_is_told_with_what_there_is(name: str, hint: str) -> None:
    with pytest.raises(HarnessError, match=hint):
        named_formats(name)


def test_what_is_empty_and_what_is_no_file_is_left_out() -> None:
    assert list(make_reports(good_run(), ("csv", "charts", "github"))) == [
        "trials.csv",
        "checks.csv",
    ]


def test_further_reports_lie_in_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = good_run().model_copy(update={"folder": str(tmp_path)})
    write_further(run, ("html", "github"))
    assert (tmp_path / "report.html").is_file()
    assert capsys.readouterr().out == f"report in {tmp_path / 'report.html'}\n"


@pytest.mark.parametrize(
    ("reports", "output", "written"),
    [
        ({"a.csv": "1"}, "new/b.csv", ["new/b.csv"]),
        ({"a.csv": "1"}, "there", ["there/a.csv"]),
        ({"x/a.csv": "1", "b.csv": "2"}, "new", ["new/a.csv", "new/b.csv"]),
    ],
    ids=["file", "folder", "several"],
)
def test_reports_go_where_they_are_told(
    tmp_path: Path, reports: dict[str, str], output: str, written: list[str]
) -> None:
    (tmp_path / "there").mkdir()
    paths = write_elsewhere(reports, tmp_path / output)
    assert paths == [tmp_path / each for each in written]
    assert [path.read_text(encoding="utf-8") for path in paths] == list(reports.values())


def test_several_reports_are_no_file(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(HarnessError, match="is one file"):
        write_elsewhere({"a": "", "b": ""}, tmp_path / "a")


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(HarnessError, match="cannot write"):
        write_elsewhere({"a": ""}, tmp_path / "a" / "b")


def test_github_gets_annotations_and_a_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "summary"
    page.write_text("before\n", encoding="utf-8")
    tell_github(example_run(), {"GITHUB_STEP_SUMMARY": str(page)})
    assert capsys.readouterr().out.startswith("::error title=EC-002")
    assert page.read_text(encoding="utf-8").startswith("before\n## Run run-1\n")


def test_a_page_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="GITHUB_STEP_SUMMARY"):
        tell_github(good_run(), {"GITHUB_STEP_SUMMARY": str(tmp_path)})
