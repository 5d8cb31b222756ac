"""`understudy runs index`: the database that knows the runs."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import RUNS, Db, RunDir

if TYPE_CHECKING:
    from harness.storage.index import IndexUpdate


class Action(StrEnum):
    """Whether to update the index or to rebuild it."""

    update = "update"
    rebuild = "rebuild"


def index(
    action: Annotated[Action, typer.Argument(help="Whether to update the index or to rebuild it.")],
    *,
    run_dir: RunDir = RUNS,
    db: Db = "",
) -> None:
    """Update the index of runs, or rebuild it.

    The index is built from the run directories, so a rebuild loses nothing; a file that is damaged,
    or not a database, is kept under another name. Commands that read the index update it first. If
    several machines share a database, each of them updates it with its own runs.

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
