"""`mockserver cassette`: look at recordings, compare, redact, import and export them."""

from pathlib import Path
from typing import Annotated

import typer

from mockserver.cli.cassette_lint import lint
from mockserver.cli.cassette_moving import export, import_, redact
from mockserver.cli.cassette_stub import stub

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Show, compare, check, redact, import and export cassettes.",
)
Recording = Annotated[Path, typer.Argument(help="A cassette, of this program or of vcrpy.")]


@app.command()
def show(
    file: Recording,
    number: Annotated[
        int | None, typer.Argument(min=1, help="One interaction; without it, all are listed.")
    ] = None,
) -> None:
    """List the interactions of a cassette, or show one of them whole.

    Example: mockserver cassette show cassettes/directory/orgunits.yaml 2
    """
    from mockserver.cassettes.files import read_cassette
    from mockserver.cli.cassette_pages import page, table
    from mockserver.errors import MockServerError

    cassette = read_cassette(file)
    held = len(cassette.interactions)
    if number is not None and number > held:
        raise MockServerError(f"{file} has {held} interactions, there is no {number}")
    lines = page(cassette.interactions[number - 1]) if number else table(cassette)
    for line in lines:
        typer.echo(line)


@app.command()
def diff(
    before: Recording,
    after: Annotated[Path, typer.Argument(help="Another one, recorded later.")],
) -> None:
    """Say which requests two cassettes share, and what is different in their responses.

    Exits with 1 when anything is different. Dates, lengths and entity tags are not compared.

    Example: mockserver cassette diff before.yaml after.yaml
    """
    from mockserver.cassettes.files import read_cassette
    from mockserver.cassettes.files.comparison import compared
    from mockserver.cassettes.matching import canonical_key
    from mockserver.cli.cassette_pages import comparison

    found = compared(read_cassette(before), read_cassette(after), key=canonical_key)
    for line in comparison(found):
        typer.echo(line)
    if found.differs:
        raise typer.Exit(1)


app.command()(redact)
app.command("import")(import_)
app.command()(export)
app.command()(lint)
app.command()(stub)
