"""`understudy case new`: the files of a case that is to be written."""

from pathlib import Path
from typing import Annotated

import typer


def new(
    suite: Annotated[Path, typer.Argument(help="A suite, or a folder that becomes one.")],
    case: Annotated[str, typer.Argument(help="The id: EC-051.")],
    *,
    title: Annotated[
        str, typer.Option("--title", help="The title of the case, one line.")
    ] = "A case to be written",
    category: Annotated[
        str, typer.Option("--category", help="The failure domain that the case belongs to.")
    ] = "system",
    tags: Annotated[
        str,
        typer.Option(
            "--tags",
            help="Comma-separated; new-path, regression, customer-failure and coverage-gap say why"
            " the case is added.",
        ),
    ] = "",
) -> None:
    """Create the files of a new case.

    In a suite with a registry it writes a Markdown file, an entry and an override; elsewhere a YAML
    file and an override. It overwrites nothing. Fill in the case, then check it with `understudy
    case show`, `understudy lint` and `understudy doctor`.

    Example: understudy case new fixtures/chrome-enterprise EC-051 --title "Printers are gone"
    """
    from harness.cases.template import NewCase, scaffold
    from harness.cli.options import split_list

    written = scaffold(suite, NewCase(case, title, category, tuple(split_list(tags))))
    for path in written:
        typer.echo(str(path))
    typer.echo(f"next: understudy lint {suite}")
