"""`understudy runs history`: what is open in a suite, and since when."""

from typing import Annotated

import typer

from harness.cli.options import RUNS, RunDir
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
