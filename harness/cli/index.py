"""`understudy runs index`: the database that knows the runs."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import RUNS, Db, RunDir

if TYPE_CHECKING:
    from harness.storage.index import IndexUpdate


class Action(StrEnum):
    """What is done with it."""

    update = "update"
    rebuild = "rebuild"


def index(
    action: Annotated[Action, typer.Argument(help="What is done with it.")],
    *,
    run_dir: RunDir = RUNS,
    db: Db = "",
) -> None:
    """Bring the index of runs up to date, or make it anew.

    The run directories are the truth, so nothing is lost by making it anew; a file that is broken,
    or no database, is kept under another name. Commands that read the
    index update it first; a database that several machines share is updated by each of them, with
    its own runs.

    Example: understudy runs index rebuild --db postgresql://evals@db.example.com/evals
    """
    from contextlib import closing

    from harness.cli.run_output import show_warnings
    from harness.storage import open_index

    with closing(open_index(run_dir, db)) as opened:
        caught = opened.rebuild() if action is Action.rebuild else opened.catch_up()
        name = opened.database.name
    show_warnings([*filter(None, [caught.set_aside]), *caught.unreadable])
    typer.echo(f"{name}: {_counts_text(caught)}")


def _counts_text(caught: "IndexUpdate") -> str:
    counts = {
        "indexed": len(caught.indexed),
        "unchanged": caught.unchanged,
        "removed": len(caught.removed),
        "unreadable": len(caught.unreadable),
    }
    return ", ".join(f"{number} {what}" for what, number in counts.items() if number) or "no runs"
