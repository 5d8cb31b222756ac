"""`understudy runs history`: what is open in a suite, and since when."""

from typing import Annotated

import typer

from harness.cli.options import RUNS, RunDir
from mockserver.commands import AsJson, print_json


def history(
    suite: Annotated[str, typer.Argument(help="The suite: its path or its name.")],
    *,
    agent: Annotated[
        str, typer.Option("--agent", "-a", help="Whose runs. (default: those of the newest one's)")
    ] = "",
    last: Annotated[int, typer.Option("--limit", min=1, help="At most so many runs.")] = 10,
    whole: Annotated[bool, typer.Option("--all", help="Also the cases that pass.")] = False,
    run_dir: RunDir = RUNS,
    as_json: AsJson = False,
) -> None:
    """List the cases that do not pass, and how they did before.

    Also tells whether the whole suite was run since parts of it were: a case that was mended by
    itself says nothing of what the change did to the others.

    Example: understudy runs history chrome-enterprise --limit 5
    """
    from harness.reports import history_text
    from harness.runner import suite_history

    found = suite_history(suite, run_dir, agent=agent, last=last)
    if as_json:
        print_json(found)
        return
    typer.echo(history_text(found, whole=whole), nl=False)
