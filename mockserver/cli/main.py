"""The `mockserver` command: the table of its commands, and one place that prints user errors."""

from collections.abc import Sequence

import typer

from mockserver import __version__
from mockserver.commands import (
    AsJson,
    CommandEntry,
    PrintVersion,
    answer_without_command,
    errors_in_words,
    lazy_group,
)

COMMANDS = (
    CommandEntry(
        "serve",
        "mockserver.cli.serve:serve",
        "Serve a suite's fixtures the way the real APIs would.",
    ),
    CommandEntry(
        "init",
        "mockserver.cli.init:init",
        "Write a first suite, a declared API, or a plug-in.",
        old_options={"--force": "--replace"},
    ),
    CommandEntry(
        "learn",
        "mockserver.cli.learn:learn",
        "Write a declared API and its data from recordings of an API.",
        old_options={"--force": "--replace"},
    ),
    CommandEntry(
        "mcp",
        "mockserver.cli.mcp:mcp",
        "Serve mocked tools to the MCP client that starts this command.",
    ),
    # what follows the first word of a command to be checked is its own
    CommandEntry(
        "env",
        "mockserver.cli.env:env",
        "Print the variables that connect an agent to a session.",
        {"allow_interspersed_args": False},
        old_options={"--out": "--output"},
    ),
    CommandEntry(
        "record",
        "mockserver.cli.record:record",
        "Run a program, and record its traffic in one cassette.",
        {"allow_interspersed_args": False},
        old_options={"--out": "--cassette"},
    ),
    CommandEntry(
        "replay",
        "mockserver.cli.replay_program:replay",
        "Run a program again, with answers from its cassettes alone.",
        {"allow_interspersed_args": False},
    ),
    CommandEntry(
        "doctor",
        "mockserver.cli.doctor:doctor",
        "Check this machine for problems, and show how to fix them.",
    ),
    CommandEntry(
        "apis",
        "mockserver.cli.apis:apis",
        "List the emulated APIs, or the methods of one API.",
    ),
    CommandEntry(
        "drift",
        "mockserver.cli.drift:drift",
        "Compare recordings or snapshots with newer ones or with the API.",
    ),
    CommandEntry(
        "verify",
        "mockserver.cli.verify:verify",
        "Show how far the mock agrees with recordings of the live service.",
    ),
    CommandEntry(
        "schema",
        "",
        "Print the JSON Schema of snapshot files, of a declared API, or of a scripted model.",
        commands=(
            CommandEntry(
                "snapshot",
                "mockserver.cli.schema:snapshot",
                "Print the JSON Schema of snapshot files.",
                understudy="schema fixtures",
            ),
            CommandEntry(
                "api",
                "mockserver.cli.schema:api",
                "Print the JSON Schema of a declared API.",
                understudy="schema api",
            ),
            CommandEntry(
                "model",
                "mockserver.cli.schema:model",
                "Print the JSON Schema of a scripted model.",
                understudy="schema model",
            ),
        ),
    ),
    CommandEntry(
        "snapshot",
        "mockserver.cli.snapshot:app",
        "Show, explain, compare, check and create snapshots of suites.",
    ),
    CommandEntry(
        "cassette",
        "mockserver.cli.cassette:app",
        "Cassettes: show, diff, lint, stub, redact, import and export.",
    ),
    CommandEntry(
        "redaction",
        "mockserver.cli.redaction:app",
        "Show the redaction rules, try them, or decrypt a sealed map.",
    ),
    CommandEntry(
        "plugins",
        "mockserver.cli.plugins:plugins",
        "List installed plug-ins, and the ones that are left out.",
    ),
    CommandEntry(
        "capture",
        "mockserver.cli.capture:app",
        "Record live traffic into a redacted cassette.",
        old_options={"--output": "--cassette"},
    ),
)

app = typer.Typer(
    name="mockserver",
    cls=lazy_group(COMMANDS, names_umbrella=True),
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
    with errors_in_words(lambda error: f"mockserver: {error}"):
        app(args=None if arguments is None else list(arguments))
