"""`harness baseline`: what later runs of a suite are held against."""

from typing import Annotated

import typer

from harness.cli.options import RUNS, RunDir


def baseline(
    run: Annotated[str, typer.Argument(help="The run: its id or folder, or latest.")],
    *,
    remove: Annotated[
        bool, typer.Option("--remove", help="Let it be no baseline any more; the run stays.")
    ] = False,
    note: Annotated[str, typer.Option(help="Why.")] = "",
    run_dir: RunDir = RUNS,
) -> None:
    """Make a run the baseline of its suite.

    The baseline that was set last counts. A run that is unfinished, or has no valid trial, is
    refused: nothing can be held against it.

    Example: harness baseline latest --note "release 4"
    """
    from harness.cli.options import run_path
    from harness.storage import Baselines, promote

    if remove:
        gone = Baselines(run_dir).remove(run)
        typer.echo(f"run {gone.run} is no baseline of {gone.suite} any more")
        return
    from harness.cli.running import time_of_day
    from harness.runner import timestamp

    set_at = timestamp(time_of_day())
    made = promote(run_dir, run_path(run, run_dir), set_at=set_at, note=note)
    typer.echo(f"run {made.run} is the baseline of {made.suite}")
