"""A run: begun or resumed, performed trial by trial, decided; several runs merged into one.

Canary questions before, in the middle of, and after the trials show that the mock server answers
correctly; without them its failures would be taken for those of the agent. With a baseline, trials
are added until the comparison is decided.
"""

import asyncio
import platform
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Protocol

from harness.agents import without_secrets
from harness.cases import case_hash
from harness.errors import HarnessError, InfrastructureError
from harness.model import (
    Case,
    Comparison,
    Custody,
    ForkOrigin,
    Policy,
    Records,
    RunManifest,
    RunResult,
    TrialDecision,
    TrialRecord,
    joined_coverage,
)
from harness.runner.executors import TrialExecutor
from harness.runner.fork_trees import fork_trees
from harness.runner.outcomes import compare_outcomes, outcomes_of, take_look
from harness.runner.plan import (
    PlannedTrial,
    check_enough,
    plan_trials,
    run_id,
    timestamp,
    trial_counts,
)
from harness.runner.settings import RunSettings, written_policy
from harness.runner.trial import Clock
from harness.statistics import Outcomes, Terms, summarize
from harness.storage import RunFolder, read_calibrations
from harness.verdicts import (
    Limits,
    decide_run,
    decide_trial,
    exit_reasons,
    latest_canaries,
)
from mockserver import __version__


async def work_through(
    trials: Iterable[PlannedTrial],
    work: Callable[[PlannedTrial], Awaitable[None]],
    *,
    concurrency: int,
    stop: asyncio.Event,
) -> bool:
    """Do all the work, or what was done when `stop` was set; trials under way are then cancelled.

    Returns:
        Whether everything was done.

    Raises:
        Exception: What `work` raises; the rest is cancelled.
    """
    waiting, is_over = iter(trials), False

    async def place() -> None:
        for trial in waiting:
            if is_over or stop.is_set():
                # a cancellation is lost where what was waited for came in the same moment
                return
            await work(trial)

    places = {asyncio.create_task(place()) for _ in range(concurrency)}
    stopping = asyncio.create_task(stop.wait())
    running = set(places)
    try:
        while running and not stop.is_set():
            done, _ = await asyncio.wait({*running, stopping}, return_when=asyncio.FIRST_COMPLETED)
            running -= done
            for task in done & places:
                task.result()
    finally:
        is_over = True
        for task in (*places, stopping):
            task.cancel()
        await asyncio.gather(*places, stopping, return_exceptions=True)
    return not running


@dataclass(frozen=True)
class FinishedTrial:
    """A trial that was run just now.

    Attributes:
        record: What happened.
        decide: Decides about it; what the run keeps is decided at its end, from what was written.
    """

    record: TrialRecord
    decide: Callable[[], TrialDecision]

    @cached_property
    def decision(self) -> TrialDecision:
        """What is decided about it, once somebody wants to know."""
        return self.decide()


class Progress(Protocol):
    """Who is told how a run goes."""

    def note_start(self, total: int, done: int) -> None:
        """So many trials in all, so many of them from earlier."""
        ...

    def note_trial(self, trial: FinishedTrial) -> None:
        """A trial has been written."""
        ...


