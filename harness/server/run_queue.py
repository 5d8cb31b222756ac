"""The queue of runs: a few run at a time, the others wait; their events, and their figures."""

import asyncio
import contextlib
import os
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import orjson
from typing_extensions import override

from harness.agents import ServerCommand, agent_environment, agent_server
from harness.cases import suite_prices
from harness.environment import start_environment
from harness.errors import HarnessError
from harness.model import JsonObject, RunResult, TrialRecord
from harness.reports import REPORTS, make_content
from harness.runner import (
    Clock,
    FinishedTrial,
    LocalExecutor,
    Progress,
    RunContext,
    Users,
    begin_run,
    decide,
    missing_trials,
    note_coverage,
    perform_trials,
)
from harness.server.messages import RefusedError
from harness.server.order_preparation import PreparedOrder
from harness.server.schemas import LiveState
from harness.server.settings import Settings
from harness.storage import RunFolder
from harness.verdicts import Limits, exit_code

if TYPE_CHECKING:
    from prometheus_client.core import Metric


MOST_KEPT = 10_000
HEARTBEAT_S = 15.0


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened.

    Attributes:
        id: Counts from 1.
        name: `queued`, `started`, `trial`, `warning`, `finished`.
        data: What is said of it.
    """

    id: int
    name: str
    data: JsonObject

    def to_bytes(self) -> bytes:
        """As a server-sent event."""
        head = f"id: {self.id}\nevent: {self.name}\ndata: ".encode()
        return head + orjson.dumps(self.data) + b"\n\n"


class EventLog:
    """The events of one run; the newest are kept, and it is over at some point."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._events: deque[Event] = deque(maxlen=most)
        self._last = 0
        self._changed = asyncio.Event()
        self.over = False

    def add(self, name: str, data: JsonObject) -> None:
        """Note an event."""
        self._last += 1
        self._events.append(Event(self._last, name, data))
        self._wake()

    def close(self) -> None:
        """Nothing more will happen."""
        self.over = True
        self._wake()

    def after(self, last: int) -> list[Event]:
        """The events that are kept and came after one, oldest first."""
        return [event for event in self._events if event.id > last]

    async def follow(self, last: int = 0, heartbeat_s: float = HEARTBEAT_S) -> AsyncIterator[bytes]:
        """Every event after one, as they come, up to the end; now and then a comment.

        Yields:
            Server-sent events.
        """
        while True:
            changed = self._changed
            for event in self.after(last):
                last = event.id
                yield event.to_bytes()
            if self.over and not self.after(last):
                return
            if changed is self._changed:
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), heartbeat_s)
                    continue
                yield b": still here\n\n"

    def _wake(self) -> None:
        """Wake everyone who waits; who comes now waits for the next change."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


def last_seen(header: str) -> int:
    """The event that a client saw last, by its `Last-Event-ID`; 0 where it says nothing sensible.

    >>> last_seen("17"), last_seen(""), last_seen("x")
    (17, 0, 0)
    """
    return int(header) if header.isdecimal() and header.isascii() and len(header) < 19 else 0


_BUCKETS_S = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)


class RunMetrics:
    """Counts what the runs of a server come to, for Prometheus; no run, suite or agent is a label.

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


MOST_REMEMBERED = 100
"""Runs that are over whose events are still kept."""


@dataclass
class LiveRun:
    """A run that this server makes, or made.

    Attributes:
        id: Its id.
        folder: Its directory.
        prepared: What it was asked for.
        state: How it stands.
        done: Trials that are over.
        error: Why it failed, where it did.
        events: What has happened.
        stop: Set to end it early.
        result: What came of it.
    """

    id: str
    folder: RunFolder
    prepared: PreparedOrder
    state: LiveState = "queued"
    done: int = 0
    error: str = ""
    events: EventLog = field(default_factory=EventLog)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    result: RunResult | None = None

    @property
    def is_running(self) -> bool:
        """Whether it is not over."""
        return self.state in {"queued", "running"}


class _EventProgress(Progress):
    """Makes events of what a run does."""

    def __init__(self, run: LiveRun, metrics: RunMetrics | None) -> None:
        self._run = run
        self._metrics = metrics
        self._total = 0

    @override
    def note_start(self, total: int, done: int) -> None:
        self._total, self._run.done = total, done
        self._run.events.add("started", {"runId": self._run.id, "trials": total, "done": done})

    @override
    def note_trial(self, trial: FinishedTrial) -> None:
        record, decision = trial.record, trial.decision
        self._run.done += 1
        if self._metrics is not None:
            self._metrics.note_trial(record, decision.status)
        self._run.events.add(
            "trial",
            {
                "caseId": record.case,
                "number": record.number,
                "status": decision.status,
                "reason": decision.reason,
                "durationMs": round(record.duration_ms, 3),
                "done": self._run.done,
                "trials": self._total,
            },
        )


