"""Opens the index of runs, where what it needs is installed."""

from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import HarnessError

if TYPE_CHECKING:
    from harness.storage.index import RunIndex

_EXTRA = {"sqlalchemy", "psycopg"}


def open_index(runs: Path, url: str = "") -> "RunIndex":
    """The index of a directory of runs; nothing is connected to yet.

    Args:
        runs: The directory.
        url: The database: a URL, or the path of a file; by default `index.db` in the directory.

    Raises:
        HarnessError: The extra is not installed, or the URL makes no sense.
    """
    try:
        from harness.storage.index import RunIndex

        return RunIndex(runs, url)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise HarnessError(
            f"an index of runs needs {error.name}, which is not installed",
            hint="pip install 'understudy[store]'",
        ) from None
