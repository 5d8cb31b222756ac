"""`understudy explain`: why a trial failed, in short."""

from typing import Annotated

import typer

from harness.cli.options import RUNS, RunDir, run_path, trial_named
from mockserver.commands import AsJson, print_json


def explain(
    trial: Annotated[
        str,
        typer.Argument(
            help="CASE of the newest run, RUN/CASE or RUN/CASE/NUMBER, or the file of a record;"
            " the first trial that failed where no number is given."
        ),
    ],
    *,
    against: Annotated[
        str,
        typer.Option(
            "--with",
            help="A run whose passing trial is compared."
            " (default: this run's, else the baseline's)",
            metavar="RUN",
        ),
    ] = "",
    run_dir: RunDir = RUNS,
    as_json: AsJson = False,
) -> None:
    """Tell the shortest story of a failure.

    It is the first step at which the trial left the path of one that passed (of the same case, in
    this run, the baseline, or a run that you name): who shows it, what was expected, what the trial
    did, what it saw there, and what it had seen before. Where no trial passed, the reference of the
    case is compared; where it has none, the story is what the case expects.

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
