"""The tests of the index run on SQLite and on a real PostgreSQL."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.storage.index import RunIndex
from tests.databases import postgresql


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    with postgresql() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'db' / 'index.db'}"
    named: str = request.getfixturevalue("postgresql_url")
    emptied = RunIndex(tmp_path, named)
    emptied.database.recreate()
    emptied.close()
    return named


@pytest.fixture
def opened(url: str, tmp_path: Path) -> Iterator[Callable[..., RunIndex]]:
    """Opens an index of a directory of runs in the database; that of the test by default."""
    made: list[RunIndex] = []

    def make(folder: Path | None = None) -> RunIndex:
        made.append(RunIndex(folder or tmp_path / "runs", url))
        return made[-1]

    yield make
    for each in made:
        each.close()
