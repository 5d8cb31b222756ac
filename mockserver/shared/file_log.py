"""Logs in files of one machine: what a process wrote is there after it is killed.

SQLite does not wait for the disk: a machine that loses its power loses the latest records.
"""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from time import monotonic, sleep
from typing import Any, ParamSpec, TypeVar

from mockserver.asgi.waits import deadline
from mockserver.shared.log import (
    MOST_NOTES,
    Appended,
    LogFullError,
    LoggedSession,
    LogUnavailableError,
)
from mockserver.shared.placement import slot_of

P = ParamSpec("P")
T = TypeVar("T")

_WAIT_S = 5.0
"""How long another process may hold a file while this one begins."""
_AGAIN_S = 0.01

_SCHEMA = """
CREATE TABLE IF NOT EXISTS records (
    session TEXT, number INTEGER, content BLOB, PRIMARY KEY (session, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS opened (session TEXT PRIMARY KEY, kase TEXT);
CREATE TABLE IF NOT EXISTS agreed (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes (content BLOB);
"""
_APPEND = (
    "INSERT INTO records SELECT ?, ?, ? WHERE (SELECT max(number) FROM records WHERE session = ?)"
    " < ?"
)


class _HeldError(LogUnavailableError):
    """Another process holds a file."""


def _named_errors(method: Callable[P, T]) -> Callable[P, T]:
    """Turn what SQLite says of a file into what we say."""

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return method(*args, **kwargs)
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL:
                raise LogFullError(
                    "the disk of the sessions' logs is full", hint="make room, or close sessions"
                ) from error
            is_held = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
            kind = _HeldError if is_held else LogUnavailableError
            raise kind(f"the logs of sessions cannot be used: {error}") from error

    return call


async def _patiently(write: Callable[[], T]) -> T:
    """Write, and again while another process holds the file; other requests go on meanwhile.

    Raises:
        OverdueError: It held it for too long.
    """
    with suppress(_HeldError):
        return write()
    async with deadline("a file of the sessions' logs"):
        while True:
            await asyncio.sleep(_AGAIN_S)
            with suppress(_HeldError):
                return write()


class _Slot:
    """One file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @_named_errors
    def open(self) -> None:
        # what it holds is secret; the files that SQLite puts beside it have the same mode
        self._path.touch(mode=0o600)
        self._database = sqlite3.connect(self._path, timeout=_WAIT_S, isolation_level=None)
        self.run("PRAGMA synchronous = OFF")
        self._write_ahead()
        self._database.executescript(_SCHEMA)
        self.run("PRAGMA busy_timeout = 0")  # who waits for it lets others go on

    def _write_ahead(self) -> None:
        # SQLite does not wait here: of processes that begin together, one would be refused
        until = monotonic() + _WAIT_S
        while True:
            try:
                self._database.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() > until:
                    raise
                sleep(_AGAIN_S)
            else:
                return

    def close(self) -> None:
        self._database.close()

    @_named_errors
    def run(self, statement: str, *values: Any) -> sqlite3.Cursor:
        return self._database.execute(statement, values)

    @_named_errors
    def rows(self, statement: str, *values: Any) -> list[Any]:
        return self._database.execute(statement, values).fetchall()

    @_named_errors
    def transact(self, work: Callable[[], T]) -> T:
        self._database.execute("BEGIN IMMEDIATE")
        with self._database:
            return work()


class FileLog:
    """The logs of sessions in the files of a folder, which processes share.

    Args:
        folder: Where they are; it is made, for its owner alone, where it is not there.
        slots: In how many files: processes that write different ones do not wait for each other.
    """

    lineage = 0

    def __init__(self, folder: Path, slots: int = 1) -> None:
        self._folder = folder
        self._slots = [_Slot(folder / f"sessions-{number}.sqlite") for number in range(slots)]

    async def start(self) -> None:
        """Open the files.

        Raises:
            LogUnavailableError: They cannot be written.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for slot in self._slots:
                slot.open()
        except OSError as error:
            raise LogUnavailableError(
                f"{self._folder}: sessions cannot be logged there: {error.strerror}",
                hint="name a folder that this user may write",
            ) from error

    async def stop(self) -> None:
        """Close the files."""
        for slot in self._slots:
            slot.close()

    def _of(self, session_id: str) -> _Slot:
        return self._slots[slot_of(session_id, len(self._slots))]

    async def agree(self, name: str, value: bytes) -> bytes:
        """The first value of a name."""
        slot = self._slots[0]
        insert = "INSERT OR IGNORE INTO agreed VALUES (?, ?)"
        await _patiently(lambda: slot.run(insert, name, value))
        found: bytes = slot.rows("SELECT value FROM agreed WHERE name = ?", name)[0][0]
        return found

    async def create(self, session: LoggedSession, opening: bytes) -> bool:
        """Begin a log; False where there is one."""
        slot = self._of(session.id)

        def begin() -> bool:
            insert = "INSERT OR IGNORE INTO records VALUES (?, 1, ?)"
            if not slot.run(insert, session.id, opening).rowcount:
                return False
            slot.run("INSERT INTO opened VALUES (?, ?)", session.id, session.case)
            return True

        return await _patiently(lambda: slot.transact(begin))

    async def append(self, session_id: str, number: int, record: bytes) -> Appended:
        """Write the record of a number."""
        slot = self._of(session_id)
        values = (session_id, number, record, session_id, number)
        if (await _patiently(lambda: slot.run(_APPEND, *values))).rowcount:
            return Appended.DONE
        found = slot.rows("SELECT 1 FROM records WHERE session = ? LIMIT 1", session_id)
        return Appended.BEHIND if found else Appended.GONE

    async def read(self, session_id: str, after: int) -> list[tuple[int, bytes]] | None:
        """The records after a number."""
        slot = self._of(session_id)
        found = slot.rows(
            "SELECT number, content FROM records WHERE session = ? AND number > ? ORDER BY number",
            session_id,
            after,
        )
        if found or not after:
            return found or None
        one = slot.rows("SELECT 1 FROM records WHERE session = ? LIMIT 1", session_id)
        return [] if one else None

    async def close(self, session_id: str, number: int) -> None:
        """Leave out what is between the opening and a number."""
        slot = self._of(session_id)

        def shorten() -> None:
            slot.run(
                "DELETE FROM records WHERE session = ? AND number > 1 AND number < ?",
                session_id,
                number,
            )
            slot.run("DELETE FROM opened WHERE session = ?", session_id)

        await _patiently(lambda: slot.transact(shorten))

    async def sessions(self) -> list[LoggedSession]:
        """The open sessions; the oldest first, those of one file together."""
        rows = [
            row
            for slot in self._slots
            for row in slot.rows("SELECT session, kase FROM opened ORDER BY rowid")
        ]
        return [LoggedSession(*row) for row in rows]

    async def count(self) -> int:
        """How many are open."""
        return sum(slot.rows("SELECT count(*) FROM opened")[0][0] for slot in self._slots)

    async def note(self, content: bytes) -> None:
        """Keep a note."""
        slot, forget = self._slots[0], "rowid <= (SELECT max(rowid) FROM notes) - ?"

        def add() -> None:
            slot.run("INSERT INTO notes VALUES (?)", content)
            slot.run(f"DELETE FROM notes WHERE {forget}", MOST_NOTES)  # noqa: S608

        await _patiently(lambda: slot.transact(add))

    async def notes(self) -> list[bytes]:
        """The notes."""
        return [row[0] for row in self._slots[0].rows("SELECT content FROM notes ORDER BY rowid")]
