"""`understudy replay`: a run that gives the same report every time, for CI."""

from dataclasses import replace

import typer

from harness.cli.run import execute
from harness.cli.run_options import NOT_OF_REPLAYS, RunOptions, with_run_options


def _replay(ctx: typer.Context, options: RunOptions) -> None:
    """Run a suite from its cassettes and snapshots alone, for CI.

    This is `understudy run --replay` on a server of its own: no answer is synthesized, nothing
    reaches the network, every clock is frozen (agents get SOURCE_DATE_EPOCH), and recorded streams
    play without pauses. Two runs give the same reports except for durations. A trial that makes a
    request without a recording ends as `replay_miss`. The report lists recordings that were not
    used or may not fit, and live addresses that a command: agent tried to reach; with --strict they
    fail the run. Exit codes are those of `understudy run`; finish an interrupted run with
    `understudy run --resume`. Without a suite, `understudy replay -- PROGRAM` runs again what
    `understudy record -- PROGRAM` recorded.

    Example: understudy replay fixtures/chrome-enterprise --agent "command:./agent.sh" --strict
    """
    raise typer.Exit(execute(replace(options, replay=True)))


replay = with_run_options(_replay, without=NOT_OF_REPLAYS)
