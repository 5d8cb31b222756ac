"""`understudy baseline`: which runs later ones are compared with."""

from typing import Annotated

import typer

from harness.cli.options import RUNS, RunDir, RunName
from mockserver.commands import AsJson, print_json


def baseline(
    run: RunName,
    *,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove the baseline; the run stays.")
    ] = False,
    note: Annotated[str, typer.Option(help="A note on why the run is a baseline.")] = "",
    run_dir: RunDir = RUNS,
) -> None:
    """Make a run the baseline of its suite.

    If a suite has several, the last one set is used. A run that is unfinished, or has no valid
    trial, is refused, because nothing can be compared with it.

    Example: understudy baseline set latest --note "release 4"
    """
    from harness.cli.options import run_path
    from harness.storage import Baselines, promote

    if remove:
        gone = Baselines(run_dir).remove(run)
        typer.echo(f"run {gone.run} is no baseline of {gone.suite} any more")
        return
    from harness.cli.run_execution import time_of_day
    from harness.runner import timestamp

    set_at = timestamp(time_of_day())
    made = promote(run_dir, run_path(run, run_dir), set_at=set_at, note=note)
    typer.echo(f"run {made.run} is the baseline of {made.suite}")


def baselines(*, run_dir: RunDir = RUNS, as_json: AsJson = False) -> None:
    """List the baselines of each suite, and mark the current ones.

    Example: understudy baseline list --json
    """
    from harness.storage import Baselines

    known = Baselines(run_dir)
    found = sorted(known.all(), key=lambda each: each.suite)
    current = {each.suite: known.of(each.suite) for each in found}
    if as_json:
        print_json(
            [
                each.model_dump(mode="json") | {"current": current[each.suite] == each}
                for each in found
            ]
        )
        return
    for each in found:
        mark = "*" if current[each.suite] == each else " "
        note = f"  {each.note}" if each.note else ""
        typer.echo(f"{mark} {each.suite}  {each.run}  {each.agent}  {each.set_at}{note}")
    if not found:
        typer.echo("no baselines; make one with: understudy baseline set RUN")
