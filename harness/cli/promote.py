"""`understudy promote`: a failing trial, or a recorded program, becomes a case."""

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.options import RUNS, RunDir


def promote(
    run: Annotated[
        str,
        typer.Argument(
            help="A run: its folder, its id, or `latest`; or the cassette of a program."
        ),
    ],
    case: Annotated[
        str, typer.Argument(help="The case that failed in it; none of a cassette.")
    ] = "",
    *,
    trial: Annotated[
        int | None, typer.Option("--trial", help="Which trial. (default: the first that failed)")
    ] = None,
    into: Annotated[
        Path, typer.Option("--into", help="The suite of YAML cases that it is added to.")
    ] = Path("fixtures/regressions"),
    id: Annotated[
        str,
        typer.Option(
            "--id", help="Its id. (default: the case's, and -regression; the cassette's name)"
        ),
    ] = "",
    suite: Annotated[
        Path | None, typer.Option("--suite", help="Where the run's suite is now, if it was moved.")
    ] = None,
    run_dir: RunDir = RUNS,
) -> None:
    """Make a regression case of a failing trial.

    Prompt, expectations and the whole world of the trial go into a YAML suite of their own, tagged
    `regression`; a case without reference takes that of a trial that passed. Nothing is
    overwritten.

    A cassette that `understudy record` wrote becomes a case whose task is what the program was
    given, which plays the cassette, and expects what the program printed last and its exit code.

    Example: understudy promote latest EC-047 --into fixtures/regressions

    Example: understudy promote booking.yaml --into evals
    """
    if Path(run).is_file():
        _promote_program(Path(run), into, id, others=bool(case or trial or suite))
        return
    from harness.cli.options import run_path
    from harness.doctor.promotion import promote_trial, write_regression_case
    from harness.errors import HarnessError
    from harness.storage import RunFolder

    if not case:
        raise HarnessError("no case is named", hint="promote RUN CASE, or promote CASSETTE")
    folder = RunFolder(run_path(run, run_dir))
    made, world = promote_trial(folder, case, trial, id or f"{case}-regression", suite)
    for path in write_regression_case(made, world, into):
        typer.echo(str(path))
    if not made.reference:
        typer.echo(f"{made.id} has no reference: write one, so that it is known to be passable")
    typer.echo(f"next: understudy doctor {into} --agent none")


def _promote_program(cassette: Path, into: Path, id: str, *, others: bool) -> None:
    import shlex

    from harness.doctor.program_promotion import promote_program
    from harness.errors import HarnessError

    if others:
        raise HarnessError(
            f"{cassette} is a cassette, not a run", hint="leave CASE, --trial and --suite out"
        )
    program, files = promote_program(cassette, into, id)
    for path in files:
        typer.echo(str(path))
    agent = shlex.quote(f"command:{shlex.join(program.command)}")
    typer.echo(f"next: understudy replay {into} --agent {agent}")
