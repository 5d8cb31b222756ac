"""A judge in a real run, and `understudy runs judge` over what it said."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from tests.harness.runner.test_judgements import stored
from tests.judges import endpoint, verdict

SUITE = """\
id: J-1
input: Why?
expect:
  judge: {question: Does it say 402?}
reference: {answer: It is 402.}
"""


@pytest.fixture
def harness(tmp_path: Path) -> Callable[..., Any]:
    def call(*arguments: str) -> Any:
        runs = str(tmp_path / "runs")
        return CliRunner().invoke(app, [*arguments, "--run-dir", runs])

    return call


def judged_run(tmp_path: Path, harness: Callable[..., Any], mock: str, *more: str) -> Any:
    suite = tmp_path / "cases.yaml"
    suite.write_text(SUITE, encoding="utf-8")
    return harness("run", str(suite), "--agent", "oracle", "--mock", mock, *more)


def test_opinions_are_stored_and_decide(
    tmp_path: Path, harness: Callable[..., Any], mock_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint(lambda asked: verdict("pass" if "It is 402." in asked else "fail")) as there:
        for name, value in there.environment().items():
            monkeypatch.setenv(name, value)
        result = judged_run(tmp_path, harness, mock_url, "--judge", "openai:m")
    assert result.exit_code == 0, result.output
    (trial,) = (tmp_path / "runs").glob("*/trials/J-1/1.json")
    (opinion,) = json.loads(trial.read_text(encoding="utf-8"))["opinions"]
    assert (opinion["verdict"], opinion["model"]) == ("pass", "openai:m")
    again = harness("recheck", "latest", "--stored")  # the endpoint is gone: nobody is asked
    assert again.exit_code == 0, again.output
    assert "no verdict flipped" in again.output


def test_a_judge_off_the_menu_gives_no_verdict(
    tmp_path: Path, harness: Callable[..., Any], mock_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pitfall 3: exit code 5, not 0"""
    with endpoint(verdict("splendid")) as there:
        for name, value in there.environment().items():
            monkeypatch.setenv(name, value)
        result = judged_run(tmp_path, harness, mock_url, "--judge", "openai:m")
    assert result.exit_code == 5
    assert "not on the menu" in result.output


def test_without_a_judge_nothing_is_decided_and_a_warning_says_so(
    tmp_path: Path, harness: Callable[..., Any], mock_url: str
) -> None:
    result = judged_run(tmp_path, harness, mock_url)
    assert result.exit_code == 5
    assert "nobody judges J-1: name a model with --judge" in result.output


def test_a_judge_that_cannot_be_asked_is_told_before_anything_is_run(
    tmp_path: Path, harness: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    result = judged_run(tmp_path, harness, "http://127.0.0.1:9", "--judge", "anthropic:m")
    assert "set ANTHROPIC_API_KEY" in str(result.exception)
    assert not (tmp_path / "runs").exists()


def labelled(table: Path, label: Callable[[dict[str, str]], str]) -> None:
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows({**row, "label": label(row)} for row in rows)


def test_labels_are_written_filled_in_and_validated(
    tmp_path: Path, harness: Callable[..., Any]
) -> None:
    stored(tmp_path / "runs", [["pass", "pass"]] * 25 + [["fail", "fail"]] * 25)
    table = tmp_path / "labels.csv"
    assert "50 replies" in harness("judge", "labels", "latest", "-o", str(table)).output
    labelled(table, lambda row: "pass" if int(row["trial"]) <= 27 else "fail")
    result = harness("judge", "validate", str(table))
    assert result.exit_code == 0, result.exception
    assert "refuses what people refuse   23/23  100%" in result.output
    assert "kappa 0.92" in result.output
    assert "its own opinions differ on   0% of the replies" in result.output
    (kept,) = json.loads((tmp_path / "runs" / "judges.json").read_text(encoding="utf-8"))
    assert (kept["model"], kept["negatives"]) == ("openai:m", 23)
    page = harness("report", "latest", "-o", "-")
    assert "calibrated: TPR 93%, TNR 100%" in page.output


def test_a_judge_no_better_than_chance_has_no_corrected_rate(
    tmp_path: Path, harness: Callable[..., Any]
) -> None:
    stored(tmp_path / "runs", [["pass"]] * 50)
    table = tmp_path / "labels.csv"
    harness("judge", "labels", "latest", "-o", str(table))
    labelled(table, lambda row: "pass" if int(row["trial"]) <= 25 else "fail")
    assert "no better than chance" in harness("judge", "validate", str(table)).output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot read"),
        ("item,run,label\na,r1,\n", "no label is filled in"),
        ("item,run,label\na,r1,pass\nb,r2,fail\n", "the labels are of 2 runs"),
        ("item,run,label\na,r9,pass\n", "no run 'r9'"),
        ("item,run,label\na,r1,pass\n", "none of the labels"),
    ],
    ids=["gone", "empty", "two-runs", "no-run", "others"],
)
def test_labels_that_say_nothing_are_told(
    tmp_path: Path, harness: Callable[..., Any], text: str | None, said: str
) -> None:
    stored(tmp_path / "runs", [["pass"]])
    table = tmp_path / "labels.csv"
    if text is not None:
        table.write_text(text, encoding="utf-8")
    assert said in str(harness("judge", "validate", str(table)).exception)


def test_labels_are_not_overwritten_and_need_a_judge(
    tmp_path: Path, harness: Callable[..., Any]
) -> None:
    stored(tmp_path / "runs", [[]])
    table = tmp_path / "labels.csv"
    asked = harness("judge", "labels", "latest", "-o", str(table))
    assert "no judge was asked" in str(asked.exception)
    table.touch()
    again = harness("judge", "labels", "latest", "-o", str(table))
    assert "not overwritten" in str(again.exception)
