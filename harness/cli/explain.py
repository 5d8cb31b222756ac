"""`understudy explain`: why a trial failed, in short."""

from typing import Annotated

import typer

from harness.cli.options import RUNS, RunDir, run_path, trial_named
from mockserver.commands import AsJson, print_json


def explain(
    trial: Annotated[
        str,
        typer.Argument(
            help="CASE of the newest run, RUN/CASE or RUN/CASE/NUMBER, or the file of a "
            "record. Without a number, the first trial that failed."
        ),
    ],
    *,
    against: Annotated[
        str,
        typer.Option(
            "--with",
            help="A run with a passing trial to compare with. (default: this run, else the "
            "baseline)",
            metavar="RUN",
        ),
    ] = "",
    run_dir: RunDir = RUNS,
    as_json: AsJson = False,
) -> None:
    """Explain a failure by the first step that went wrong.

    It compares the trial with one that passed (of the same case, in this run, in the baseline, or
    in a run that you name), and shows the first step at which they differ: what was expected, what
    the trial did, what it got there, and what it had seen before. If no trial passed, it compares
    with the reference of the case; without a reference, with what the case expects.

    Example: understudy explain EC-001 --with 20261120-101500-cae18a
    """
    from harness.reports import story_text
    from harness.runner import explain_trial

    other = run_path(against, run_dir) if against else None
    story = explain_trial(trial_named(trial, run_dir), other)
    if as_json:
        print_json(story)
        return
    typer.echo(story_text(story), nl=False)
