"""Verdicts: what the checks of a trial come to, for the trial, its case, its run and the exit."""

from harness.verdicts.decisions import decide_case, decide_trial, holds
from harness.verdicts.exits import (
    Limits,
    exit_code,
    exit_reasons,
    latest_canaries,
    regression_reasons,
    winning_code,
)
from harness.verdicts.history import history_of
from harness.verdicts.runs import decide_run

__all__ = [
    "Limits",
    "decide_case",
    "decide_run",
    "decide_trial",
    "exit_code",
    "exit_reasons",
    "history_of",
    "holds",
    "latest_canaries",
    "regression_reasons",
    "winning_code",
]
