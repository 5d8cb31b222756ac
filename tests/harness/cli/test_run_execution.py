import asyncio
import json
import os
import signal
from datetime import UTC
from io import StringIO

import pytest
from rich.console import Console

from harness.cli.run_execution import (
    LogFormat,
    RunProgress,
    json_line,
    stop_on_signals,
    time_of_day,
)
from harness.model import Attempt, CheckResult, TrialDecision, TrialRecord
from harness.runner import FinishedTrial
from tests.patience import PATIENCE_S


async def test_the_first_signal_stops_the_run_and_the_second_the_process(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stop = stop_on_signals()
    os.kill(os.getpid(), signal.SIGINT)
    async with asyncio.timeout(PATIENCE_S):
        await stop.wait()
    assert "finished ones are kept" in capsys.readouterr().err
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)


def test_the_clock_of_the_command_tells_utc() -> None:
    assert time_of_day().tzinfo is UTC


RECORD = TrialRecord(
    run="r",
    case="C-1",
    case_hash="h",
    number=2,
    outcome="replied",
    error="odd",
    started_at="now",
    duration_ms=12.4,
    attempts=(Attempt(turn=1, number=1, error="x"), Attempt(turn=1, number=2)),
)
SECRET = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
FAILED = TrialDecision(
    case="C-1",
    number=2,
    status="fail",
    checks=(
        CheckResult(kind="k", status="fail", reason="[no] units"),
        CheckResult(kind="k", status="pass"),
    ),
)


BROKEN = FAILED.model_copy(update={"status": "infra_error"})


def shown(*, terminal: bool, log: LogFormat | None = None) -> str:
    console = Console(file=StringIO(), force_terminal=terminal, width=100, _environ={})
    with RunProgress(console, log=log) as progress:
        progress.note_start(4, 1)
        progress.note_trial(FinishedTrial(RECORD, lambda: FAILED))
        progress.note_trial(FinishedTrial(RECORD, lambda: BROKEN))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_no_terminal_no_bar() -> None:
    """Rule 6: quiet when not a terminal, and nothing is decided for nobody."""
    assert shown(terminal=False, log=None) == ""
    with RunProgress(Console(file=StringIO()), log=None) as progress:
        trial = FinishedTrial(RECORD, lambda: FAILED)
        progress.note_trial(trial)
    assert "decision" not in vars(trial)


def test_a_terminal_shows_how_it_goes() -> None:
    text = shown(terminal=True, log=None)
    assert "3/4" in text
    assert "1 valid, 1 failing, 1 infra" in text


@pytest.mark.parametrize("terminal", [True, False])
def test_each_trial_has_its_line_when_asked_for(terminal: bool) -> None:
    """CEP-31, pitfall 13: retries are shown."""
    text = shown(terminal=terminal, log="text")
    assert "C-1 #2 fail 12 ms, retried 1x\n    odd\n    [no] units" in text


def test_a_trial_is_an_object_for_programs_without_its_secrets() -> None:
    leaked = FAILED.model_copy(
        update={"checks": (CheckResult(kind="k", status="fail", reason=f"said {SECRET}"),)}
    )
    line = json_line(RECORD, leaked)
    found = json.loads(line)
    assert SECRET not in line
    assert found["reasons"][0].startswith("said ")
    assert {name: found[name] for name in ("event", "case", "trial", "status", "retries")} == {
        "event": "trial", "case": "C-1", "trial": 2, "status": "fail", "retries": 1,
    }  # fmt: skip
    assert [json.loads(one)["error"] for one in shown(terminal=True, log="json").splitlines()] == [
        "odd", "odd",
    ]  # fmt: skip
