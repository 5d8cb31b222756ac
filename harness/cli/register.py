"""`understudy suite register`: give a suite a name."""

from typing import Annotated

import typer

from harness.cli.options import RUNS, RunDir


def register(
    suite: Annotated[str, typer.Argument(help="The suite; with --remove, its name.")],
    *,
    name: Annotated[
        str, typer.Option(help="The name of the suite. (default: the name of its folder or file)")
    ] = "",
    description: Annotated[str, typer.Option(help="What the suite is for.")] = "",
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove the name; the suite stays.")
    ] = False,
    run_dir: RunDir = RUNS,
) -> None:
    """Register a suite by name, for `understudy run NAME` and the REST API.

    The suite must be valid. Names are stored beside the runs.

    Example: understudy suite register fixtures/chrome-enterprise --name chrome
    """
    from pathlib import Path

    from harness.cases import load_suite
    from harness.cli.run_execution import time_of_day
    from harness.runner import timestamp
    from harness.storage import RegisteredSuite, RegisteredSuites

    known = RegisteredSuites(run_dir)
    if remove:
        known.remove(suite)
        typer.echo(f"{suite} is registered no more")
        return
    loaded = load_suite(Path(suite))
    made = RegisteredSuite(
        name=name or loaded.name,
        path=str(Path(suite).resolve()),
        description=description,
        registered_at=timestamp(time_of_day()),
    )
    known.register(made)
    typer.echo(f"{made.name}: {len(loaded.cases)} cases in {made.path}")
