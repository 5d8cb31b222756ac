from typing import Any

import pytest

from harness.model import Calibration, Judge, Opinion, RunResult
from harness.reports.console import console_report
from harness.reports.html import html_report
from harness.reports.json_report import report_of
from harness.reports.judges import judge_lines, judgements
from harness.reports.markdown import markdown_report
from tests.harness.records import case, decided, manifest, record
from tests.harness.storage.test_ledger import calibration

QUESTION = Judge(question="Is it kind?")


def run(*verdicts: str, calibrations: tuple[Calibration, ...] = ()) -> RunResult:
    records = [
        record(
            "a",
            case="A",
            number=number,
            opinions=(
                Opinion(
                    asked=QUESTION.question_hash,
                    sample=1,
                    verdict=verdict,
                    error="" if verdict else "down",
                    model="openai:m",
                    prompt="p",
                ),
            ),
        )
        for number, verdict in enumerate(verdicts, 1)
    ]
    asked = manifest(["A"], trials={"A": len(verdicts)})
    found = decided(asked, [case(QUESTION, id="A")], records)
    return found.model_copy(update={"calibrations": calibrations})


def test_each_question_is_told_once_with_what_was_left_open() -> None:
    (found,) = judgements(run("pass", "", "fail"))
    assert (found.question, found.model, found.checks, found.open) == (
        "Is it kind?", "openai:m", 3, 1,
    )  # fmt: skip


def test_without_a_judge_there_is_nothing_to_tell() -> None:
    found = decided(manifest(["A"]), [case(QUESTION, id="A")], [record("a", case="A")])
    assert judgements(found) == []


def test_every_summary_tells_it() -> None:
    found = run("pass", "")
    line = "judge openai:m: 'Is it kind?', 2 checks, 1 undecided; never calibrated"
    assert judge_lines(found) == [line]
    assert f"- {line}" in markdown_report(found)
    assert line in console_report(found, width=200)
    assert report_of(found)["summary"]["judges"][0]["known"] == "never calibrated"


@pytest.mark.parametrize(
    ("facts", "known"),
    [
        ([], "never calibrated"),
        ([{"questions": (QUESTION.question_hash,)}], "calibrated: TPR 90%, TNR 90%, kappa 0.80"),
        ([{}], "calibrated on other questions: TPR 90%"),
        ([{"prompt": "old"}], "stale: calibrated with other instructions"),
        ([{"model": "openai:n"}], "stale: another model was calibrated"),
    ],
    ids=["never", "calibrated", "questions", "instructions", "model"],
)
def test_how_far_it_is_to_be_believed_is_told(facts: list[dict[str, Any]], known: str) -> None:
    """Pitfall 10: a calibration is of one model with one prompt"""
    given = tuple(calibration(**each) for each in facts)
    (found,) = judgements(run("pass", calibrations=given))
    assert found.known.startswith(known)
    assert known in html_report(run("pass", calibrations=given))
