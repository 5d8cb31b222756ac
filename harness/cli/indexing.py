"""Puts a run that is over into the index, where one was named."""

from contextlib import closing
from typing import TYPE_CHECKING

from harness.cli.run_reports import show_warnings
from harness.errors import HarnessError

if TYPE_CHECKING:
    from harness.storage import RunFolder


def check_db(db: str) -> None:
    """Refuse a database that can never be used, before anything is run.

    Raises:
        HarnessError: The URL makes no sense, or the extra is not installed.
    """
    if db:
        from pathlib import Path

        from harness.storage import open_index

        open_index(Path(), db).close()


def index_run(folder: "RunFolder", db: str) -> None:
    """Index a run; a database that is down is told, and catches up later."""
    if not db:
        return
    from harness.storage import open_index

    try:
        with closing(open_index(folder.path.parent, db)) as index:
            index.add(folder.path)
    except HarnessError as error:
        show_warnings([f"the run is not indexed: {error}", "later: harness index update"])
