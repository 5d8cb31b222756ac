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
        str, typer.Argument(help="The case that failed in the run; not for a cassette.")
    ] = "",
    *,
    trial: Annotated[
        int | None,
        typer.Option("--trial", help="The number of the trial. (default: the first that failed)"),
    ] = None,
    into: Annotated[
        Path, typer.Option("--into", help="The suite of YAML cases to add it to.")
    ] = Path("fixtures/regressions"),
    id: Annotated[
        str,
        typer.Option(
            "--id",
            help="The id of the new case. (default: CASE-regression, or the cassette's name)",
        ),
    ] = "",
    suite: Annotated[
        Path | None, typer.Option("--suite", help="The folder of the run's suite, if it was moved.")
    ] = None,
    run_dir: RunDir = RUNS,
) -> None:
    """Turn a failed trial into a regression case.

    It writes the prompt, the expectations and all fixtures of the trial as a case, tagged
    `regression`, into a suite of YAML cases; a case without a reference gets that of a trial that
    passed. It overwrites nothing.

    A cassette that `understudy record` wrote becomes a case that replays it: the task is the
    program's input, and the case expects the program's last output and its exit code.

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
