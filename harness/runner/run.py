"""A whole run: begin or resume its directory, do the missing trials, decide, put it together."""

import asyncio
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from harness.agents import without_secrets
from harness.cases import case_hash
from harness.errors import HarnessError, InfrastructureError
from harness.model import (
    Case,
    Comparison,
    Custody,
    Policy,
    RunManifest,
    RunResult,
    TrialDecision,
    TrialRecord,
)
from harness.runner.canaries import ask_canary
from harness.runner.outcomes import compared, looked, outcomes_of
from harness.runner.plan import (
    PlannedTrial,
    check_enough,
    plan_trials,
    run_id,
    timestamp,
    trial_counts,
)
from harness.runner.pool import work_through
from harness.runner.settings import RunSettings, written_policy
from harness.runner.trial import Clock, RunContext, run_trial
from harness.statistics import Outcomes, Terms, summarize
from harness.storage import RunFolder, read_calibrations
from harness.verdicts import Limits, decide_run, decide_trial, exit_reasons
from mockserver import __version__


class Progress(Protocol):
    """Who is told how a run goes."""

    def started(self, total: int, done: int) -> None:
        """So many trials in all, so many of them from earlier."""
        ...

    def finished(self, record: TrialRecord, decision: TrialDecision) -> None:
        """A trial has been written."""
        ...


@dataclass(frozen=True, slots=True)
class Order:
    """What the user asks for.

    Attributes:
        suite: The suite as it was named.
        cases: The selected cases.
        agent: The agent spec.
        policy: For cases without their own.
        settings: What shapes the trials.
        note: Why this run is made.
        left_out: Cases and files that were invalid and are not run.
        suite_cases: How many cases the suite has.
    """

    suite: str
    cases: Sequence[Case]
    agent: str
    policy: Policy
    settings: RunSettings
    note: str = ""
    left_out: tuple[str, ...] = ()
    suite_cases: int = 0


def begin(order: Order, runs: Path, clock: Clock) -> RunFolder:
    """Make the directory of a new run; its name is its id.

    Raises:
        HarnessError: The directory cannot be made, or a policy needs more trials than there are.
    """
    trials = trial_counts(order.cases, order.settings.trials)
    check_enough(order.cases, trials, order.policy)
    moment = clock()
    manifest = RunManifest(
        run="",
        suite=order.suite,
        agent=without_secrets(order.agent),
        cases={case.id: case_hash(case) for case in order.cases},
        trials=trials,
        policy=written_policy(order.policy),
        options=order.settings.options(),
        versions={"understudy": __version__, "python": platform.python_version()},
        note=order.note,
        left_out=order.left_out,
        suite_cases=order.suite_cases,
    )
    name = free_name(runs, run_id(moment, manifest.model_dump(mode="json")))
    named = {"run": name, "started_at": timestamp(moment)}
    return RunFolder.create(runs / name, manifest.model_copy(update=named), order.cases)


def check_unchanged(manifest: RunManifest, cases: Sequence[Case]) -> tuple[Case, ...]:
    """The cases of an earlier run as the suite has them now, in run order.

    Raises:
        HarnessError: One is gone or has changed: its trials would be of two different cases.
    """
    now = {case.id: case for case in cases}
    gone = [id for id in manifest.cases if id not in now]
    changed = [
        id for id, hash in manifest.cases.items() if id in now and case_hash(now[id]) != hash
    ]
    if gone or changed:
        said = [f"changed: {', '.join(changed)}"] * bool(changed)
        said += [f"gone: {', '.join(gone)}"] * bool(gone)
        raise HarnessError(
            f"run {manifest.run} cannot be resumed, its cases are not what they were;"
            f" {'; '.join(said)}",
            hint="start a new run",
        )
    return tuple(now[id] for id in manifest.cases)


def missing(folder: RunFolder, cases: Sequence[Case]) -> tuple[PlannedTrial, ...]:
    """The trials that have no record, or one that an infrastructure error made worthless."""
    done = {
        (record.case, record.number) for record in folder.records() if not _is_worthless(record)
    }
    return plan_trials(cases, folder.manifest().trials, done)


async def perform(
    context: RunContext,
    folder: RunFolder,
    trials: Sequence[PlannedTrial],
    progress: Progress,
    stop: asyncio.Event,
) -> None:
    """Run trials, write each one when it is finished. Setting `stop` ends it early.

    Raises:
        InfrastructureError: The mock server does not answer as it must, so that nothing was run; or
            a record cannot be written.
        HarnessError: Another process runs trials of the same run.
    """
    total = sum(folder.manifest().trials.values())
    progress.started(total, total - len(trials))
    if trials:
        with folder.taken():
            # another process may have run some between the plan and now
            left = [each for each in trials if _is_missing(folder, each)]
            await _perform(context, folder, left, progress, stop)


