"""Runs whose trials are performed by workers: `--on processes:4`, `--on ray`."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.agents import AgentDriver
from harness.cli.run_options import RunOptions
from harness.cli.run_preparation import PreparedRun, driver_options, intercepts
from harness.errors import HarnessError
from harness.judge import JudgeClient
from harness.runner import Clock, TrialExecutor, Users, trial_counts
from harness.storage import RunFolder

ExecutorMaker = Callable[[RunFolder, str], TrialExecutor]
"""Makes the executor of a run, of its directory and of what a replay is named by."""


@dataclass(frozen=True)
class RunParts:
    """Who takes part in the trials of a run.

    Attributes:
        prepared: The run.
        driver: The agent.
        judge: Who is asked about replies, or None.
        users: Who speaks for simulated users.
    """

    prepared: PreparedRun
    driver: AgentDriver
    judge: JudgeClient | None
    users: Users


def check_workers(options: RunOptions) -> None:
    """Refuse options that do not go with where the trials are performed.

    Raises:
        HarnessError: With workers, one that is about the one mock server of a run; without, one
            that is about workers.
    """
    if not options.on:
        if options.workers is not None or options.ship:
            flag = "--ship" if options.ship else "--workers"
            raise HarnessError(f"{flag} is about workers, and there are none", hint="give --on ray")
        return
    named = {
        "--mock": options.mock,
        "--no-manage-server": not options.manage_server,
        "--serve": options.serve,
        "--record-models": options.record_models,
    }
    for flag in (name for name, given in named.items() if given):
        raise HarnessError(
            f"{flag} does not go with --on, whose workers have mock servers of their own",
            hint=f"leave {flag} or --on out",
        )
    _check_sandbox(options, options.sandbox)


def _check_sandbox(options: RunOptions, sandbox: str) -> None:
    if sandbox and options.on.partition(":")[0] == "ray":
        raise HarnessError(
            "--sandbox hides files of this machine, and workers of --on ray have others",
            hint="--on processes:N, or leave --sandbox out",
        )


@asynccontextmanager
async def open_workers(
    parts: RunParts, options: RunOptions, clock: Clock, tell: Callable[[str], None]
) -> AsyncIterator[ExecutorMaker]:
    """Start the workers that `--on` names; they are stopped after the block.

    Args:
        parts: Who takes part in the trials.
        options: What was said.
        clock: The time of day.
        tell: Is told of lost workers.

    Yields:
        What makes an executor on them.

    Raises:
        HarnessError: There is no such place, or the agent cannot be made there.
        InfrastructureError: A worker did not come up.
    """
    from harness.runner.executors.package import Travel
    from harness.runner.executors.pool import WorkerPool
    from harness.runner.executors.protocol import AgentSettings, WorkerSetup
    from harness.runner.executors.remote import RemoteExecutor, RemoteTerms
    from harness.runner.executors.specs import make_place

    prepared, settings = parts.prepared, parts.prepared.settings
    if settings.record_models or prepared.fork is not None:
        what = "a fork is" if prepared.fork is not None else "calls of models are"
        raise HarnessError(f"{what} recorded beside the run, not on workers", hint="leave --on out")
    _check_sandbox(options, settings.sandbox)
    suite = prepared.suite.path.absolute()
    setup = WorkerSetup(
        suite=str(suite),
        settings=settings,
        agent=prepared.agent,
        driver=AgentSettings.of(driver_options(options, settings)),
        folder=str(Path.cwd()),
        live=options.live,
        intercept=intercepts(options, suite, replay=settings.replay, isolate=settings.isolate),
        keys=parts.users.keys(prepared.cases, settings),
    )
    travel = Travel(
        Path.cwd(),
        suite,
        without=(options.run_dir.absolute(),),
        also=tuple(map(Path, options.ship or ())),
        most=options.workers,
    )
    place = make_place(options.on, setup, travel)
    pool = WorkerPool(place, settings.concurrency, lambda text: tell(f"warning: {text}"))
    try:
        await pool.open(sum(trial_counts(prepared.cases, settings.trials).values()))

        def make(folder: RunFolder, replay: str) -> TrialExecutor:
            manifest = folder.manifest()
            terms = RemoteTerms(
                run=manifest.run,
                hashes=manifest.cases,
                clock=clock,
                sessions=replay,
                synthetic=settings.synthetic,
                judge=parts.judge,
                users=parts.users,
            )
            return RemoteExecutor(pool, terms)

        yield make
    finally:
        await pool.close()
