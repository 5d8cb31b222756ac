"""The index of run directories: updated from them, which hold the truth, and queried."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    Table,
    delete,
    exists,
    select,
    tuple_,
)

from harness.errors import HarnessError
from harness.model import Frozen
from harness.storage import (
    Baseline,
    Baselines,
    CaseSummary,
    ReadRun,
    RegisteredSuites,
    RunSummary,
    mirror_of,
    place_of,
    read_run,
    stamp,
)
from harness.storage.index.database import (
    Database,
    DatabaseDownError,
    baselines,
    cases,
    database_url,
    runs,
    suites,
    trials,
    upsert,
)


class IndexUpdate(Frozen):
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


class _IndexedRun(NamedTuple):
    run: str
    stamp: str
    folder: str
    root: str


@dataclass
class _Pass:
    """What one pass over the directories has found so far."""

    known: list[_IndexedRun]
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
        return self._by_folder.get(place_of(path), path.name)

    def removed_runs(self) -> list[str]:
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
        """The directory of runs, as the database names it: its store, where it is in one."""
        return place_of(self.folder)

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    def catch_up(self) -> IndexUpdate:
        """Take in what is new, has changed or is gone since.

        Raises:
            DatabaseDownError: The database does not answer.
            StoreDownError: The runs are in a store that cannot be used.
        """
        mirror = mirror_of(self.folder)
        unsent = mirror.pull_summaries() if mirror else {}
        pass_ = _Pass(self._indexed_runs(), self.root)
        pass_.unreadable += unsent.values()
        for path in run_folders(self.folder):
            try:
                self._take_in(path, pass_)
            except DatabaseDownError:
                raise
            except (HarnessError, OSError) as error:
                pass_.unreadable.append(f"run {path.name}: {error}")
        gone = pass_.removed_runs()
        self._finish(gone)
        return IndexUpdate(
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

    def rebuild(self) -> IndexUpdate:
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

    def _indexed_runs(self) -> list[_IndexedRun]:
        columns = (runs.c.run, runs.c.stamp, runs.c.folder, runs.c.root)
        with self.database.transaction() as connection:
            return [_IndexedRun(*row) for row in connection.execute(select(*columns))]

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

    def _write(self, summary: ReadRun, stamp: str) -> None:
        run = summary.run.run
        row = summary.run.model_dump(exclude={"baseline"}) | {"root": self.root, "stamp": stamp}
        with self.database.transaction() as connection:
            upsert(connection, runs, [row])  # first: whoever writes the same run waits here
            for table in (cases, trials):
                connection.execute(delete(table).where(table.c.run == run))
            upsert(connection, cases, _case_rows(summary))
            upsert(connection, trials, _trial_rows(summary))

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


def _case_rows(summary: ReadRun) -> list[dict[str, object]]:
    run = summary.run.run
    return [
        case.model_dump(exclude={"statuses"}) | {"run": run, "position": position}
        for position, case in enumerate(summary.cases)
    ]


def _trial_rows(summary: ReadRun) -> list[dict[str, object]]:
    return [
        {"run": summary.run.run, "case": case.case, "status": status, "count": count}
        for case in summary.cases
        for status, count in case.statuses.items()
    ]


_OWN = {"root", "stamp"}
_RUN = [column for column in runs.columns if column.name not in _OWN]
_IS_BASELINE = exists().where(baselines.c.run == runs.c.run).label("baseline")


def find_runs(
    database: Database,
    *,
    suite: str = "",
    agent: str = "",
    before: str = "",
    limit: int = 50,
) -> tuple[RunSummary, ...]:
    """Runs, the newest first.

    Args:
        database: Where they are indexed.
        suite: The short name of a suite; all when empty.
        agent: An agent spec; all when empty.
        before: Only runs that come after this one in the list: how to go on with it.
        limit: At most so many.

    Raises:
        HarnessError: `before` is no run that is indexed.
        DatabaseDownError: The database does not answer.
    """
    wanted = _runs().order_by(runs.c.started_at.desc(), runs.c.run.desc()).limit(limit)
    if suite:
        wanted = wanted.where(runs.c.suite == suite)
    if agent:
        wanted = wanted.where(runs.c.agent == agent)
    with database.transaction() as connection:
        if before:
            wanted = wanted.where(_older(connection, before))
        return tuple(map(_run, _rows(connection, wanted)))


def find_run(database: Database, run: str) -> RunSummary | None:
    """One run, or None.

    Raises:
        DatabaseDownError: The database does not answer.
    """
    with database.transaction() as connection:
        return next(map(_run, _rows(connection, _runs().where(runs.c.run == run))), None)


def cases_of(database: Database, run: str) -> tuple[CaseSummary, ...]:
    """The cases of a run, in run order.

    Raises:
        DatabaseDownError: The database does not answer.
    """
    with database.transaction() as connection:
        counted: dict[str, dict[str, int]] = defaultdict(dict)
        for row in _rows(connection, select(trials).where(trials.c.run == run)):
            counted[row["case"]][row["status"]] = row["count"]
        wanted = select(cases).where(cases.c.run == run).order_by(cases.c.position)
        return tuple(_case(row, counted[row["case"]]) for row in _rows(connection, wanted))


def trend(
    database: Database, suite: str, *, agent: str = "", limit: int = 50
) -> tuple[RunSummary, ...]:
    """The last finished runs of a suite that have a verdict, the oldest first.

    Raises:
        DatabaseDownError: The database does not answer.
    """
    wanted = (
        _runs()
        .where(runs.c.suite == suite, runs.c.state == "finished", runs.c.rate.is_not(None))
        .order_by(runs.c.started_at.desc(), runs.c.run.desc())
        .limit(limit)
    )
    if agent:
        wanted = wanted.where(runs.c.agent == agent)
    with database.transaction() as connection:
        return tuple(map(_run, reversed(_rows(connection, wanted))))


def case_history(
    database: Database, suite: str, case: str, *, limit: int = 20
) -> tuple[tuple[str, CaseSummary], ...]:
    """How a case did in the last runs of its suite, the newest first; each with the run's id.

    Raises:
        DatabaseDownError: The database does not answer.
    """
    wanted = (
        select(cases)
        .join(runs, runs.c.run == cases.c.run)
        .where(runs.c.suite == suite, cases.c.case == case)
        .order_by(runs.c.started_at.desc(), runs.c.run.desc())
        .limit(limit)
    )
    with database.transaction() as connection:
        return tuple((row["run"], _case(row)) for row in _rows(connection, wanted))


def indexed_suites(database: Database) -> tuple[str, ...]:
    """The short names of all suites that have a run, sorted.

    Raises:
        DatabaseDownError: The database does not answer.
    """
    wanted = select(runs.c.suite).distinct().order_by(runs.c.suite)
    with database.transaction() as connection:
        return tuple(connection.execute(wanted).scalars())


def find_baselines(database: Database) -> tuple[Baseline, ...]:
    """All baselines, of whoever indexes here, the one set first first.

    Raises:
        DatabaseDownError: The database does not answer.
    """
    wanted = select(baselines).order_by(baselines.c.set_at, baselines.c.run)
    with database.transaction() as connection:
        found = _rows(connection, wanted)
        return tuple(Baseline.model_validate(_of(row, Baseline)) for row in found)


def _runs() -> Select[Any]:
    return select(*_RUN, _IS_BASELINE)


def _older(connection: Connection, before: str) -> ColumnElement[bool]:
    at = connection.execute(select(runs.c.started_at).where(runs.c.run == before)).scalar()
    if at is None:
        raise HarnessError(
            f"there is no run {before!r} to go on after", hint="understudy runs list shows them"
        )
    return tuple_(runs.c.started_at, runs.c.run) < tuple_(at, before)


def _rows(connection: Connection, wanted: Select[Any]) -> Sequence[RowMapping]:
    return connection.execute(wanted).mappings().all()


def _run(row: RowMapping) -> RunSummary:
    return RunSummary.model_validate(_of(row, RunSummary))


def _case(row: RowMapping, statuses: Mapping[str, int] | None = None) -> CaseSummary:
    return CaseSummary.model_validate(_of(row, CaseSummary) | {"statuses": statuses or {}})


def _of(row: RowMapping, kind: type[Frozen]) -> dict[str, Any]:
    """The fields of a row that a model has."""
    return {name: row[name] for name in kind.model_fields if name in row}
