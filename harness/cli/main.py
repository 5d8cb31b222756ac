"""The harness command: one line for each command, one place for every user mistake.

The modules of the commands import nothing heavy; what a command needs it imports when it runs.
"""

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from harness import __version__
from harness.cli.baseline import baseline, baselines
from harness.cli.compare import compare
from harness.cli.demo import demo
from harness.cli.doctor import doctor
from harness.cli.history import history
from harness.cli.import_cases import import_cases
from harness.cli.index import index
from harness.cli.judge import judge
from harness.cli.lint import lint
from harness.cli.list_suites import list_suites
from harness.cli.merge import merge
from harness.cli.new import new
from harness.cli.plan import plan
from harness.cli.promote import promote
from harness.cli.recheck import recheck
from harness.cli.register import register
from harness.cli.regressions import regressions
from harness.cli.replay import replay
from harness.cli.report import report
from harness.cli.run import run
from harness.cli.runs import runs
from harness.cli.schema import schema
from harness.cli.serve import serve
from harness.cli.show import show
from harness.cli.visualize import visualize
from harness.errors import HarnessError

COMMANDS: tuple[tuple[str, Callable[..., None]], ...] = (
    ("demo", demo),
    ("run", run),
    ("replay", replay),
    ("recheck", recheck),
    ("merge", merge),
    ("compare", compare),
    ("plan", plan),
    ("report", report),
    ("show", show),
    ("visualize", visualize),
    ("import", import_cases),
    ("lint", lint),
    ("doctor", doctor),
    ("new", new),
    ("promote", promote),
    ("list-suites", list_suites),
    ("register", register),
    ("runs", runs),
    ("history", history),
    ("regressions", regressions),
    ("baseline", baseline),
    ("baselines", baselines),
    ("index", index),
    ("serve", serve),
    ("schema", schema),
)

GROUPS = (judge,)
"""Commands that have commands of their own."""

app = typer.Typer(
    name="harness",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawing help with rich costs more than twice the start of the command
)


def _version(asked: bool) -> None:  # noqa: FBT001 - a typer callback is called like this
    if asked:
        typer.echo(f"harness {__version__}")
        raise typer.Exit


@app.callback()
def harness(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Drive agents against the mock server, case by case, and verify what they did.

    A suite is a folder of cases with their fixtures, such as fixtures/chrome-enterprise. Start with
    `harness list-suites` and `harness show EC-001`; `harness COMMAND --help` explains each command.

    Exit codes: 0 all gates passed, 1 a gate failed, 2 usage or invalid case, 3 infrastructure,
    4 regression, 5 no valid verdict, 130 interrupted.
    """


for _name, _command in COMMANDS:
    app.command(_name)(_command)
for _group in GROUPS:
    app.add_typer(_group)


def main() -> None:
    """Run the command line; a mistake of the user is told on stderr, without a traceback."""
    try:
        app(prog_name="harness")
    except HarnessError as error:
        typer.echo(_told(error), err=True)
        sys.exit(error.exit_code)


def _told(error: HarnessError) -> str:
    problems = getattr(error, "problems", ())
    return f"harness: invalid ({len(problems)}):\n{error}" if problems else f"harness: {error}"
