"""The runs of a suite: `understudy runs history`, and `runs regressions` against its baseline."""

from typing import Annotated

import typer

from harness.cli.options import RUNS, AllowRemoved, RunDir
from mockserver.commands import AsJson, print_json


def history(
    suite: Annotated[str, typer.Argument(help="The suite: its path or its name.")],
    *,
    agent: Annotated[
        str,
        typer.Option(
            "--agent", "-a", help="Only runs of this agent. (default: the agent of the newest run)"
        ),
    ] = "",
    last: Annotated[int, typer.Option("--limit", min=1, help="The largest number of runs.")] = 10,
    whole: Annotated[bool, typer.Option("--all", help="Also list the cases that pass.")] = False,
    run_dir: RunDir = RUNS,
    as_json: AsJson = False,
) -> None:
    """List the cases that fail, with their results in earlier runs.

    It also shows whether the whole suite was run after runs of single cases: a case that was fixed
    on its own does not show how the change affected the others.

    Example: understudy runs history chrome-enterprise --limit 5
    """
    from harness.reports import history_text
    from harness.runner import suite_history

    found = suite_history(suite, run_dir, agent=agent, last=last)
    if as_json:
        print_json(found)
        return
    typer.echo(history_text(found, whole=whole), nl=False)


def regressions(
    suite: Annotated[str, typer.Argument(help="The suite: its path or its name.")],
    *,
    threshold: Annotated[
        float,
        typer.Option(min=0, max=1, help="How far the score or pass rate of a task may fall."),
    ] = 0.1,
    margin: Annotated[
        float,
        typer.Option(min=0, max=1, help="How much lower the mean rate may be than the baseline's."),
    ] = 0.05,
    allow_removed: AllowRemoved = False,
    run_dir: RunDir = RUNS,
    as_json: AsJson = False,
) -> None:
    """Compare the newest run of a suite with its baseline.

    A task is degraded if its mean score or its pass rate fell by more than the threshold; with few
    trials this nearly always gives false alarms. The exit code is 4 for a regression or a degraded
    task, 5 if the two runs have no task in common.

    Example: understudy runs regressions chrome-enterprise --threshold 0.2
    """
    from harness.errors import Exit
    from harness.reports import regressions_report, regressions_text
    from harness.runner import against_baseline
    from harness.statistics import Terms
    from harness.verdicts import regression_reasons

    terms = Terms(margin=margin, threshold=threshold, by_score=True, allow_removed=allow_removed)
    found = against_baseline(suite, run_dir, terms)
    if as_json:
        print_json(regressions_report(suite, found))
    else:
        typer.echo(regressions_text(suite, found), nl=False)
    if regression_reasons(found):
        raise typer.Exit(Exit.REGRESSION)
    if not found.cases:
        raise typer.Exit(Exit.NO_VERDICT)
