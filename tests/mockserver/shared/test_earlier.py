"""Logs of shared sessions as earlier versions wrote them (`earlier/`), as statements in SQL."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mockserver.shared.file_log import FileLog
from mockserver.shared.log import LoggedSession, Opening, Record

EARLIER = sorted(Path(__file__).with_name("earlier").glob("*.sql"))
AT = datetime(2026, 11, 20, 10, 0, 0, 250, tzinfo=UTC)
PATH = b"/s/ann/api.library.example.com/v1/loans"
HEADERS = ((b"content-type", b"application/json"), (b"x-name", "ü".encode()))


@pytest.fixture(params=EARLIER, ids=lambda path: path.stem)
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[FileLog]:
    with closing(sqlite3.connect(tmp_path / "sessions-0.sqlite")) as database:
        database.executescript(request.param.read_text(encoding="utf-8"))
    log = FileLog(tmp_path)
    await log.start()
    yield log
    await log.stop()


async def test_the_log_of_a_session_is_read_and_goes_on(log: FileLog) -> None:
    assert await log.sessions() == [LoggedSession("ann", "EC-001")]
    records = await log.read("ann", 0)
    assert records is not None
    (_, first), (_, second), (number, third) = records
    opening, one = Opening.decode(first), Record.decode(second)
    assert (opening.at, opening.spec.case, opening.spec.seed) == (AT, "EC-001", 7)
    assert one == Record(AT, "POST", "http", PATH, b"dry=1", HEADERS, b'{"bookId": "BK2"}\n\x00')
    assert Record.decode(third, one.headers) == Record(
        AT, "GET", "https", PATH, b"", HEADERS, trusted=True
    )
    await log.append("ann", number + 1, one.encode())
    assert len(await log.read("ann", 0) or ()) == 4