@dataclass(frozen=True, slots=True)
class NewRun:
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
        fork: The trial that all trials are forked from, or None.
    """

    suite: str
    cases: Sequence[Case]
    agent: str
    policy: Policy
    settings: RunSettings
    note: str = ""
    left_out: tuple[str, ...] = ()
    suite_cases: int = 0
    fork: ForkOrigin | None = None


def begin_run(order: NewRun, runs: Path, clock: Clock) -> RunFolder:
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
        fork=order.fork,
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


def missing_trials(folder: RunFolder, cases: Sequence[Case]) -> tuple[PlannedTrial, ...]:
    """The trials that have no record, or one that an infrastructure error made worthless."""
    done = {
        (record.case, record.number) for record in folder.records() if not _is_infra_error(record)
    }
    return plan_trials(cases, folder.manifest().trials, done)


async def perform_trials(
    executor: TrialExecutor,
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
    progress.note_start(total, total - len(trials))
    if trials:
        with folder.lock():
            # another process may have run some between the plan and now
            records = folder.records()
            left = [each for each in trials if _is_missing(records, each)]
            await _perform_planned(executor, folder, left, progress, stop)
    else:
        folder.remove_unfinished()
        await _ask_again(executor, folder)


async def _ask_again(executor: TrialExecutor, folder: RunFolder) -> None:
    """Where the server was gone after the last trial, all that a run lacks is an answer of it."""
    failed = [each for each in latest_canaries(folder.canaries()) if each.error]
    if failed and all(each.unanswered for each in failed):
        canary = await executor.canary("before")
        if not canary.error:
            folder.write_canaries([canary])


def _is_missing(records: Records, trial: PlannedTrial) -> bool:
    try:
        record = records.get(trial.case.id, trial.number)
    except HarnessError:  # not a record of ours; writing sets it aside
        return True
    return record is None or _is_infra_error(record)


def _is_infra_error(record: TrialRecord) -> bool:
    return record.outcome == "infra_error" and not record.tampering


async def _perform_planned(
    executor: TrialExecutor,
    folder: RunFolder,
    trials: Sequence[PlannedTrial],
    progress: Progress,
    stop: asyncio.Event,
) -> None:
    canaries = [await executor.canary("before")]
    if canaries[0].error:
        raise InfrastructureError(f"nothing was run: {canaries[0].error}")
    earlier = await executor.strangers()
    done, planted = 0, list[str]()

    async def work(trial: PlannedTrial) -> None:
        nonlocal done
        record = await executor.run(trial)
        writing = asyncio.get_running_loop().run_in_executor(None, folder.write_trial, record)
        if foreign := await _finish_writing(writing):
            planted.append(foreign)
        progress.note_trial(FinishedTrial(record, partial(decide_trial, trial.case, record)))
        done += 1
        if done * 2 == len(trials) + len(trials) % 2:
            canaries.append(await executor.canary("middle"))

    try:
        await work_through(trials, work, concurrency=executor.places, stop=stop)
    finally:
        canaries.append(await executor.canary("after"))
        folder.write_canaries(canaries)
        attempts = (await executor.strangers())[len(earlier) :]
        held = Custody(
            protected=executor.protected,
            attempts=attempts,
            planted=(*planted, *folder.set_aside_unplanned()),
            changed=folder.changed_records(),
        )
        folder.write_custody(held)


async def _finish_writing(writing: asyncio.Future[str]) -> str:
    """Wait for a record to be on the disk; a run that is stopped waits for it too."""
    try:
        return await asyncio.shield(writing)
    except asyncio.CancelledError:
        await writing
        raise


@dataclass(frozen=True, slots=True)
class BaselineGate:
    """What a run is held against.

    Attributes:
        baseline: What is compared of the earlier run.
        terms: How the two are judged.
    """

    baseline: Outcomes
    terms: Terms


@dataclass(frozen=True, slots=True)
class DecisionTerms:
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
    folder: RunFolder,
    limits: Limits,
    against: BaselineGate | None = None,
    terms: DecisionTerms | None = None,
) -> RunResult:
    """Hold every record of a run against its case, keep the decisions, and put the result together.

    Raises:
        HarnessError: Something in the directory cannot be read.
    """
    manifest, records = folder.manifest(), folder.records()
    if terms is not None:
        manifest = terms.manifest(manifest)
    with folder.decision_writer(manifest.policy, manifest.cases) as writer:
        result = decide_run(
            manifest,
            folder.cases() if terms is None else terms.cases,
            records,
            limits=limits,
            interrupted=records.count() < sum(manifest.trials.values()),
            folder=str(folder.named),
            keeper=writer,
        )
        known = {
            "canaries": folder.canaries(),
            "custody": folder.custody(),
            "coverage": folder.coverage(),
            "calibrations": read_calibrations(folder.path.parent),
        }
        result = result.model_copy(update={"place": folder.place, **known})
        added: dict[str, object] = {"statistics": summarize(result.decisions, result.facts)}
        if against is not None:
            added["comparison"] = _compare_with_baseline(against, result)
        result = result.model_copy(update=added)
        result = result.model_copy(update={"exit_reasons": exit_reasons(result, limits)})
        writer.commit()
    return result.model_copy(update={"forks": fork_trees(folder)})


def _compare_with_baseline(against: BaselineGate, result: RunResult) -> Comparison:
    if result.manifest.options.get("until_decided"):
        return take_look(against.baseline, result, against.terms).comparison
    return compare_outcomes(against.baseline, outcomes_of(result), against.terms)


def free_name(runs: Path, name: str) -> str:
    """A name for a run that no other one of the same second and order has taken."""
    taken, again = name, 1
    while (runs / taken).exists():
        again += 1
        taken = f"{name}-{again}"
    return taken


async def perform_until_decided(
    executor: TrialExecutor,
    folder: RunFolder,
    against: BaselineGate,
    progress: Progress,
    stop: asyncio.Event,
) -> None:
    """Run the trials that are missing, look, and run further ones while that decides nothing.

    The run's manifest tells how many trials each case has been given, so that a run that is
    resumed goes on where it was.

    Raises:
        InfrastructureError: Nothing could be run, or a record cannot be written.
    """
    cases = folder.cases()
    while True:
        await perform_trials(executor, folder, missing_trials(folder, cases), progress, stop)
        if stop.is_set():
            return
        found = decide_run(folder.manifest(), cases, folder.records())
        wanted = take_look(against.baseline, found, against.terms).wanted
        if not wanted:
            return
        folder.extend(wanted)


_FREE_SETTINGS = frozenset({"shard", "concurrency", "trials"})
"""Options in which runs that are merged may differ."""


@dataclass(frozen=True, slots=True)
class _Part:
    folder: RunFolder
    manifest: RunManifest
    cases: tuple[Case, ...]


def merge_runs(paths: Sequence[Path], runs: Path, clock: Clock) -> RunFolder:
    """Make one run of several; theirs are left as they are.

    Shards have cases apart. Where runs share a case, the trials of the later run get the numbers
    that follow; a record still names the run it was made in.

    Args:
        paths: The run directories, in order.
        runs: Where the new one is made.
        clock: The time of day.

    Raises:
        HarnessError: The runs are not of one suite, agent, policy and set of options, or they have
            a case that changed between them.
    """
    parts = [_part(RunFolder(path)) for path in paths]
    _check_compatible(parts)
    manifest = _manifest([part.manifest for part in parts])
    name = free_name(runs, run_id(clock(), manifest.model_dump(mode="json")))
    manifest = manifest.model_copy(update={"run": name})
    cases = {case.id: case for part in parts for case in part.cases}
    folder = RunFolder.create(runs / name, manifest, list(cases.values()))
    before = dict.fromkeys(cases, 0)
    for part in parts:
        for record in part.folder.records():
            number = before[record.case] + record.number
            folder.write_trial(record.model_copy(update={"number": number}))
        for case, count in part.manifest.trials.items():
            before[case] += count
    touched = {part.manifest.run: part.folder.coverage() for part in parts}
    if any(touched.values()):
        folder.write_coverage(joined_coverage(touched))
    return folder


def _part(folder: RunFolder) -> _Part:
    return _Part(folder, folder.manifest(), folder.cases())


def _check_compatible(parts: Sequence[_Part]) -> None:
    if len({part.manifest.run for part in parts}) < len(parts) or len(parts) < 2:
        raise HarnessError("merging takes two runs or more, each of them once")
    first = parts[0].manifest
    for manifest in (part.manifest for part in parts[1:]):
        if differing := _differences(first, manifest):
            raise HarnessError(
                f"runs {first.run} and {manifest.run} cannot be merged, they differ in"
                f" {', '.join(differing)}",
                hint="compare them with: understudy compare",
            )


def _differences(one: RunManifest, other: RunManifest) -> list[str]:
    names = ("suite", "agent", "policy")
    found = [name for name in names if getattr(one, name) != getattr(other, name)]
    options = sorted((one.options.keys() | other.options.keys()) - _FREE_SETTINGS)
    found += [name for name in options if one.options.get(name) != other.options.get(name)]
    return found + [
        f"case {id}"
        for id, hash in one.cases.items()
        if id in other.cases and other.cases[id] != hash
    ]


def _manifest(parts: Sequence[RunManifest]) -> RunManifest:
    """What merged runs were asked for together; a field that is not named here is the first run's.

    So is `note`: the other runs, which `merged` names, keep theirs in their own folders.
    """
    first = parts[0]
    trials: dict[str, int] = {}
    for part in parts:
        for case, count in part.trials.items():
            trials[case] = trials.get(case, 0) + count
    return first.model_copy(
        update={
            "run": "",
            "cases": {id: hash for part in parts for id, hash in part.cases.items()},
            "trials": trials,
            "options": {**first.options, "shard": "", "trials": None},
            "started_at": min(part.started_at for part in parts),
            "merged": tuple(part.run for part in parts),
            "left_out": tuple(dict.fromkeys(id for part in parts for id in part.left_out)),
        }
    )
