"""The `understudy` command: the commands of `harness` and `mockserver` under one name."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import typer

from harness import __version__
from harness.cli.main import COMMANDS as HARNESS
from harness.cli.main import error_text
from mockserver.cli.main import COMMANDS as MOCKSERVER
from mockserver.commands import (
    AsJson,
    CommandEntry,
    PrintVersion,
    answer_without_command,
    lazy_group,
)
from mockserver.errors import UserError

SECTIONS: Mapping[str, Sequence[str]] = {
    "Start here": ("demo", "doctor"),
    "Mock the APIs": (
        "serve", "env", "init", "learn", "mcp", "apis", "snapshot", "fixture-schema",
    ),
    "Record and replay": ("record", "replay", "capture", "cassette", "redaction", "drift"),
    "Test an agent": (
        "run", "explain", "fork", "report", "compare", "side-by-side", "recheck",
        "merge", "import-results", "visualize",
    ),
    "Write cases": ("new", "lint", "show", "examine", "import", "promote", "plan", "case-schema"),
    "Runs over time": (
        "list-suites", "register", "runs", "history", "regressions", "baseline", "baselines",
        "index", "judge", "serve-runs",
    ),
}  # fmt: skip
"""The headings of `--help`, each with its commands."""

NAMES: Mapping[str, str] = {
    "harness serve": "serve-runs",
    "harness doctor": "examine",
    "harness schema": "case-schema",
    "mockserver schema": "fixture-schema",
}
"""Commands that are called otherwise here, since both command lines have one of that name."""

OF_PROGRAMS = frozenset({"replay"})
"""Commands of `mockserver` that run what follows `--`; without it that of `harness` is meant."""


def _entries() -> Iterator[CommandEntry]:
    known = {entry.name: entry for entry in _all_entries()}
    for section, names in SECTIONS.items():
        yield from (replace(known.pop(name), section=section) for name in names)
    yield from (replace(entry, section="More") for entry in known.values())


def _all_entries() -> Iterator[CommandEntry]:
    programs = {entry.name: entry.place for entry in MOCKSERVER if entry.name in OF_PROGRAMS}
    for entry in HARNESS:
        name = NAMES.get(f"harness {entry.name}", entry.name)
        if name in programs:
            summary = "Run a suite, or a program behind --, answered from recordings alone."
            entry = replace(entry, summary=summary, of_program=programs[name])
        yield replace(entry, name=name)
    for entry in MOCKSERVER:
        if entry.name not in OF_PROGRAMS:
            yield replace(entry, name=NAMES.get(f"mockserver {entry.name}", entry.name))


COMMANDS = tuple(_entries())

HELP = """
Stands in for the APIs that an AI agent calls, and verifies what the agent did.

\b
understudy demo                          a good agent, one that lies, and the evidence
understudy doctor                        whether this machine is ready
understudy serve --fixtures FOLDER       the APIs of a suite, for your agent
eval "$(understudy env)"                 leads the programs of this shell to them
understudy run SUITE --agent http:URL    your agent, case by case, with a verdict

The commands are those of `mockserver` (the APIs) and `harness` (the agent), which stay.
`understudy COMMAND --help` explains each.
"""

app = typer.Typer(
    name="understudy",
    cls=lazy_group(COMMANDS),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawing help with rich costs more than twice the start of the command
    help=HELP,
)


@app.callback(invoke_without_command=True)
def _options(ctx: typer.Context, *, version: PrintVersion = False, as_json: AsJson = False) -> None:
    """Takes the options of the command itself."""
    answer_without_command(ctx, "understudy", __version__, wanted=version, as_json=as_json)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an error of the user is printed on stderr, without a traceback."""
    try:
        app(args=None if arguments is None else list(arguments), prog_name="understudy")
    except UserError as error:
        typer.echo(error_text(error, "understudy"), err=True)
        sys.exit(error.exit_code)
