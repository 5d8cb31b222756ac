"""Traces of tracing tools as the trials of a run."""

import json
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.foreign import ReadOptions, SourceFile, read_results
from tests import told_traces as told

OTHERS = [name for name in told.FORMATS if name != "otlp"]


def source(folder: Path, content: str) -> SourceFile:
    path = folder / "export.json"
    path.write_text(content, encoding="utf-8")
    return SourceFile(path)


@pytest.mark.parametrize("name", OTHERS)
def test_each_format_is_recognised_and_read_as_a_trial(name: str, tmp_path: Path) -> None:
    content = json.dumps(told.FORMATS[name], indent=1)
    found, results = read_results(source(tmp_path, content), ReadOptions())
    (trial,) = results.trials
    assert (found, trial.case, trial.turns) == ("traces", told.ASKED, (told.ASKED,))
    (reply,) = trial.replies
    assert reply.text == told.ANSWER
    calls = [(call.name, call.args, call.result, call.status) for call in reply.tool_calls]
    assert calls == [(name, given, result, "ok") for _, name, given, result in told.CALLS]


def test_scores_of_people_decide(tmp_path: Path) -> None:
    _, results = read_results(source(tmp_path, json.dumps(told.langfuse())), ReadOptions())
    (trial,) = results.trials
    assert [(each.name, each.passed) for each in trial.scores] == [("user-feedback", False)]
    assert trial.deciding == {"user-feedback"}


def test_lines_are_records_and_a_broken_one_is_told(tmp_path: Path) -> None:
    lines = "".join(json.dumps(each) + "\n" for each in told.claude())
    found, results = read_results(source(tmp_path, lines), ReadOptions())
    assert (found, len(results.trials)) == ("traces", 1)
    with pytest.raises(HarnessError, match="line 8"):
        read_results(source(tmp_path, lines + "{"), ReadOptions(), "traces")
    with pytest.raises(HarnessError, match="no trace of an agent"):
        read_results(source(tmp_path, "{}"), ReadOptions(), "traces")
