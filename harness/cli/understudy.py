"""The `understudy` command: the commands of `harness` and `mockserver` under one name."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import typer
from typing_extensions import override

from harness import __version__
from harness.cli.main import COMMANDS as HARNESS
from harness.cli.main import error_text
from mockserver.cli.main import COMMANDS as MOCKSERVER
from mockserver.commands import (
    AsJson,
    CommandEntry,
    PrintVersion,
    answer_without_command,
    errors_in_words,
    lazy_group,
)

SECTIONS: Mapping[str, Sequence[str]] = {
    "Start here": ("demo", "doctor", "init", "plugins"),
    "Mock the APIs": ("serve", "env", "mcp", "apis", "snapshot", "learn"),
    "Record and replay": (
        "record",
        "replay",
        "capture",
        "cassette",
        "redaction",
        "verify",
        "drift",
    ),
    "Test an agent": ("run", "explain", "report", "compare", "fork", "runs", "baseline", "console"),
    "Write cases": ("case", "suite", "lint", "promote", "schema"),
}
"""The headings of `--help`, each with its commands."""

GROUPS: Mapping[str, str] = {
    "baseline": "Set the run that later runs are compared with, or list baselines.",
    "case": "Create a case, or show a case as it will be run.",
    "runs": "List, compare, merge, recheck and remove runs; show history.",
    "schema": "Print the JSON Schema of cases, fixtures, APIs or scripted models.",
    "suite": "List suites, register one, or import one from another format.",
}
"""The nouns that have commands below them, and what `--help` says of each."""

OF_PROGRAMS = frozenset({"replay"})
"""Commands of `mockserver` that run what follows `--`; without it that of `harness` is meant."""


def _entries() -> tuple[CommandEntry, ...]:
    """The table of commands: that of each program, by the names that they have here."""
    programs = {entry.name: entry.place for entry in MOCKSERVER if entry.name in OF_PROGRAMS}
    groups: dict[str, list[CommandEntry]] = {name: [] for name in GROUPS}
    known: dict[str, CommandEntry] = {}
    of_both = (part for entry in (*MOCKSERVER, *HARNESS) for part in entry.commands or (entry,))
    for entry in of_both:
        noun, _, name = entry.umbrella_name.rpartition(" ")
        here = replace(entry, name=name, understudy="")
        if noun:
            groups[noun].append(here)
        elif name in programs:
            summary = "Run a suite, or the program after --, from recordings alone."
            known[name] = replace(here, summary=summary, of_program=programs[name])
        else:
            known[name] = here  # `doctor` of a suite is that of the machine, too
    for noun, commands in groups.items():
        known[noun] = CommandEntry(noun, "", GROUPS[noun], commands=tuple(commands))
    listed = [
        replace(known.pop(name), section=title)
        for title, names in SECTIONS.items()
        for name in names
    ]
    return (*listed, *(replace(entry, section="More") for entry in known.values()))


COMMANDS = _entries()

OLD_NAMES: Mapping[str, str] = {
    **{
        entry.name: entry.umbrella_name
        for entry in HARNESS
        if " " in entry.umbrella_name and entry.name not in GROUPS
    },
    "examine": "doctor",
    "case-schema": "schema cases",
    "fixture-schema snapshot": "schema fixtures",
    "fixture-schema": "schema",
    "serve-runs": "console",
}
"""Earlier names of commands, which answer for one version, and what they are called now."""

OLD_GROUPS: Mapping[str, tuple[str, str]] = {
    "runs": ("runs list", r"|(?!--help)-.*"),
    "baseline": ("baseline set", r"(?!--help|set$|list$).+"),
}
"""Commands that became groups: what each is called now, and the next word by which it is known."""

ABOUT = "Stands in for the APIs that AI agents call, and verifies what the agents did."

EXAMPLES: Mapping[str, str] = {
    "understudy demo": "try a good agent and a lying one",
    "understudy doctor": "check this machine",
    "understudy init --suite my-suite": "write a first suite for your agent",
    "understudy serve --fixtures my-suite": "mock the APIs of a suite",
    'eval "$(understudy env)"': "route this shell's programs there",
    "understudy record -- python agent.py": "record its traffic, redacted",
    "understudy run my-suite --agent http:URL": "test your agent, case by case",
    "understudy explain CASE": "explain a failure",
    "understudy compare RUN latest": "show what improved or regressed",
    "understudy console": "browse runs, suites and sessions",
}
"""The commands that a person needs, an example each, and what it shows."""


def examples_text() -> str:
    """What `understudy` alone prints."""
    width = max(map(len, EXAMPLES)) + 2
    return "\n".join(
        [
            ABOUT,
            "",
            *(f"  {command.ljust(width)}{about}" for command, about in EXAMPLES.items()),
            "",
            "All commands: understudy --help. One of them: understudy COMMAND --help.",
        ]
    )


class Umbrella(lazy_group(COMMANDS)):  # type: ignore[misc]  # made of the table
    """The group of all commands: its help is one screen, and it knows the names of yesterday."""

    @override
    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if not args and not ctx.resilient_parsing:
            typer.echo(examples_text())
            ctx.exit()
        return super().parse_args(ctx, args)

    @override
    def format_help(self, ctx: Any, formatter: Any) -> None:
        width = max(len(entry.name) for entry in COMMANDS)
        lines = [f"Usage: {ctx.command_path} COMMAND ...", ""]
        for title in dict.fromkeys(entry.section for entry in COMMANDS):
            lines.append(f"{title}:")
            lines += (
                f"  {each.name.ljust(width)}  {each.summary}"
                for each in COMMANDS
                if each.section == title
            )
        options = ", ".join(each.opts[0] for each in self.get_params(ctx))
        lines += [
            "",
            f"Options: {options}",
            f"{ctx.command_path} COMMAND --help explains a command.",
        ]
        formatter.write("\n".join(lines) + "\n")

    @override
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        renamed = None if ctx.resilient_parsing else _renamed(args)
        if renamed is None:
            return super().resolve_command(ctx, args)
        old, new = renamed
        typer.echo(f"understudy: `{old}` is called `{new}` now, and the old name will go", err=True)
        return super().resolve_command(ctx, [*new.split(), *args[len(old.split()) :]])


def _renamed(args: Sequence[str]) -> tuple[str, str] | None:
    """The old name that arguments begin with, and the new one."""
    for length in (2, 1):
        old = " ".join(args[:length])
        if new := OLD_NAMES.get(old):
            return old, new
    new, followed_by = OLD_GROUPS.get(args[0], ("", ""))
    if new and re.fullmatch(followed_by, "".join(args[1:2])):
        return args[0], new
    return None


app = typer.Typer(
    name="understudy",
    cls=Umbrella,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawing help with rich costs more than twice the start of the command
)


@app.callback(invoke_without_command=True)
def _options(ctx: typer.Context, *, version: PrintVersion = False, as_json: AsJson = False) -> None:
    """Takes the options of the command itself."""
    answer_without_command(ctx, "understudy", __version__, wanted=version, as_json=as_json)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an error of the user is printed on stderr, without a traceback."""
    with errors_in_words(lambda error: error_text(error, "understudy")):
        app(args=None if arguments is None else list(arguments), prog_name="understudy")
