"""Opens the index of runs, where what it needs is installed."""

from importlib.util import find_spec
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
        raise _missing_package(error.name or "") from None


def require_store() -> None:
    """Refuse to go on without the extra.

    Raises:
        HarnessError: It is not installed.
    """
    if find_spec("sqlalchemy") is None:
        raise _missing_package("sqlalchemy")


def _missing_package(package: str) -> HarnessError:
    return HarnessError(
        f"an index of runs needs {package}, which is not installed",
        hint="pip install 'understudy[store]'",
    )
