"""`harness promote`: a failing trial becomes a regression case."""

from pathlib import Path
from typing import Annotated

import typer


def promote(
    run: Annotated[str, typer.Argument(help="A run: its folder, its id, or `latest`.")],
    case: Annotated[str, typer.Argument(help="The case that failed in it.")],
    *,
    trial: Annotated[
        int | None, typer.Option("--trial", help="Which trial. (default: the first that failed)")
    ] = None,
    into: Annotated[
        Path, typer.Option("--into", help="The suite of YAML cases that it is added to.")
    ] = Path("fixtures/regressions"),
    id: Annotated[
        str, typer.Option("--id", help="Its id. (default: the case's, and -regression)")
    ] = "",
    suite: Annotated[
        Path | None, typer.Option("--suite", help="Where the run's suite is now, if it was moved.")
    ] = None,
    run_dir: Annotated[Path, typer.Option("--run-dir", help="Where runs are kept.")] = Path("runs"),
) -> None:
    """Make a regression case of a failing trial.

    Prompt, expectations and the whole world of the trial go into a YAML suite of their own, tagged
    `regression`; a case without reference takes that of a trial that passed. Nothing is
    overwritten.

    Example: harness promote latest EC-047 --into fixtures/regressions
    """
    from harness.cli.options import run_path
    from harness.doctor.promotion import promote_trial, write_regression_case
    from harness.storage import RunFolder

    folder = RunFolder(run_path(run, run_dir))
    made, world = promote_trial(folder, case, trial, id or f"{case}-regression", suite)
    for path in write_regression_case(made, world, into):
        typer.echo(str(path))
    if not made.reference:
        typer.echo(f"{made.id} has no reference: write one, so that it is known to be passable")
    typer.echo(f"next: harness doctor {into} --agent none")
