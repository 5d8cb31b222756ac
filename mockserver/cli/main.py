"""The `mockserver` command: one module a command, one place for errors."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from mockserver import __version__
from mockserver.cli.apis import apis
from mockserver.cli.capture import app as capture
from mockserver.cli.cassette import app as cassette
from mockserver.cli.drift import drift
from mockserver.cli.env import env
from mockserver.cli.redaction import app as redaction
from mockserver.cli.schema import schema
from mockserver.cli.serve import serve
from mockserver.cli.snapshot import app as snapshot
from mockserver.errors import MockServerError

app = typer.Typer(
    name="mockserver",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawing help with rich costs more than twice the start of the command
    help="Stands in for the APIs an AI agent calls: stateful, isolated for each session, offline.",
)
app.command()(serve)
# what follows the first word of a command to be checked is its own
app.command(context_settings={"allow_interspersed_args": False})(env)
app.command()(apis)
app.command()(drift)
app.command()(schema)
app.add_typer(snapshot, name="snapshot")
app.add_typer(cassette, name="cassette")
app.add_typer(redaction, name="redaction")
app.add_typer(capture, name="capture")


def _version(value: bool) -> None:  # noqa: FBT001  (the option's callback)
    if value:
        typer.echo(f"mockserver {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """Takes the options of the command itself."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a mistake of the user is one line on stderr and an exit code."""
    try:
        app(args=None if arguments is None else list(arguments))
    except MockServerError as error:
        typer.echo(f"mockserver: {error}", err=True)
        sys.exit(error.exit_code)
