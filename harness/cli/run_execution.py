"""Executes runs: agent, mock server, signals and progress around the trials."""

import asyncio
import contextlib
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import orjson
from typing_extensions import override

from harness.agents import (
    AgentDriver,
    ServerCommand,
    Synthetic,
    agent_environment,
    agent_server,
    agent_url,
    build_driver,
    checked_header,
    checked_url,
    refuse_live,
    visible_environment,
)
from harness.cases import suite_prices
from harness.cli.options import run_path
from harness.cli.run_options import RunOptions
from harness.cli.run_output import show_warnings
from harness.cli.run_preparation import (
    PreparedRun,
    driver_options,
    environment_of,
    intercepts,
    prepare_new,
    select_run_cases,
)
from harness.cli.run_workers import ExecutorMaker, RunParts, open_workers
from harness.environment import (
    DEFAULT_URL,
    Environment,
    attach_environment,
    fixture_problems,
    frozen_time_environment,
    session_id,
    session_spec,
    start_environment,
)
from harness.errors import HarnessError
from harness.judge import JudgeClient, judge_spec
from harness.model import Judge, RunManifest, TrialDecision, TrialRecord
from harness.reports import replay_name
from harness.runner import (
    BaselineGate,
    FinishedTrial,
    LocalExecutor,
    Progress,
    RunContext,
    TrialExecutor,
    Users,
    check_users,
    missing_trials,
    note_coverage,
    perform_trials,
    perform_until_decided,
)
from harness.storage import MODELS, RunFolder
from mockserver.model import SessionSpec

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

    from mockserver.redaction import Redactor


LogFormat = Literal["text", "json"]
TrialLine = Callable[[TrialRecord, TrialDecision], str]

_KEY = b"a log is no recording: its pseudonyms join nothing"


def text_line(record: TrialRecord, decision: TrialDecision) -> str:
    """A trial as people read it: case, number, status, duration, and below it what failed."""
    said = f"{record.case} #{record.number} {decision.status} {record.duration_ms:.0f} ms"
    retried = _retries(record)
    said += f", retried {retried}x" if retried else ""
    return "\n    ".join([said, *filter(None, [record.error, *_reasons(decision)])])


def json_line(record: TrialRecord, decision: TrialDecision) -> str:
    """A trial as programs read it: one object, its texts without secrets."""
    redact = _redactor().redact_text
    return orjson.dumps(
        {
            "time": record.started_at,
            "event": "trial",
            "case": record.case,
            "trial": record.number,
            "status": decision.status,
            "duration_ms": round(record.duration_ms, 3),
            "retries": _retries(record),
            "error": redact(record.error),
            "reasons": [redact(each) for each in _reasons(decision)],
        }
    ).decode()


LINES: dict[LogFormat, TrialLine] = {"text": text_line, "json": json_line}


def _retries(record: TrialRecord) -> int:
    return max(0, len(record.attempts) - len({attempt.turn for attempt in record.attempts}))


def _reasons(decision: TrialDecision) -> list[str]:
    return [check.reason for check in decision.checks if check.status == "fail"]


@cache
def _redactor() -> "Redactor":
    from mockserver.redaction import Redactor, RuleSet

    return Redactor(RuleSet.default(), _KEY)


_VALID = {"pass", "fail", "agent_error"}


class RunProgress(Progress, AbstractContextManager["RunProgress"]):
    """Trials done, valid, failing, and the time left; quiet when the console is no terminal."""

    def __init__(self, console: "Console", *, log: LogFormat | None) -> None:
        self._console = console
        self._line = LINES[log] if log else None
        self._seen: Counter[str] = Counter()
        self._bar = _bar(console) if console.is_terminal and log != "json" else None
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
    def note_start(self, total: int, done: int) -> None:
        if self._bar and self._task is not None:
            self._bar.update(self._task, total=total, completed=done)

    @override
    def note_trial(self, trial: FinishedTrial) -> None:
        if self._line is not None:
            line = self._line(trial.record, trial.decision)
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)
        if self._bar and self._task is not None:
            self._seen[trial.decision.status] += 1
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


def time_of_day() -> datetime:
    """Now, for names and records; session time is the mock server's business."""
    return datetime.now(UTC)  # noqa: TID251  (the one clock of the command, handed on from here)


async def check_agent(options: RunOptions) -> None:
    """Refuse what is wrong with the options of a new run, before anything is started or written.

    Raises:
        HarnessError: Options, suite, selection or agent make no sense.
    """
    selected = select_run_cases(options)
    await make_driver(prepare_new(selected), selected.options).close()


