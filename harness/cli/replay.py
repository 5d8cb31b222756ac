"""`understudy replay`: a run that gives the same report every time, for CI."""

from dataclasses import replace

import typer

from harness.cli.run import execute
from harness.cli.run_options import RunOptions, with_run_options

_NOT_HERE = frozenset({
    "replay", "live", "mock", "mock_token", "manage_server", "use_base", "use_fixtures",
    "fixtures", "test_mode", "resume", "record_models", "made_up",
})  # fmt: skip
"""What would let something else in than the suite's own recordings and snapshots."""


def _replay(ctx: typer.Context, options: RunOptions) -> None:
    """Run a suite against its cassettes and snapshots alone, for CI.

    The same as `understudy run --replay` on a server of its own: nothing is made up, nothing
    reaches the network, every clock stands still (agents get SOURCE_DATE_EPOCH), recorded streams
    do not wait. Two runs give the same reports but for durations. A trial that asks for what was
    not recorded is a `replay_miss`. Recordings that nobody asked for or that may not fit are told,
    and live addresses that a command: agent tried; with --strict they fail. Exit codes: as of
    `understudy run`; finish an interrupted one with `understudy run --resume`. Without a suite,
    `understudy replay -- PROGRAM` runs again what `understudy record -- PROGRAM` recorded.

    Example: understudy replay fixtures/chrome-enterprise --agent "command:./agent.sh" --strict
    """
    raise typer.Exit(execute(replace(options, replay=True)))


replay = with_run_options(_replay, without=_NOT_HERE)
