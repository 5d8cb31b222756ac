"""One trial: a session is opened, the agent is put through the case, everything is recorded."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from time import perf_counter

from harness.agents import (
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    Task,
    Transcript,
)
from harness.checks.model_traffic import own_prices, recorded_calls
from harness.environment import (
    Environment,
    PlaybackOptions,
    Session,
    frozen_time_environment,
    model_cassette_path,
    model_recording_path,
    record_models,
    remove_model_cassettes,
    session_id,
    session_spec,
)
from harness.errors import HarnessError, InfrastructureError
from harness.judge import JudgeClient
from harness.model import (
    Attempt,
    Case,
    Json,
    JsonObject,
    Outcome,
    TrialRecord,
    WorkspaceFile,
    inspected_collections,
    model_cassette,
)
from harness.runner.forks import Fork, ForkedModels, forked_models
from harness.runner.plan import PlannedTrial, timestamp
from harness.runner.settings import PROMPT, RunSettings
from harness.runner.users import Users
from harness.runner.workspace import Workspace, fixture_files, workspace
from harness.trials.records import Price
from harness.trials.tracing import PRICES, read_trace, turn_starts, with_usage
from harness.users import UserPlayer
from mockserver.model import Journal, SessionReport, SessionSpec, SourceName


def prompts_of(
    case: Case, *, template: str = PROMPT, texts: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """The text of each turn: the template around what the case says, once.

    Args:
        case: The case.
        template: `{prompt}` stands for what the user says.
        texts: Plain-text fixtures by file name, put below the first prompt.
    """
    said = [template.replace(PROMPT, turn.user) for turn in case.turns]
    for name, text in (texts or {}).items():
        said[0] += f"\n\n--- {name} ---\n{text.strip()}\n--- end of {name} ---"
    return tuple(said)


def check_template(template: str) -> str:
    """A template as it was given, when it leaves a place for the prompt.

    Raises:
        HarnessError: It does not hold `{prompt}`.
    """
    if PROMPT not in template:
        raise HarnessError(
            f"the prompt template has no {PROMPT}: every case would ask the same",
            hint=f"write {PROMPT} where the case's text belongs",
        )
    return template


async def skip_reason(
    case: Case, declared: Sequence[str], environment: Environment, spec: SessionSpec
) -> str:
    """Why an agent cannot be put through a case at all, one sentence; empty when it can.

    Args:
        case: The case.
        declared: Globs of the tools that the agent is said to have.
        environment: The mock server, whose tools every agent can reach.
        spec: The world of the trial.

    Raises:
        InfrastructureError: The server does not answer.
    """
    missing = _missing_names(case.required_tools, declared)
    if missing:
        missing = _missing_names(missing, await environment.tools(spec))
    if not missing:
        return ""
    named = ", ".join(map(repr, missing))
    told = "" if declared else ", and nobody says which tools it has: give --tools"
    return f"the agent lacks tools that the case needs: {named}{told}"


def _missing_names(names: Iterable[str], globs: Sequence[str]) -> list[str]:
    return [name for name in names if not any(fnmatchcase(name, glob) for glob in globs)]


Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class RunContext:
    """What all trials of a run share.

    Attributes:
        run: The run's id.
        suite: The folder that holds the suite's fixtures.
        hashes: Case id to case hash.
        settings: What shapes the trials.
        driver: The agent.
        environment: The mock server.
        clock: The time of day.
        sessions: What the ids of sessions begin with; the run's id when empty.
        judge: Who answers questions about replies, or None.
        layers: Case id to snapshot layers that are laid over its overrides.
        prices: What models cost.
        users: Who speaks for simulated users.
        models: Where the recorded calls of models are kept, a file for each trial; None keeps none.
        fork: What all trials are forks of, or None.
        warn: Told what the user should know of a trial though it is none of its record.
    """

    run: str
    suite: Path
    hashes: dict[str, str]
    settings: RunSettings
    driver: AgentDriver
    environment: Environment
    clock: Clock
    sessions: str = ""
    judge: JudgeClient | None = None
    layers: Mapping[str, tuple[JsonObject, ...]] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=lambda: PRICES)
    users: Users = field(default_factory=Users)
    models: Path | None = None
    fork: Fork | None = None
    warn: Callable[[str], None] = lambda line: None


@dataclass(slots=True)
class _Findings:
    outcome: Outcome = "replied"
    error: str = ""
    began_ms: float = 0
    agent_ms: float = 0
    time_limit_ms: float | None = None
    session: str = ""
    report: SessionReport | None = None
    user: UserPlayer | None = None
    forked: ForkedModels | None = None
    files: dict[str, WorkspaceFile] = field(default_factory=dict)


async def run_trial(context: RunContext, trial: PlannedTrial) -> TrialRecord:
    """Run one trial to its record. What goes wrong in it is part of the record.

    Cancelling stops the agent, closes the session, and leaves no record.
    """
    started, start = timestamp(context.clock()), perf_counter()
    transcript, findings = Transcript(), _Findings()
    files = fixture_files(context.suite, trial.case)
    with workspace(files, trial.case.fixtures.workspace) as place:
        try:
            spec, tools = _spec(context, trial), context.settings.tools or context.driver.tools
            if reason := await skip_reason(trial.case, tools, context.environment, spec):
                findings.outcome, findings.error = "skipped", reason
            else:
                async with context.environment.session(spec) as session:
                    findings.session = session.info.id
                    findings.user = context.users.player(trial, context.settings)
                    task = await _task(context, trial, session, place, findings.user)
                    async with _led_models(context, trial, session, findings) as led:
                        task = replace(task, env={**task.env, **led})
                        await _converse(context, task, transcript, findings)
                    findings.report = await session.report(inspected_collections(trial.case))
                    if findings.report.problem:
                        findings.outcome, findings.error = "infra_error", findings.report.problem
        except (InfrastructureError, HarnessError) as error:
            findings.outcome, findings.error = "infra_error", str(error)
        if findings.forked is not None and findings.forked.problem:
            # whatever the agent did then, it is no fork of that trial
            findings.outcome, findings.error = "infra_error", findings.forked.problem
        findings.files = place.contents()
    record = _record(context, trial, started, transcript, findings).model_copy(
        update={"duration_ms": (perf_counter() - start) * 1000 - transcript.startup_ms}
    )
    if context.judge is None:
        return record
    opinions = await context.judge.opinions(trial.case, record)
    return record.model_copy(update={"opinions": opinions})


@asynccontextmanager
async def _led_models(
    context: RunContext, trial: PlannedTrial, session: Session, findings: _Findings
) -> AsyncIterator[Mapping[str, str]]:
    """Record what the agent asks of models, or fork it, where the run does.

    Yields:
        The variables that lead it there.
    """
    kept = context.models and model_recording_path(context.models, trial.case, trial.number)
    if context.fork is not None:
        if kept is None:
            raise InfrastructureError(
                "a fork keeps its calls of models with its run: name a folder"
            )
        spec = _spec(context, trial)
        async with forked_models(context.fork, session, spec, kept) as findings.forked:
            yield findings.forked.block
        return
    if not context.settings.record_models:
        yield {}
        return
    path = model_cassette_path(context.suite, trial.case, trial.number)
    stated = await _suite_texts(context, trial, session)

    def warn(line: str) -> None:
        context.warn(f"{trial.case.id}: {line}")

    async with record_models(path, os.environ, kept, stated, warn) as led:
        yield led
    if trial.number == 1 and kept is not None and kept.is_file():
        remove_model_cassettes(context.suite, trial.case, context.settings.trials or 1)


async def _suite_texts(context: RunContext, trial: PlannedTrial, session: Session) -> list[Json]:
    """What the files of the suite state of a case: itself, its world, its plain-text files."""
    files = fixture_files(context.suite, trial.case)
    texts = [path.read_text("utf-8", errors="replace") for path in files]
    return [trial.case.model_dump(mode="json"), await session.merged(), *texts]


def _spec(context: RunContext, trial: PlannedTrial) -> SessionSpec:
    settings, fork = context.settings, context.fork
    number = trial.number if fork is None else fork.trial.record.number
    spec = session_spec(
        trial.case,
        number,
        id=session_id(context.sessions or context.run, trial.case.id, number),
        use_base=settings.use_base,
        use_overrides=settings.use_overrides,
        replay=settings.replay,
        made_up=settings.made_up,
        playing=PlaybackOptions(
            settings.strict, settings.barriers, settings.match, exact=settings.exact
        ),
    ).model_copy(update={"tools": settings.perturbed})
    is_played = settings.replay and fork is None
    recorded = _recorded_number(context, trial) if is_played else None
    if recorded is not None:
        played = dict.fromkeys((*spec.cassettes, model_cassette(trial.case.id, recorded)))
        sources: tuple[SourceName, ...] = ("stub", "cassette", "state")
        spec = spec.model_copy(update={"cassettes": tuple(played), "sources": sources})
    layers = context.layers.get(trial.case.id)
    if not layers:
        return spec
    return spec.model_copy(update={"overrides": (*(spec.overrides or ()), *layers)})


def _recorded_number(context: RunContext, trial: PlannedTrial) -> int | None:
    """Whose recorded calls of models a trial plays: its own, else those of trial 1, if any."""
    for number in dict.fromkeys((trial.number, 1)):
        if model_cassette_path(context.suite, trial.case, number).is_file():
            break
    else:
        return None
    several = model_cassette_path(context.suite, trial.case, 2).is_file()
    if several and number != trial.number:
        context.warn(
            f"{trial.case.id}: trial {trial.number} was not recorded; what models said in trial"
            f" {number} answers it"
        )
    return number


async def _task(
    context: RunContext,
    trial: PlannedTrial,
    session: Session,
    place: Workspace,
    user: UserPlayer | None,
) -> Task:
    settings, case = context.settings, trial.case
    texts = {}
    if settings.inject_prompt:
        files = fixture_files(context.suite, case)
        texts = {path.name: path.read_text("utf-8", errors="replace") for path in files}
    env = {**session.info.env}
    if settings.replay:
        env |= frozen_time_environment(_spec(context, trial), await session.merged())
    return Task(
        case=case,
        prompts=prompts_of(case, template=settings.template, texts=texts),
        env=env,
        session=session.info.id,
        token=session.info.token,
        folder=place.folder,
        fixtures=await session.merged() if settings.inject else None,
        user=user,
    )


async def _converse(
    context: RunContext, task: Task, transcript: Transcript, findings: _Findings
) -> None:
    limit = task.case.timeout_s or context.settings.timeout_s
    findings.began_ms = context.clock().timestamp() * 1000
    start, deadline = perf_counter(), asyncio.timeout(limit)
    if findings.forked is not None:
        findings.forked.began = start
    try:
        async with deadline:
            await context.driver.converse(task, transcript)
    except TimeoutError:
        if not deadline.expired():
            raise
        turn = len(transcript.replies) + 1
        number = 1 + sum(attempt.turn == turn for attempt in transcript.attempts)
        # whoever waits for a service cannot tell a slow one from a queue or a lost network
        waited: Outcome = "agent_error" if task.case.request is None else "infra_error"
        findings.outcome, findings.time_limit_ms = waited, limit * 1000
        findings.error = f"no reply to turn {turn} within {limit:g} s; the agent was stopped"
        transcript.attempts.append(Attempt(turn=turn, number=number, error=findings.error))
    except AgentFailedError as error:
        findings.outcome, findings.error = "agent_error", str(error)
    except (AgentUnreachableError, InfrastructureError) as error:
        findings.outcome, findings.error = "infra_error", str(error)
    findings.began_ms += transcript.startup_ms
    if findings.forked is not None:
        findings.forked.leave_out_startup(transcript.startup_ms)
    others_ms = transcript.startup_ms + (findings.user.spent_ms if findings.user else 0)
    findings.agent_ms = (perf_counter() - start) * 1000 - others_ms


def _record(
    context: RunContext,
    trial: PlannedTrial,
    started: str,
    transcript: Transcript,
    findings: _Findings,
) -> TrialRecord:
    report = findings.report or SessionReport(id=findings.session, journal=Journal())
    replies = transcript.replies
    starts = turn_starts(findings.began_ms, replies)
    trace = read_trace(report.traced, starts, context.prices)
    if findings.forked is not None and not trace.model_calls:
        fork = findings.forked
        calls = recorded_calls(fork.recording, starts, context.prices, fork.point)
        trace = trace.model_copy(update={"model_calls": calls})
    record = TrialRecord(
        run=context.run,
        case=trial.case.id,
        case_hash=context.hashes[trial.case.id],
        number=trial.number,
        outcome=findings.outcome,
        error=findings.error,
        started_at=started,
        agent_ms=findings.agent_ms,
        time_limit_ms=findings.time_limit_ms,
        replies=tuple(with_usage(reply, trace) for reply in replies),
        attempts=tuple(transcript.attempts),
        exit_code=transcript.exit_code,
        stderr_tail=transcript.stderr_tail,
        files=findings.files,
        session=findings.session,
        journal=report.journal,
        state_diff=report.diff,
        written=report.written,
        state=report.state,
        faults=report.faults,
        synthetic=context.settings.synthetic,
        unused=report.unused,
        tampering=report.tampering,
        trace=trace,
        user=findings.user.record if findings.user else None,
        fork=findings.forked.point if findings.forked else None,
    )
    return record.model_copy(update={"prices": own_prices(record, context.prices)})
