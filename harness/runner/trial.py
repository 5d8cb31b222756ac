"""One trial: open a session, put the agent through the case, close the session, write it all up."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from time import perf_counter

from harness.agents import (
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    Task,
    Transcript,
)
from harness.environment import (
    Environment,
    Playing,
    Session,
    session_id,
    session_spec,
    time_told,
)
from harness.errors import InfrastructureError
from harness.judge import Judging
from harness.model import (
    Attempt,
    JsonObject,
    Outcome,
    TrialRecord,
    WorkspaceFile,
    asked_collections,
)
from harness.runner.plan import PlannedTrial, timestamp
from harness.runner.prompts import prompts_of
from harness.runner.settings import RunSettings
from harness.runner.tools import why_skipped
from harness.runner.workspace import contents, fixture_files, workspace
from mockserver.model import Journal, SessionReport, SessionSpec

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
    """

    run: str
    suite: Path
    hashes: dict[str, str]
    settings: RunSettings
    driver: AgentDriver
    environment: Environment
    clock: Clock
    sessions: str = ""
    judge: Judging | None = None
    layers: Mapping[str, tuple[JsonObject, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class _Findings:
    outcome: Outcome = "replied"
    error: str = ""
    agent_ms: float = 0
    time_limit_ms: float | None = None
    session: str = ""
    report: SessionReport | None = None
    files: dict[str, WorkspaceFile] = field(default_factory=dict)


async def run_trial(context: RunContext, trial: PlannedTrial) -> TrialRecord:
    """Run one trial to its record. What goes wrong in it is part of the record.

    Cancelling stops the agent, closes the session, and leaves no record.
    """
    started, start = timestamp(context.clock()), perf_counter()
    transcript, findings = Transcript(), _Findings()
    files = fixture_files(context.suite, trial.case)
    with workspace(files, trial.case.fixtures.workspace) as folder:
        try:
            if lacking := await _lacking(context, trial):
                findings.outcome, findings.error = "skipped", lacking
            else:
                await _meet(context, trial, folder, (transcript, findings))
        except InfrastructureError as error:
            findings.outcome, findings.error = "infra_error", str(error)
        findings.files = contents(folder)
    record = _record(context, trial, started, transcript, findings).model_copy(
        update={"duration_ms": (perf_counter() - start) * 1000}
    )
    if context.judge is None:
        return record
    opinions = await context.judge.opinions(trial.case, record)
    return record.model_copy(update={"opinions": opinions})


async def _meet(
    context: RunContext, trial: PlannedTrial, folder: Path, told: tuple[Transcript, _Findings]
) -> None:
    transcript, findings = told
    async with context.environment.session(_spec(context, trial)) as session:
        findings.session = session.info.id
        task = await _task(context, trial, session, folder)
        await _converse(context, task, transcript, findings)
        findings.report = await session.report(asked_collections(trial.case))


async def _lacking(context: RunContext, trial: PlannedTrial) -> str:
    if not trial.case.required_tools:
        return ""
    declared = context.settings.tools or context.driver.tools
    return await why_skipped(trial.case, declared, context.environment, _spec(context, trial))


def _spec(context: RunContext, trial: PlannedTrial) -> SessionSpec:
    settings = context.settings
    spec = session_spec(
        trial.case,
        trial.number,
        id=session_id(context.sessions or context.run, trial.case.id, trial.number),
        use_base=settings.use_base,
        use_overrides=settings.use_overrides,
        replay=settings.replay,
        playing=Playing(settings.strict, settings.barriers, settings.match),
    )
    layers = context.layers.get(trial.case.id)
    if not layers:
        return spec
    return spec.model_copy(update={"overrides": (*(spec.overrides or ()), *layers)})


async def _task(context: RunContext, trial: PlannedTrial, session: Session, folder: Path) -> Task:
    settings, case = context.settings, trial.case
    texts = {}
    if settings.inject_prompt:
        files = fixture_files(context.suite, case)
        texts = {path.name: path.read_text("utf-8", errors="replace") for path in files}
    return Task(
        case=case,
        prompts=prompts_of(case, template=settings.template, texts=texts),
        env={**session.info.env, **await _time(context, trial, session)},
        session=session.info.id,
        token=session.info.token,
        workspace=folder,
        fixtures=await session.merged() if settings.inject else None,
    )


async def _time(context: RunContext, trial: PlannedTrial, session: Session) -> dict[str, str]:
    """What tells an agent the time of a replay."""
    if not context.settings.replay:
        return {}
    return time_told(_spec(context, trial), await session.merged())


async def _converse(
    context: RunContext, task: Task, transcript: Transcript, findings: _Findings
) -> None:
    limit = task.case.timeout_s or context.settings.timeout_s
    start, deadline = perf_counter(), asyncio.timeout(limit)
    try:
        async with deadline:
            await context.driver.converse(task, transcript)
    except TimeoutError:
        if not deadline.expired():
            raise
        turn = len(transcript.replies) + 1
        # whoever waits for a service cannot tell a slow one from a queue or a lost network
        waited: Outcome = "agent_error" if task.case.request is None else "infra_error"
        findings.outcome, findings.time_limit_ms = waited, limit * 1000
        findings.error = f"no reply to turn {turn} within {limit:g} s; the agent was stopped"
        transcript.attempts.append(_unfinished(transcript, turn, findings.error))
    except AgentFailedError as error:
        findings.outcome, findings.error = "agent_error", str(error)
    except AgentUnreachableError as error:
        findings.outcome, findings.error = "infra_error", str(error)
    findings.agent_ms = (perf_counter() - start) * 1000


def _unfinished(transcript: Transcript, turn: int, error: str) -> Attempt:
    earlier = sum(attempt.turn == turn for attempt in transcript.attempts)
    return Attempt(turn=turn, number=earlier + 1, error=error)


def _record(
    context: RunContext,
    trial: PlannedTrial,
    started: str,
    transcript: Transcript,
    findings: _Findings,
) -> TrialRecord:
    report = findings.report or SessionReport(id=findings.session, journal=Journal())
    return TrialRecord(
        run=context.run,
        case=trial.case.id,
        case_hash=context.hashes[trial.case.id],
        number=trial.number,
        outcome=findings.outcome,
        error=findings.error,
        started_at=started,
        agent_ms=findings.agent_ms,
        time_limit_ms=findings.time_limit_ms,
        replies=tuple(transcript.replies),
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
    )