def _is_missing(folder: RunFolder, trial: PlannedTrial) -> bool:
    try:
        record = folder.records().get(trial.case.id, trial.number)
    except HarnessError:  # not a record of ours; writing sets it aside
        return True
    return record is None or _is_worthless(record)


def _is_worthless(record: TrialRecord) -> bool:
    return record.outcome == "infra_error" and not record.tampering


async def _perform(
    context: RunContext,
    folder: RunFolder,
    trials: Sequence[PlannedTrial],
    progress: Progress,
    stop: asyncio.Event,
) -> None:
    canaries = [await ask_canary(context, "before")]
    if canaries[0].error:
        raise InfrastructureError(f"nothing was run: {canaries[0].error}")
    earlier = await context.environment.strangers()
    done, planted = 0, list[str]()

    async def work(trial: PlannedTrial) -> None:
        nonlocal done
        record = await run_trial(context, trial)
        writing = asyncio.get_running_loop().run_in_executor(None, folder.write_trial, record)
        if foreign := await _kept(writing):
            planted.append(foreign)
        progress.finished(record, decide_trial(trial.case, record))
        done += 1
        if done * 2 == len(trials) + len(trials) % 2:
            canaries.append(await ask_canary(context, "middle"))

    try:
        await work_through(trials, work, concurrency=context.settings.concurrency, stop=stop)
    finally:
        canaries.append(await ask_canary(context, "after"))
        folder.write_canaries(canaries)
        attempts = (await context.environment.strangers())[len(earlier) :]
        protected = context.environment.protected
        held = Custody(
            protected=protected,
            attempts=attempts,
            planted=(*planted, *folder.set_aside_unplanned()),
            changed=folder.changed(),
        )
        folder.write_custody(held)


async def _kept(writing: asyncio.Future[str]) -> str:
    """Wait for a record to be on the disk; a run that is stopped waits for it too."""
    try:
        return await asyncio.shield(writing)
    except asyncio.CancelledError:
        await writing
        raise


@dataclass(frozen=True, slots=True)
class Against:
    """What a run is held against.

    Attributes:
        baseline: What is compared of the earlier run.
        terms: How the two are judged.
    """

    baseline: Outcomes
    terms: Terms


@dataclass(frozen=True, slots=True)
class Held:
    """What the records of a run are held against in the place of what they were held against first.

    Attributes:
        cases: The run's cases, in run order, with other expectations.
        policy: The policy of cases without their own, or None: the run's.
    """

    cases: Sequence[Case]
    policy: Policy | None = None

    def manifest(self, first: RunManifest) -> RunManifest:
        """The manifest as it would have been."""
        policy = first.policy if self.policy is None else written_policy(self.policy)
        hashes = {case.id: case_hash(case) for case in self.cases}
        return first.model_copy(update={"cases": hashes, "policy": policy})


def decide(
    folder: RunFolder, limits: Limits, against: Against | None = None, held: Held | None = None
) -> RunResult:
    """Hold every record of a run against its case, keep the decisions, and put the result together.

    Raises:
        HarnessError: Something in the directory cannot be read.
    """
    manifest, records = folder.manifest(), folder.records()
    if held is not None:
        manifest = held.manifest(manifest)
    result = decide_run(
        manifest,
        folder.cases() if held is None else held.cases,
        records,
        limits=limits,
        interrupted=records.count() < sum(manifest.trials.values()),
        folder=str(folder.named),
    )
    known = {
        "canaries": folder.canaries(),
        "custody": folder.custody(),
        "calibrations": read_calibrations(folder.path.parent),
    }
    result = result.model_copy(update=known)
    added: dict[str, object] = {"statistics": summarize(result.decisions, result.facts)}
    if against is not None:
        added["comparison"] = _compared(against, result)
    result = result.model_copy(update=added)
    result = result.model_copy(update={"exit_reasons": exit_reasons(result, limits)})
    folder.write_decisions(manifest.policy, result.decisions, manifest.cases)
    return result


def _compared(against: Against, result: RunResult) -> Comparison:
    if result.manifest.options.get("until_decided"):
        return looked(against.baseline, result, against.terms).comparison
    return compared(against.baseline, outcomes_of(result), against.terms)


def free_name(runs: Path, name: str) -> str:
    """A name for a run that no other one of the same second and order has taken."""
    taken, again = name, 1
    while (runs / taken).exists():
        again += 1
        taken = f"{name}-{again}"
    return taken