async def perform_new(options: RunOptions, gate: BaselineGate | None = None) -> RunFolder:
    """Run a suite as the options say; the mock server that is started looks at the snapshots first.

    Args:
        options: What was said.
        gate: What the run is held against.

    Raises:
        HarnessError: Options, suite or selection make no sense.
        InvalidCasesError: A case or its snapshot is invalid.
        InfrastructureError: There is no mock server, or the agent's own did not come up.
    """
    selected = select_run_cases(options)
    if options.mock or not options.manage_server:
        return await perform_run(prepare_new(selected), options, gate)
    suite = selected.suite.path
    if options.on:
        problems = fixture_problems(suite, content=False)
        return await perform_run(prepare_new(selected, problems), options, gate)
    async with contextlib.AsyncExitStack() as opened:
        # what is wrong with the options is told before a server is started
        driver = make_driver(prepare_new(selected), selected.options)
        opened.push_async_callback(driver.close)
        environment = await open_environment(
            suite, selected.options, replay=options.replay, isolate=options.isolate
        )
        opened.push_async_callback(environment.close)
        prepared = prepare_new(selected, await environment.fixture_problems(suite))
        return await perform_run(prepared, options, gate, environment, driver)


async def perform_run(
    prepared: PreparedRun,
    options: RunOptions,
    gate: BaselineGate | None = None,
    environment: Environment | None = None,
    driver: AgentDriver | None = None,
) -> RunFolder:
    """Run the trials that are missing; SIGINT or SIGTERM end it early, every finished one is kept.

    Args:
        prepared: The run.
        options: What was said.
        gate: What the run is held against.
        environment: The mocked world; the one that the options ask for when None.
        driver: The agent; the one that the options name when None. The caller closes what it gives.

    Raises:
        HarnessError: The agent spec makes no sense, the agent would reach live hosts, or there is
            no baseline that could decide the run.
        InfrastructureError: There is no mock server, or the agent's own did not come up.
    """
    if prepared.settings.until_decided and gate is None:
        hint = "--baseline RUN; give it again to resume"
        raise HarnessError("--until-decided needs a baseline", hint=hint)
    from rich.console import Console

    show_warnings(prepared.warnings)
    console = Console(stderr=True, highlight=False)
    async with contextlib.AsyncExitStack() as opened:
        judge = make_judge(prepared, options)
        if driver is None:
            driver = make_driver(prepared, options)
            opened.push_async_callback(driver.close)
        parts = RunParts(prepared, driver, judge, make_users(prepared, options, driver))
        if options.on:
            tell = partial(console.print, markup=False, soft_wrap=True)
            workers = open_workers(parts, options, time_of_day, tell)
            executor = await opened.enter_async_context(workers)
            return await _perform(parts, options, executor, gate, console)
        if environment is None:
            environment = await open_environment(
                prepared.suite.path,
                options,
                replay=prepared.settings.replay,
                isolate=prepared.settings.isolate,
            )
            opened.push_async_callback(environment.close)
        if options.serve and options.manage_server and not prepared.settings.synthetic:
            command = await _agent_server(prepared, options, environment)
            await opened.enter_async_context(agent_server(command))
        warnings: list[str] = []
        executor_here = _executor_here(parts, environment, warnings.append)

        def make(folder: RunFolder, replay: str) -> TrialExecutor:
            opened.callback(_keep_server_log, environment, folder)
            return executor_here(folder, replay)

        try:
            return await _perform(parts, options, make, gate, console)
        finally:
            show_warnings(warnings)


def _keep_server_log(environment: Environment, folder: RunFolder) -> None:
    log = environment.server_log()
    path = folder.keep_server_log(log)
    if path and "Traceback" in log:  # asyncio also warns of connections that clients dropped
        show_warnings([f"the mock server reported errors: {path}"])


def _executor_here(
    parts: RunParts, environment: Environment, warn: Callable[[str], None]
) -> ExecutorMaker:
    """Trials of this process, against one mock server."""
    prepared = parts.prepared

    def make(folder: RunFolder, replay: str) -> TrialExecutor:
        manifest = folder.manifest()
        context = RunContext(
            run=manifest.run,
            suite=prepared.suite.path.absolute(),
            hashes=manifest.cases,
            settings=prepared.settings,
            driver=parts.driver,
            environment=environment.repeatable(replay) if replay else environment,
            clock=time_of_day,
            sessions=replay,
            judge=parts.judge,
            users=parts.users,
            prices=suite_prices(prepared.suite.path),
            models=folder.path / MODELS,
            fork=prepared.fork,
            warn=warn,
        )
        return LocalExecutor(context)

    return make


async def _perform(
    parts: RunParts,
    options: RunOptions,
    make_executor: ExecutorMaker,
    gate: BaselineGate | None,
    console: "Console",
) -> RunFolder:
    prepared = parts.prepared
    folder = prepared.open(time_of_day)
    manifest = folder.manifest()
    named = prepared.fork.trial.manifest if prepared.fork else manifest
    replay = replay_name(named) if prepared.settings.replay else ""
    executor = make_executor(folder, replay)
    with contextlib.ExitStack() as watched:
        log = options.log_format or ("text" if options.verbose else None)
        shown = watched.enter_context(RunProgress(console, log=log))
        progress = _watch_run(watched, shown, manifest) if options.otel else shown
        stop = stop_on_signals()
        if prepared.settings.until_decided and gate is not None:
            await perform_until_decided(executor, folder, gate, progress, stop)
        else:
            await perform_trials(
                executor, folder, missing_trials(folder, prepared.cases), progress, stop
            )
    _note_coverage(folder, prepared)
    if prepared.settings.replay:
        proof = orjson.dumps(await executor.connections(), option=orjson.OPT_SORT_KEYS)
        folder.write_reports({"connections.json": proof.decode()})
    return folder


