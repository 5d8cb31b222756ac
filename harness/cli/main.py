"""The `harness` command: the table of its commands, and one place that prints user errors."""

import sys

import typer

from harness import __version__
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
        "demo",
        "harness.cli.demo:demo",
        "Show a good agent, one that lies, and how it is found out.",
    ),
    CommandEntry("run", "harness.cli.run:run", "Put an agent through a suite, and report."),
    CommandEntry(
        "replay",
        "harness.cli.replay:replay",
        "Run a suite against its cassettes and snapshots alone, for CI.",
    ),
    CommandEntry(
        "runs",
        "harness.cli.runs:runs",
        "List runs with their rates, newest first; remove old ones.",
        commands=(
            CommandEntry(
                "list",
                "harness.cli.runs:list_runs",
                "List runs with their rates, newest first.",
                understudy="runs list",
            ),
            CommandEntry(
                "upload",
                "harness.cli.runs:upload",
                "Send what is left of a run to the store that did not take it.",
                understudy="runs upload",
            ),
            CommandEntry(
                "prune",
                "harness.cli.runs:prune",
                "Remove old runs, with their rows in the index and their objects in the store.",
                understudy="runs prune",
            ),
        ),
    ),
    CommandEntry(
        "recheck",
        "harness.cli.recheck:recheck",
        "Decide the stored trials of a run anew, without running an agent.",
        understudy="runs recheck",
    ),
    CommandEntry(
        "merge",
        "harness.cli.merge:merge",
        "Make one run of several, such as the shards of a suite.",
        understudy="runs merge",
    ),
    CommandEntry("compare", "harness.cli.compare:compare", "Compare two runs, case by case."),
    CommandEntry("explain", "harness.cli.explain:explain", "Tell the shortest story of a failure."),
    CommandEntry(
        "fork",
        "harness.cli.fork:fork",
        "Play a recorded trial up to a turn, and go on with another model.",
        old_options={"--repeat": "--trials"},
    ),
    CommandEntry(
        "side-by-side",
        "harness.cli.side_by_side:side_by_side",
        "Put runs of one suite with several agents side by side.",
        understudy="runs compare",
    ),
    CommandEntry(
        "plan",
        "harness.cli.plan:plan",
        "Tell how many trials a case it takes to see a drop.",
        understudy="runs plan",
    ),
    CommandEntry("report", "harness.cli.report:report", "Write reports of a run."),
    CommandEntry(
        "show", "harness.cli.show:show", "Show a case as it will be run.", understudy="case show"
    ),
    CommandEntry(
        "visualize",
        "harness.cli.visualize:visualize",
        "Draw the charts of a review suite's results.",
        understudy="runs charts",
    ),
    CommandEntry(
        "import",
        "harness.cli.import_cases:import_cases",
        "Convert a suite of any format into YAML cases.",
        understudy="suite import",
        old_options={"--out": "--output"},
    ),
    CommandEntry(
        "import-results",
        "harness.cli.import_results:import_results",
        "Make a run of the results of another tool.",
        understudy="runs import",
    ),
    CommandEntry("lint", "harness.cli.lint:lint", "Check cases and their fixtures."),
    CommandEntry("doctor", "harness.cli.doctor:doctor", "Examine this machine, or a suite."),
    CommandEntry("new", "harness.cli.new:new", "Scaffold a case.", understudy="case new"),
    CommandEntry(
        "promote", "harness.cli.promote:promote", "Make a regression case of a failing trial."
    ),
    CommandEntry(
        "list-suites",
        "harness.cli.list_suites:list_suites",
        "List suites and what they cover.",
        understudy="suite list",
    ),
    CommandEntry(
        "register",
        "harness.cli.register:register",
        "Register a suite by name, for `understudy run NAME` and the REST API.",
        understudy="suite register",
    ),
    CommandEntry(
        "history",
        "harness.cli.history:history",
        "List the cases that do not pass, and how they did before.",
        understudy="runs history",
        old_options={"--last": "--limit"},
    ),
    CommandEntry(
        "regressions",
        "harness.cli.regressions:regressions",
        "Compare the newest run of a suite with its baseline.",
        understudy="runs regressions",
    ),
    CommandEntry(
        "baseline",
        "harness.cli.baseline:baseline",
        "Make a run the baseline of its suite.",
        understudy="baseline set",
    ),
    CommandEntry(
        "baselines",
        "harness.cli.baseline:baselines",
        "List baselines, suite by suite; the one that counts is marked.",
        understudy="baseline list",
    ),
    CommandEntry(
        "index",
        "harness.cli.index:index",
        "Bring the index of runs up to date, or make it anew.",
        understudy="runs index",
    ),
    CommandEntry(
        "serve",
        "harness.cli.serve:serve",
        "Serve suites, runs and baselines: pages for browsers, REST.",
        understudy="console",
    ),
    CommandEntry(
        "schema",
        "harness.cli.schema:schema",
        "Print the JSON Schema of native cases.",
        understudy="schema cases",
    ),
    CommandEntry(
        "judge",
        "harness.cli.judge:judge",
        "Measure a judge against people.",
        understudy="runs judge",
    ),
)

app = typer.Typer(
    name="harness",
    cls=lazy_group(COMMANDS, names_umbrella=True),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawing help with rich costs more than twice the start of the command
)


@app.callback(invoke_without_command=True)
def harness(ctx: typer.Context, *, version: PrintVersion = False, as_json: AsJson = False) -> None:
    """Drive agents against the mock server, case by case, and verify what they did.

    A suite is a folder of cases with their fixtures, such as fixtures/chrome-enterprise. Start with
    `harness list-suites` and `harness show EC-001`; `harness COMMAND --help` explains each command.

    Exit codes: 0 all gates passed, 1 a gate failed, 2 usage or invalid case, 3 infrastructure,
    4 regression, 5 no valid verdict, 130 interrupted.
    """
    answer_without_command(ctx, "harness", __version__, wanted=version, as_json=as_json)


def main() -> None:
    """Run the command line; an error of the user is printed on stderr, without a traceback."""
    try:
        app(prog_name="harness")
    except UserError as error:
        typer.echo(error_text(error), err=True)
        sys.exit(error.exit_code)


def error_text(error: UserError, program: str = "harness") -> str:
    """What a command prints of a mistake of its user."""
    problems = getattr(error, "problems", ())
    return f"{program}: invalid ({len(problems)}):\n{error}" if problems else f"{program}: {error}"
