"""What commands print of a suite and its runs, in whole."""

import json
from pathlib import Path

import pytest

from harness.cli.understudy import app
from harness.storage import Baseline, Baselines
from tests import told_traces as told
from tests.command_transcripts import commands_of, printed, write_transcript
from tests.harness.conftest import write_suite
from tests.runfolders import TOUCHED, stored_run

AT = "2026-11-21T10:00:00.0Z"
ORDERS = ("A-1", "A-2", "B-3")
BROKEN = """
cases:
  - {id: B-1, input: "Say 42.", expect: {text: {contains: ["42"]}}}
  - {id: B-2, input: Hi, expect: {txt: {contains: [a]}}}
  - {id: B-2, expect: {text: {contains: []}}}
"""
GOLDEN = Path(__file__).with_name("transcript.golden.txt")


def prepared(folder: Path) -> Path:
    """Two suites and three runs of one: all passed, one case fell, one was never decided."""
    write_suite(folder / "office")
    (folder / "broken").mkdir()
    (folder / "broken" / "cases.yaml").write_text(BROKEN, encoding="utf-8")
    runs = folder / "runs"
    both = {"T-001": [True, True], "T-002": [True, True]}
    stored_run(runs, "1", both, note="first").write_coverage(TOUCHED)
    stored_run(runs, "2", {**both, "T-001": [False, True]}, agent="null")
    stored_run(runs, "3", {"T-001": [True, None]}, decided=False)
    Baselines(runs).set(Baseline(run="1", suite="office", agent="echo", set_at=AT))
    for name in ("checked", "majority"):
        stored_run(
            folder / name, "2", {**both, "T-001": [False, True]}, suite=str(folder / "office")
        )
    traces = [told.otlp(f"aa0{number}", A_1001=order) for number, order in enumerate(ORDERS)]
    silent = told.otlp("aa09", **{told.ASKED.replace("-", "_"): ""})
    lines = [json.dumps(each) for each in (*traces, silent, {"a": 1})]
    (folder / "traces.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "none.jsonl").write_text("{}\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared(tmp_path_factory.mktemp("transcript"))


@pytest.mark.parametrize(("command", "told"), commands_of(GOLDEN).items(), ids=commands_of(GOLDEN))
def test_a_command_prints_what_is_written_down(
    place: Path, monkeypatch: pytest.MonkeyPatch, command: str, told: str
) -> None:
    """`python -m tests.harness.cli.test_transcript` writes them anew."""
    monkeypatch.chdir(place)
    assert printed(app, command, place) == told


if __name__ == "__main__":
    write_transcript(GOLDEN, app, prepared)
