"""The `harness` command: the table of its commands, and one place that prints user errors."""

import typer

from harness import __version__
from mockserver.commands import (
    AsJson,
    CommandEntry,
    PrintVersion,
    answer_without_command,
    errors_in_words,
    lazy_group,
)
from mockserver.errors import UserError

COMMANDS = (
    CommandEntry(
        "demo",
        "harness.cli.demo:demo",
        "Run a good agent and a lying one, and show how the lie is found.",
    ),
    CommandEntry(
        "run", "harness.cli.run:run", "Run an agent against a suite, and report the results."
    ),
    CommandEntry(
        "replay",
        "harness.cli.replay:replay",
        "Run a suite from its cassettes and snapshots alone, for CI.",
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
                "Upload the files of a run that its store does not have yet.",
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
        "Evaluate the stored trials of a run again, without an agent.",
        understudy="runs recheck",
    ),
    CommandEntry(
        "merge",
        "harness.cli.runs:merge",
        "Merge several runs, such as the shards of a suite, into one.",
        understudy="runs merge",
    ),
    CommandEntry("compare", "harness.cli.compare:compare", "Compare two runs, case by case."),
    CommandEntry(
        "explain",
        "harness.cli.explain:explain",
        "Explain a failure by the first step that went wrong.",
    ),
    CommandEntry(
        "fork",
        "harness.cli.fork:fork",
        "Replay a trial up to a turn, then continue with another model.",
        old_options={"--repeat": "--trials"},
    ),
    CommandEntry(
        "side-by-side",
        "harness.cli.side_by_side:side_by_side",
        "Compare the runs of several agents on one suite side by side.",
        understudy="runs compare",
    ),
    CommandEntry(
        "plan",
        "harness.cli.plan:plan",
        "Compute how many trials per case are needed to detect a drop.",
        understudy="runs plan",
    ),
    CommandEntry("report", "harness.cli.report:report", "Write reports of a run."),
    CommandEntry(
        "show", "harness.cli.cases:show", "Show a case as it will be run.", understudy="case show"
    ),
    CommandEntry(
        "visualize",
        "harness.cli.review_output:visualize",
        "Draw the charts of a review suite's results.",
        understudy="runs charts",
    ),
    CommandEntry(
        "import",
        "harness.cli.suites:import_cases",
        "Convert a suite of any format into YAML cases.",
        understudy="suite import",
        old_options={"--out": "--output"},
    ),
    CommandEntry(
        "import-results",
        "harness.cli.import_results:import_results",
        "Import the results of another tool as a run.",
        understudy="runs import",
    ),
    CommandEntry(
        "lint", "harness.cli.lint:lint", "Check the cases and fixtures of suites for mistakes."
    ),
    CommandEntry(
        "doctor", "harness.cli.doctor:doctor", "Diagnose this machine, or the cases of a suite."
    ),
    CommandEntry(
        "new", "harness.cli.cases:new", "Create the files of a new case.", understudy="case new"
    ),
    CommandEntry(
        "learn",
        "harness.cli.learn:learn",
        "Write a suite from traces of an agent, or an API from recordings.",
        old_options={"--force": "--replace"},
    ),
    CommandEntry(
        "promote",
        "harness.cli.promote:promote",
        "Turn a trial, a trace or a recorded program into a case.",
    ),
    CommandEntry(
        "list-suites",
        "harness.cli.suites:list_suites",
        "List suites and what they cover.",
        understudy="suite list",
    ),
    CommandEntry(
        "register",
        "harness.cli.suites:register",
        "Register a suite by name, for `understudy run NAME` and the REST API.",
        understudy="suite register",
    ),
    CommandEntry(
        "history",
        "harness.cli.history:history",
        "List the cases that fail, with their results in earlier runs.",
        understudy="runs history",
        old_options={"--last": "--limit"},
    ),
    CommandEntry(
        "regressions",
        "harness.cli.history:regressions",
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
        "List the baselines of each suite, and mark the current ones.",
        understudy="baseline list",
    ),
    CommandEntry(
        "index",
        "harness.cli.runs:index",
        "Update the index of runs, or rebuild it.",
        understudy="runs index",
    ),
    CommandEntry(
        "serve",
        "harness.cli.serve:serve",
        "Serve runs, suites and live sessions as web pages and over REST.",
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
        "Measure how well a judge agrees with people.",
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
    with errors_in_words(error_text):
        app(prog_name="harness")


def error_text(error: UserError, program: str = "harness") -> str:
    """What a command prints of a mistake of its user."""
    problems = getattr(error, "problems", ())
    return f"{program}: invalid ({len(problems)}):\n{error}" if problems else f"{program}: {error}"
