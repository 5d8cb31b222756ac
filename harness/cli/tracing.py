"""Spans of a run: one for the run, and one for each of its trials."""

import os
from datetime import datetime
from types import TracebackType
from typing import Self

from typing_extensions import override

from harness import __version__
from harness.runner import Clock, FinishedTrial, Progress
from mockserver.telemetry import open_tracing

_FAILED = frozenset({"fail", "agent_error", "infra_error", "replay_miss"})


class TracedProgress(Progress):
    """Tells another progress what it is told, and makes spans of it.

    Args:
        inner: Who is told, too.
        run: The run's id.
        suite: The suite as it was named.
        clock: The time of day.

    Raises:
        MissingExtraError: The extra `otel` is not installed.
        UserError: No variable says where spans go.
    """

    def __init__(self, inner: Progress, *, run: str, suite: str, clock: Clock) -> None:
        self._inner = inner
        self._clock = clock
        self._provider = open_tracing("harness", __version__, os.environ)
        self._tracer = self._provider.get_tracer("understudy.harness", __version__)
        attributes = {"understudy.run": run, "understudy.suite": suite}
        self._run = self._tracer.start_span(
            "run", attributes=attributes, start_time=_nanoseconds(clock())
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._run.end(_nanoseconds(self._clock()))
        self._provider.shutdown()

    @override
    def note_start(self, total: int, done: int) -> None:
        self._run.set_attribute("understudy.trials", total)
        self._inner.note_start(total, done)

    @override
    def note_trial(self, trial: FinishedTrial) -> None:
        record, status = trial.record, trial.decision.status
        from opentelemetry.trace import StatusCode, set_span_in_context

        start = _nanoseconds(datetime.fromisoformat(record.started_at))
        span = self._tracer.start_span(
            "trial",
            context=set_span_in_context(self._run),
            start_time=start,
            attributes={
                "understudy.case": record.case,
                "understudy.trial": record.number,
                "understudy.status": status,
                "understudy.session": record.session,
            },
        )
        if status in _FAILED:
            span.set_status(StatusCode.ERROR)
        span.end(start + int(record.duration_ms * 1_000_000))
        self._inner.note_trial(trial)


def _nanoseconds(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000) * 1000