def _note_coverage(folder: RunFolder, prepared: PreparedRun) -> None:
    if prepared.settings.synthetic:
        return
    try:
        note_coverage(folder, prepared.suite.path)
    except HarnessError as error:
        show_warnings([f"the report lacks what was touched of the fixtures: {error}"])


def _watch_run(watched: contextlib.ExitStack, shown: Progress, manifest: RunManifest) -> Progress:
    from harness.cli.tracing import TracedProgress

    traced = TracedProgress(shown, run=manifest.run, suite=manifest.suite, clock=time_of_day)
    return watched.enter_context(traced)


def make_judge(prepared: PreparedRun, options: RunOptions) -> JudgeClient | None:
    """Who is asked about replies, where somebody is, and a case asks for it."""
    asks = any(isinstance(each, Judge) for case in prepared.cases for each in case.expect)
    if not prepared.settings.judge or not asks or prepared.settings.synthetic:
        return None
    spec = judge_spec(prepared.settings.judge)
    return JudgeClient(spec, os.environ, timeout_s=options.judge_timeout)


def make_users(prepared: PreparedRun, options: RunOptions, driver: AgentDriver) -> Users:
    """Who speaks for simulated users.

    Raises:
        HarnessError: Nobody can, or the agent holds no conversations.
    """
    name = options.user_from
    recordings = RunFolder(run_path(name, options.run_dir)) if name else None
    users = Users(os.environ, recordings)
    check_users(prepared.cases, prepared.settings, driver, users)
    return users


def make_driver(prepared: PreparedRun, options: RunOptions) -> AgentDriver:
    """The agent.

    Raises:
        HarnessError: The spec makes no sense, or the agent would reach live hosts.
    """
    if prepared.settings.synthetic:
        return Synthetic()
    told = driver_options(options, prepared.settings)
    told = replace(told, prices=suite_prices(prepared.suite.path))
    if not options.live:
        refuse_live(visible_environment(prepared.agent, told, os.environ))
    return build_driver(prepared.agent, told)


async def _agent_server(
    prepared: PreparedRun, options: RunOptions, environment: Environment
) -> ServerCommand:
    """How the agent's own server is started for this run."""
    url = agent_url(prepared.agent)
    if not url:
        raise HarnessError(f"--serve goes with an http: agent, not with {prepared.agent!r}")
    named = environment_of(options, os.environ)
    block = await environment.server_block() | await _frozen_time(prepared, environment)
    env = agent_environment(os.environ, named, block)
    log = options.run_dir / "agent-server.log"
    return ServerCommand(options.serve, url, env=env, log=log)


async def _frozen_time(prepared: PreparedRun, environment: Environment) -> dict[str, str]:
    """What tells an agent that serves all sessions of a replay the time: that of the first case."""
    if not prepared.settings.replay or not prepared.cases:
        return {}
    case = prepared.cases[0]
    spec = session_spec(case, 1, id=session_id("replay", case.id, 1), replay=True)
    world = SessionSpec(id=spec.id, overrides=spec.overrides, base=spec.base)
    async with environment.session(world) as session:
        return frozen_time_environment(spec, await session.merged())


async def open_environment(
    suite: Path, options: RunOptions, *, replay: bool, isolate: bool
) -> Environment:
    """The mock server that the options ask for: one of this run's own, or one that is running.

    Raises:
        HarnessError: The options make no sense.
        InfrastructureError: There is none.
    """
    if options.mock or not options.manage_server:
        return await _attach(suite, options)
    return await start_environment(
        suite,
        hermetic=replay,
        intercept=intercepts(options, suite, replay=replay, isolate=isolate),
        tunnel=options.tunnel or (),
    )


async def _attach(suite: Path, options: RunOptions) -> Environment:
    url = checked_url(options.mock or DEFAULT_URL, "--mock http://127.0.0.1:8765")
    if options.mock_token:
        checked_header("Authorization", options.mock_token)
    environment = await attach_environment(url, token=options.mock_token)
    if not environment.serves(suite):
        show_warnings([f"the mock server at {environment.url} does not serve {str(suite)!r}"])
    if not environment.protected:
        open_to_agents = (
            f"the mock server at {environment.url} has no control token, so agents can change"
            " what it tells of them: start it with --token-file and give --mock-token"
        )
        show_warnings([open_to_agents])
    return environment


def stop_on_signals() -> asyncio.Event:
    """An event that the first SIGINT or SIGTERM sets; a second one ends the process at once."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def stop_run(number: signal.Signals) -> None:
        loop.remove_signal_handler(number)
        sys.stderr.write("\nstopping: trials under way are cancelled, finished ones are kept\n")
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop_run, number)
    return stop