class RunQueue:
    """The runs of this server.

    Args:
        settings: How many may go on, and where they are kept.
        clock: The time of day.
        indexed: Takes a run that is over into the index; its errors are told, and stop nothing.
    """

    def __init__(
        self, settings: Settings, clock: Clock, indexed: Callable[[RunFolder], None]
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._indexed = indexed
        self.metrics = RunMetrics(self.counts) if settings.metrics else None
        self._places = asyncio.Semaphore(settings.max_runs)
        self._runs: dict[str, LiveRun] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def get(self, run: str) -> LiveRun | None:
        """A run of this server, or None."""
        return self._runs.get(run)

    def going_on(self) -> list[LiveRun]:
        """The runs that are not over, in the order in which they were asked for."""
        return [run for run in self._runs.values() if run.is_running]

    def counts(self) -> tuple[int, int]:
        """How many go on, and how many wait."""
        states = [run.state for run in self._runs.values()]
        return states.count("running"), states.count("queued")

    def stop_accepting(self) -> None:
        """Refuse a run when too many wait already.

        Raises:
            RefusedError: They do.
        """
        if sum(self.counts()) >= self._settings.max_runs + self._settings.max_waiting:
            later = {"retry-after": "30"}
            raise RefusedError(429, "too many runs wait already", hint="later", headers=later)

    def submit(self, prepared: PreparedOrder) -> LiveRun:
        """Make the directory of a run, and begin it when its turn has come.

        Raises:
            RefusedError: Too many wait already.
            HarnessError: The directory cannot be made.
        """
        self.stop_accepting()
        folder = begin_run(prepared.order, self._settings.runs, self._clock)
        run = LiveRun(folder.path.name, folder, prepared)
        self._runs[run.id] = run
        self._forget()
        run.events.add("queued", {"runId": run.id})
        task = asyncio.create_task(self._make(run))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return run

    async def close(self) -> None:
        """End all runs early; every trial that is over is kept."""
        for run in self._runs.values():
            run.stop.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _forget(self) -> None:
        over = [run.id for run in self._runs.values() if not run.is_running]
        for run in over[: max(0, len(over) - MOST_REMEMBERED)]:
            del self._runs[run]

    async def _make(self, run: LiveRun) -> None:
        try:
            async with self._places:
                if not run.stop.is_set():
                    run.state = "running"
                    await self._perform(run)
            await asyncio.to_thread(self._decide, run)
            run.state = "cancelled" if run.stop.is_set() else "finished"
        except HarnessError as error:
            run.state, run.error = "failed", str(error)
        except Exception as error:
            run.state, run.error = "failed", f"{type(error).__name__} in the server"
            raise
        finally:
            with contextlib.suppress(Exception):
                await run.prepared.driver.close()
            await self._publish_end(run)

    async def _perform(self, run: LiveRun) -> None:
        prepared = run.prepared
        manifest = run.folder.manifest()
        async with AsyncExitStack() as stack:
            environment = await start_environment(prepared.folder)
            stack.push_async_callback(environment.close)
            stack.callback(lambda: run.folder.keep_server_log(environment.server_log()))
            if prepared.serve:
                env = agent_environment(os.environ, {}, await environment.server_block())
                log = run.folder.path / "agent-server.log"
                start = ServerCommand(prepared.serve, prepared.url, env=env, log=log)
                await stack.enter_async_context(agent_server(start))
            context = RunContext(
                run=manifest.run,
                suite=prepared.folder,
                hashes=manifest.cases,
                settings=prepared.order.settings,
                driver=prepared.driver,
                environment=environment,
                clock=self._clock,
                prices=suite_prices(prepared.folder),
                users=Users(os.environ),
            )
            trials = missing_trials(run.folder, prepared.order.cases)
            progress = _EventProgress(run, self.metrics)
            await perform_trials(LocalExecutor(context), run.folder, trials, progress, run.stop)

    def _decide(self, run: LiveRun) -> None:
        try:
            note_coverage(run.folder, run.prepared.folder)
        except HarnessError as error:
            run.events.add("warning", {"message": f"the report lacks its coverage: {error}"})
        result = decide(run.folder, Limits(), run.prepared.against)
        for name, report in REPORTS.items():
            run.folder.write_reports({name: make_content(report, result)})
        run.result = result
        run.folder.publish()

    async def _publish_end(self, run: LiveRun) -> None:
        try:
            await asyncio.to_thread(self._indexed, run.folder)
        except HarnessError as error:
            run.events.add("warning", {"message": f"the run is not indexed yet: {error}"})
        if self.metrics is not None:
            self.metrics.note_run(run.state, run.result)
        code = None if run.result is None else int(exit_code(run.result))
        run.events.add(
            "finished",
            {"runId": run.id, "state": run.state, "error": run.error, "exitCode": code},
        )
        run.events.close()
