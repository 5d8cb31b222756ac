from pathlib import Path

import pytest

from harness.cli.reporting import (
    made_reports,
    named_formats,
    tell_github,
    write_elsewhere,
    write_further,
)
from harness.errors import HarnessError
from tests.harness.example_run import example_run, good_run


def test_formats_are_named_once_each() -> None:
    assert named_formats(" html, csv,html,") == ("html", "csv")


@pytest.mark.parametrize(
    ("name", "hint"), [("htm", "html"), ("powerpoint", "known: charts, csv")], ids=["near", "far"]
)
def test_an_unknown_format_is_told_with_what_there_is(name: str, hint: str) -> None:
    with pytest.raises(HarnessError, match=hint):
        named_formats(name)


def test_what_is_empty_and_what_is_no_file_is_left_out() -> None:
    assert list(made_reports(good_run(), ("csv", "charts", "github"))) == [
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
