"""`understudy suite import`: a suite of any format, written down in the native one."""

from pathlib import Path
from typing import Annotated

import typer

FORMATS = ("native",)


def import_cases(
    suite: Annotated[Path, typer.Argument(help="A suite of any format: a folder or a file.")],
    *,
    to: Annotated[str, typer.Option("--to", help="The format to write: native.")] = "native",
    out: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A new folder. (default: SUITE-native in the working folder)"
        ),
    ] = None,
    var: Annotated[
        list[str] | None,
        typer.Option("--var", help="NAME=VALUE for {{NAME}} in the suite's texts; repeatable."),
    ] = None,
) -> None:
    """Convert a suite of any format into YAML cases.

    No check is lost; fixtures are copied and placeholders filled in. Expectations that have no YAML
    field of their own are written under `checks`.

    Example: understudy suite import fixtures/sre --to native --output sre-native
    """
    from harness.cases import load_suite, variables_of
    from harness.cases.conversion import convert
    from harness.cli.run_output import show_warnings
    from harness.errors import HarnessError

    if to not in FORMATS:
        raise HarnessError(f"cannot write format {to!r}", hint=", ".join(FORMATS))
    read = load_suite(suite, variables_of(var or ()))
    target = Path(f"{read.name}-native") if out is None else out
    show_warnings(map(str, read.warnings))
    files = convert(read, target)
    typer.echo(f"{len(files)} cases of format {read.format} written to {target}")
    typer.echo(f"check them with: understudy lint {target}")
