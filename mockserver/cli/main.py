"""The `mockserver` command: the table of its commands, and one place that prints user errors."""

import sys
from collections.abc import Sequence

import typer

from mockserver import __version__
from mockserver.commands import (
    AsJson,
    CommandEntry,
    PrintVersion,
    answer_without_command,
    lazy_group,
)
from mockserver.errors import UserError

COMMANDS = (
    CommandEntry(
        "serve",
        "mockserver.cli.serve:serve",
        "Serve a suite's fixtures the way the real APIs would.",
    ),
    CommandEntry(
        "init",
        "mockserver.cli.init:init",
        "Write a first suite for an agent, or a declared API from an OpenAPI document.",
    ),
    CommandEntry(
        "learn",
        "mockserver.cli.learn:learn",
        "Write a declared API, with its rows, from recordings of one.",
    ),
    CommandEntry(
        "mcp",
        "mockserver.cli.mcp:mcp",
        "Serve one world to the MCP client that starts this command.",
    ),
    # what follows the first word of a command to be checked is its own
    CommandEntry(
        "env",
        "mockserver.cli.env:env",
        "Print the environment variables that connect an agent to a session.",
        {"allow_interspersed_args": False},
    ),
    CommandEntry(
        "record",
        "mockserver.cli.record:record",
        "Run a program, and record all that it asks into one cassette.",
        {"allow_interspersed_args": False},
    ),
    CommandEntry(
        "replay",
        "mockserver.cli.replay_program:replay",
        "Run a program again, answered from its cassettes, with the network shut.",
        {"allow_interspersed_args": False},
    ),
    CommandEntry(
        "doctor",
        "mockserver.cli.doctor:doctor",
        "Tell what is wrong with this machine, and how to mend it.",
    ),
    CommandEntry(
        "apis",
        "mockserver.cli.apis:apis",
        "List the emulated APIs, or the methods of one API.",
    ),
    CommandEntry(
        "drift",
        "mockserver.cli.drift:drift",
        "Show how a recording or snapshot differs from another one, or from the API.",
    ),
    CommandEntry(
        "schema",
        "mockserver.cli.schema:schema",
        "Print the JSON Schema of snapshot files, of a declared API, or of a scripted model.",
    ),
    CommandEntry(
        "snapshot",
        "mockserver.cli.snapshot:app",
        "Show, explain, compare and check a suite's snapshots, or create them from captures.",
    ),
    CommandEntry(
        "cassette",
        "mockserver.cli.cassette:app",
        "Show, compare, check, redact, import and export cassettes.",
    ),
    CommandEntry(
        "redaction",
        "mockserver.cli.redaction:app",
        "Show the redaction rules, try them on files, or open a sealed map.",
    ),
    CommandEntry(
        "capture", "mockserver.cli.capture:app", "Record live traffic into a redacted cassette."
    ),
)

app = typer.Typer(
    name="mockserver",
    cls=lazy_group(COMMANDS),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawing help with rich costs more than twice the start of the command
    help="Emulates the APIs that an AI agent calls: stateful, isolated per session, offline.",
)


@app.callback(invoke_without_command=True)
def _options(ctx: typer.Context, *, version: PrintVersion = False, as_json: AsJson = False) -> None:
    """Takes the options of the command itself."""
    answer_without_command(ctx, "mockserver", __version__, wanted=version, as_json=as_json)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an error of the user is one line on stderr and an exit code."""
    try:
        app(args=None if arguments is None else list(arguments))
    except UserError as error:
        typer.echo(f"mockserver: {error}", err=True)
        sys.exit(error.exit_code)
