"""How a run shows that it goes on: a bar on terminals, a line for each trial when asked for."""

from collections import Counter
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from typing_extensions import override

from harness.model import TrialDecision, TrialRecord
from harness.runner import Progress

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

_VALID = {"pass", "fail", "agent_error"}


class RunProgress(Progress, AbstractContextManager["RunProgress"]):
    """Trials done, valid, failing, and the time left; quiet when the console is no terminal."""

    def __init__(self, console: "Console", *, verbose: bool) -> None:
        self._console = console
        self._verbose = verbose
        self._seen: Counter[str] = Counter()
        self._bar = _bar(console) if console.is_terminal else None
        self._task = self._bar.add_task("trials", total=None, seen="") if self._bar else None

    @override
    def __enter__(self) -> "RunProgress":
        if self._bar:
            self._bar.start()
        return self

    @override
    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    @override
    def started(self, total: int, done: int) -> None:
        if self._bar and self._task is not None:
            self._bar.update(self._task, total=total, completed=done)

    @override
    def finished(self, record: TrialRecord, decision: TrialDecision) -> None:
        self._seen[decision.status] += 1
        if self._verbose:
            line = _line(record, decision)
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)
        if self._bar and self._task is not None:
            self._bar.update(self._task, advance=1, seen=self._summary())

    def _summary(self) -> str:
        valid = sum(self._seen[status] for status in _VALID)
        failing = valid - self._seen["pass"]
        beside = (
            f", {self._seen[status]} {word}"
            for status, word in (("not_evaluated", "not evaluated"), ("infra_error", "infra"))
            if self._seen[status]
        )
        return f"{valid} valid, {failing} failing{''.join(beside)}"


def _line(record: TrialRecord, decision: TrialDecision) -> str:
    said = f"{record.case} #{record.number} {decision.status} {record.duration_ms:.0f} ms"
    retried = len(record.attempts) - len({attempt.turn for attempt in record.attempts})
    said += f", retried {retried}x" if retried > 0 else ""
    reasons = [check.reason for check in decision.checks if check.status == "fail"]
    return "\n    ".join([said, *filter(None, [record.error, *reasons])])


def _bar(console: "Console") -> "Bar":
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[seen]}"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, transient=True)
