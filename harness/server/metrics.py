"""Figures of `understudy console` for Prometheus: runs, trials, verdicts, and the queue.

Labels are bounded: no run, suite, case or agent becomes one.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from harness.errors import HarnessError
from harness.model import RunResult, TrialRecord

if TYPE_CHECKING:
    from prometheus_client.core import Metric

_BUCKETS_S = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)


class RunMetrics:
    """Counts what the runs of a server come to.

    Args:
        counts: How many runs go on, and how many wait.

    Raises:
        HarnessError: The extra `metrics` is not installed.
    """

    def __init__(self, counts: Callable[[], tuple[int, int]]) -> None:
        try:
            from prometheus_client import CollectorRegistry, Counter, Histogram
        except ImportError:
            hint = "pip install 'understudy[metrics]'"
            raise HarnessError("--metrics needs the package prometheus-client", hint=hint) from None
        self._counts = counts
        self._registry = registry = CollectorRegistry()
        self._runs = Counter(
            "understudy_runs", "Runs that are over, by how.", ("state",), registry=registry
        )
        self._trials = Counter(
            "understudy_trials", "Trials that are over.", ("status",), registry=registry
        )
        self._verdicts = Counter(
            "understudy_verdicts", "Verdicts over cases.", ("verdict",), registry=registry
        )
        self._durations = Histogram(
            "understudy_trial_duration_seconds",
            "What trials took.",
            buckets=_BUCKETS_S,
            registry=registry,
        )
        registry.register(self)

    def note_trial(self, record: TrialRecord, status: str) -> None:
        """Count a trial."""
        self._trials.labels(status).inc()
        self._durations.observe(record.duration_ms / 1000)

    def note_run(self, state: str, result: RunResult | None) -> None:
        """Count a run that is over, and its verdicts."""
        self._runs.labels(state).inc()
        for case in () if result is None else result.decisions:
            self._verdicts.labels(case.verdict).inc()

    def collect(self) -> "Iterator[Metric]":
        """The queue as it is when somebody asks.

        Yields:
            A gauge.
        """
        from prometheus_client.core import GaugeMetricFamily

        gauge = GaugeMetricFamily("understudy_queue", "Runs that are not over.", labels=["state"])
        for state, number in zip(("running", "queued"), self._counts(), strict=True):
            gauge.add_metric([state], number)
        yield gauge

    def page(self) -> tuple[str, bytes]:
        """The media type and the text that Prometheus reads."""
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        return CONTENT_TYPE_LATEST, generate_latest(self._registry)
