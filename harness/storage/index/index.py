"""Keeps an index of run directories, which are the truth, and answers from it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, Table, delete, select

from harness.errors import HarnessError
from harness.model import Frozen
from harness.storage import Baselines, ReadRun, RegisteredSuites, read_run, stamp
from harness.storage.index.database import Database, DatabaseDownError, database_url, upsert
from harness.storage.index.tables import baselines, cases, runs, suites, trials


class CaughtUp(Frozen):
    """What an index took in.

    Attributes:
        indexed: Runs that were new or had changed.
        removed: Runs whose directories are gone.
        unchanged: How many were as before.
        unreadable: What is wrong with runs that could not be read, one sentence each.
        set_aside: Where the file of a broken index is now, and what was wrong with it; or an empty
            string.
    """

    indexed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    unreadable: tuple[str, ...] = ()
    set_aside: str = ""


class _Known(NamedTuple):
    run: str
    stamp: str
    folder: str
    root: str


@dataclass
class _Pass:
    """What one pass over the directories has found so far."""

    known: list[_Known]
    root: str
    there: set[str] = field(default_factory=set)
    indexed: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    unchanged: int = 0

    def __post_init__(self) -> None:
        self.stamps = {each.run: each.stamp for each in self.known}
        self._by_folder = {each.folder: each.run for each in self.known}

    def run_in(self, path: Path) -> str:
        """The run that a directory held when it was last seen; else the one it is named for."""
        return self._by_folder.get(str(path.resolve()), path.name)

    def gone(self) -> list[str]:
        own = (each.run for each in self.known if each.root == self.root)
        return [run for run in own if run not in self.there]


class RunIndex:
    """The index of one directory of runs, in a database that others may index theirs in too.

    A run is known by its id, so whoever indexes it, and however often, it is there once.

    Args:
        folder: The directory of runs.
        url: The database; by default `index.db` in that directory.

    Raises:
        HarnessError: The URL makes no sense.
    """

    def __init__(self, folder: Path, url: str = "") -> None:
        self.folder = folder
        self.database = Database(database_url(url or str(folder / "index.db")))

    @property
    def root(self) -> str:
        """The directory of runs, as the database names it."""
        return str(self.folder.resolve())

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    def catch_up(self) -> CaughtUp:
        """Take in what is new, has changed or is gone since.

        Raises:
            DatabaseDownError: The database does not answer.
        """
        pass_ = _Pass(self._known(), self.root)
        for path in run_folders(self.folder):
            try:
                self._take_in(path, pass_)
            except DatabaseDownError:
                raise
            except (HarnessError, OSError) as error:
                pass_.unreadable.append(f"run {path.name}: {error}")
        gone = pass_.gone()
        self._finish(gone)
        return CaughtUp(
            indexed=tuple(pass_.indexed),
            removed=tuple(gone),
            unchanged=pass_.unchanged,
            unreadable=tuple(pass_.unreadable),
        )

    def add(self, path: Path) -> None:
        """Take in one run.

        Raises:
            HarnessError: Its directory cannot be read.
            DatabaseDownError: The database does not answer.
        """
        self._write(read_run(path), stamp(path))

    def rebuild(self) -> CaughtUp:
        """Make the index anew; what others indexed in the same database they index again.

        A file that is broken, or no database at all, is kept under another name.

        Raises:
            DatabaseDownError: The database does not answer.
        """
        set_aside = ""
        try:
            self.database.recreate()
        except DatabaseDownError as error:
            if not error.broken:
                raise
            set_aside = f"{error.message}; it is kept as {self.database.set_aside()}"
            self.database.recreate()
        return self.catch_up().model_copy(update={"set_aside": set_aside})

    def _known(self) -> list[_Known]:
        columns = (runs.c.run, runs.c.stamp, runs.c.folder, runs.c.root)
        with self.database.transaction() as connection:
            return [_Known(*row) for row in connection.execute(select(*columns))]

    def _take_in(self, path: Path, pass_: "_Pass") -> None:
        """Index one directory, unless it is as it was."""
        now, run = stamp(path), pass_.run_in(path)
        pass_.there.add(run)  # also when it cannot be read: then what was known of it stays
        if pass_.stamps.get(run) == now:
            pass_.unchanged += 1
            return
        read = read_run(path)
        if read.run.run in pass_.there - {run} or read.run.run in pass_.indexed:
            raise HarnessError(f"is run {read.run.run} once more", hint="remove one of the two")
        self._write(read, now)
        pass_.there.add(read.run.run)
        pass_.indexed.append(read.run.run)

    def _write(self, read: ReadRun, stamp: str) -> None:
        run = read.run.run
        row = read.run.model_dump(exclude={"baseline"}) | {"root": self.root, "stamp": stamp}
        with self.database.transaction() as connection:
            upsert(connection, runs, [row])  # first: whoever writes the same run waits here
            for table in (cases, trials):
                connection.execute(delete(table).where(table.c.run == run))
            upsert(connection, cases, _case_rows(read))
            upsert(connection, trials, _trial_rows(read))

    def _finish(self, gone: list[str]) -> None:
        with self.database.transaction() as connection:
            for run in gone:
                for table in (runs, cases, trials):
                    connection.execute(delete(table).where(table.c.run == run))
            self._mirror(connection, baselines, "run", Baselines(self.folder).all())
            self._mirror(connection, suites, "name", RegisteredSuites(self.folder).all())

    def _mirror(
        self, connection: Connection, table: Table, key: str, entries: Iterable[Frozen]
    ) -> None:
        rows = [entry.model_dump() | {"root": self.root} for entry in entries]
        upsert(connection, table, rows)
        stale = table.c[key].not_in([row[key] for row in rows])
        connection.execute(delete(table).where(table.c.root == self.root, stale))


def run_folders(folder: Path) -> list[Path]:
    """The run directories in a folder, by name."""
    return sorted(path.parent for path in folder.glob("*/manifest.json"))


def _case_rows(read: ReadRun) -> list[dict[str, object]]:
    run = read.run.run
    return [
        case.model_dump(exclude={"statuses"}) | {"run": run, "position": position}
        for position, case in enumerate(read.cases)
    ]


def _trial_rows(read: ReadRun) -> list[dict[str, object]]:
    return [
        {"run": read.run.run, "case": case.case, "status": status, "count": count}
        for case in read.cases
        for status, count in case.statuses.items()
    ]
