"""`harness index rebuild`, killed, or its PostgreSQL server killed, and done again.

The run directories are the truth: afterwards the index has what an undisturbed one has.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any

from harness.storage.index import RunIndex, cases_of, find_runs
from tests.chaos.processes import Forked, harness, in_this_process
from tests.chaos.subjects import Found, Striker, Subject, unlike
from tests.chaos.wire import Wire
from tests.databases import PostgresServer, postgres_server
from tests.runfolders import stored_run

RUNS = 12
_HELD_S = 8.0


def rows_of(runs: Path, url: str) -> Any:
    """All runs and cases of an index, as JSON has them."""
    index = RunIndex(runs, url)
    try:
        return [
            [each.model_dump(mode="json") for each in (run, *cases_of(index.database, run.run))]
            for run in find_runs(index.database, limit=10 * RUNS)
        ]
    finally:
        index.close()


class Indexes:
    """An index of some runs, made again and again."""

    def __init__(self, folder: Path, url: Callable[[Path], str]) -> None:
        self.runs = folder / "runs"
        for number in range(RUNS):
            stored_run(self.runs, f"{number:02}", {"a": [True, False], "b": [True, True]})
        self.url = url
        in_this_process(self.rebuild(folder))
        started = time.monotonic()
        whole = Forked(self.rebuild(folder), folder, folder / "nothing").wait()
        self.took_s = time.monotonic() - started
        assert whole.code == 0, whole.messages
        self.rows = rows_of(self.runs, url(folder))
        assert len(self.rows) == RUNS, whole.messages

    def rebuild(self, folder: Path) -> Callable[[], int]:
        """`harness index rebuild`."""
        return harness("index", "rebuild", "--run-dir", str(self.runs), "--db", self.url(folder))

    def compare(self, folder: Path, what: str) -> Found:
        """Bring it up to date, and hold it against the whole one."""
        update = harness("index", "update", "--run-dir", str(self.runs), "--db", self.url(folder))
        ended = Forked(update, folder, folder / "nothing").wait()
        if ended.code:
            return Found(what, (), (f"update ends with {ended.code}: {ended.messages[-600:]}",))
        return Found(what, (), tuple(unlike(self.rows, rows_of(self.runs, self.url(folder)))))


def _killed(indexes: Indexes, what: str) -> Striker:
    def once(folder: Path, random: Random) -> Found:
        process = Forked(indexes.rebuild(folder), folder, folder / "nothing")
        time.sleep(random.uniform(0, indexes.took_s))
        process.send(signal.SIGKILL)
        process.wait()
        return indexes.compare(folder, what)

    return once


def _server_killed(indexes: Indexes, server: PostgresServer) -> Striker:
    def once(folder: Path, random: Random) -> Found:
        process = Forked(indexes.rebuild(folder), folder, folder / "nothing")
        time.sleep(random.uniform(0, indexes.took_s))
        server.kill()
        ended = process.wait()
        server.start()
        found = indexes.compare(folder, "index, PostgreSQL killed")
        if ended.traceback:
            told = f"a traceback: {ended.traceback}"
            return Found(found.what, found.losses, (*found.differences, told))
        return found

    return once


class _Pair:
    """A PostgreSQL server whose replica takes its place, at an address that leads to either."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._wire = Wire(server.port)
        self._wire.start()
        self.url = server.url.replace(f":{server.port}/", f":{self._wire.port}/")

    def strike(self, indexes: Indexes) -> Striker:
        """Fail over while the index is made."""

        def once(folder: Path, random: Random) -> Found:
            replica = self._server.replicate()
            process = Forked(indexes.rebuild(folder), folder, folder / "nothing")
            time.sleep(random.uniform(0, indexes.took_s))
            self._server.kill()
            replica.promote()
            self._server = replica
            self._wire.lead_to(replica.port)
            ended = process.wait()
            found = indexes.compare(folder, "index, PostgreSQL fails over")
            if ended.traceback:
                told = f"a traceback: {ended.traceback}"
                return Found(found.what, found.losses, (*found.differences, told))
            return found

        return once

    def stop(self) -> None:
        """End what runs of it."""
        self._wire.stop()
        self._server.kill()


def _held(indexes: Indexes, what: str, hold: Callable[[], Callable[[], object]]) -> Striker:
    """Something holds up the server for a while; the index is made nevertheless."""

    def once(folder: Path, random: Random) -> Found:
        process = Forked(indexes.rebuild(folder), folder, folder / "nothing")
        time.sleep(random.uniform(0, indexes.took_s))
        release = hold()
        threading.Timer(random.uniform(0.5, _HELD_S), release).start()
        ended = process.wait()
        found = indexes.compare(folder, f"index, {what}")
        if ended.code:
            told = f"ended with {ended.code}: {ended.messages[-600:]}"
            return Found(found.what, found.losses, (*found.differences, told))
        return found

    return once


def _pause(server: PostgresServer) -> Callable[[], Callable[[], object]]:
    def hold() -> Callable[[], object]:
        server.pause()
        return server.resume

    return hold


def _lock(server: PostgresServer) -> Callable[[], Callable[[], object]]:
    """Another client holds a table, as a migration or a backup does."""

    def hold() -> Callable[[], object]:
        import psycopg

        connection = psycopg.connect(server.url)
        connection.execute("LOCK TABLE index_version IN ACCESS EXCLUSIVE MODE")
        return connection.close

    return hold


@contextmanager
def opened(folder: Path) -> Iterator[Mapping[str, Striker]]:
    """An index in SQLite, and one in a PostgreSQL server of its own."""
    for name in ("sqlite", "postgresql", "pair"):
        (folder / name).mkdir()
    in_file = Indexes(folder / "sqlite", lambda place: str(place / "index.db"))
    with postgres_server() as server, postgres_server() as primary, ExitStack() as stack:
        pair = _Pair(primary)
        stack.callback(pair.stop)
        in_pair = Indexes(folder / "pair", lambda _: pair.url)
        in_server = Indexes(folder / "postgresql", lambda _: server.url)
        strikes = {
            "kill -9, SQLite": _killed(in_file, "index in SQLite, killed"),
            "kill -9, PostgreSQL": _killed(in_server, "index in PostgreSQL, killed"),
            "PostgreSQL kill -9": _server_killed(in_server, server),
            "PostgreSQL stands still": _held(in_server, "PostgreSQL stands still", _pause(server)),
            "PostgreSQL is locked": _held(in_server, "PostgreSQL is locked", _lock(server)),
        }
        if primary.can_replicate:
            strikes["PostgreSQL fails over"] = pair.strike(in_pair)
        yield strikes


SUBJECT = Subject("index", opened)
