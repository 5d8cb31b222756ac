"""The database of the index: its tables, and access to SQLite in a file or PostgreSQL by URL."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    create_engine,
    event,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.schema import CreateIndex, CreateTable

from harness.errors import HarnessError, InfrastructureError, reason_of

VERSION = 2
"""Of these tables."""

_MIGRATIONS: Mapping[int, tuple[str, ...]] = {
    1: ("ALTER TABLE runs ADD COLUMN fork JSON", "UPDATE runs SET stamp = ''"),
}
"""A version to what makes the next of it; a run without a stamp is read anew from its directory."""

metadata = MetaData()

versions = Table("index_version", metadata, Column("version", Integer, primary_key=True))

runs = Table(
    "runs",
    metadata,
    Column("run", Text, primary_key=True),
    Column("suite", Text, nullable=False),
    Column("suite_path", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("started_at", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("fork", JSON(none_as_null=True)),
    Column("folder", Text, nullable=False),
    Column("root", Text, nullable=False),  # whose directory of runs it is in
    Column("stamp", Text, nullable=False),  # of what it was read from
    Column("state", Text, nullable=False),
    Column("cases", Integer, nullable=False),
    Column("passed_cases", Integer, nullable=False),
    Column("trials", Integer, nullable=False),
    Column("valid", Integer, nullable=False),
    Column("passed", Integer, nullable=False),
    Column("infra", Integer, nullable=False),
    Column("rate", Float),
    Index("runs_by_suite", "suite", "started_at"),
    Index("runs_by_root", "root"),
)

cases = Table(
    "cases",
    metadata,
    Column("run", Text, primary_key=True),
    Column("case", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("hash", Text, nullable=False),
    Column("category", Text, nullable=False),
    Column("verdict", Text),
    Column("valid", Integer, nullable=False),
    Column("passed", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Index("cases_by_id", "case"),
)

trials = Table(
    "trials",
    metadata,
    Column("run", Text, primary_key=True),
    Column("case", Text, primary_key=True),
    Column("status", Text, primary_key=True),
    Column("count", Integer, nullable=False),
)

baselines = Table(
    "baselines",
    metadata,
    Column("root", Text, primary_key=True),
    Column("run", Text, primary_key=True),
    Column("suite", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("set_at", Text, nullable=False),
    Column("note", Text, nullable=False),
)

suites = Table(
    "suites",
    metadata,
    Column("root", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("path", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("registered_at", Text, nullable=False),
)


_WAIT_S = 30
"""How long one waits for what another one holds."""

_CONNECT_S = 5
_SCHEMA_LOCK = 7_203_164
_DRIVERS = {
    "sqlite": "sqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}


_LOCKED = "55P03"
"""What PostgreSQL calls it."""

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_OUTSIDE = frozenset({
    sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY,
})  # fmt: skip
"""What is wrong with the disk or the rights to it, and not with what a file holds."""

_COMPANIONS = ("", "-journal", "-wal", "-shm")
"""The files of one SQLite database, by what follows its name."""


class DatabaseDownError(InfrastructureError):
    """The database of the index cannot be used now; runs do not need it.

    Attributes:
        broken: Whether what its file holds is at fault: it can be made anew.
    """

    def __init__(self, message: str, *, hint: str = "", broken: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.broken = broken


def database_url(location: str) -> URL:
    """The URL of a database, of a path too.

    Raises:
        HarnessError: It is none that can be used. What was named is not repeated: it may hold a
            password.

    >>> str(database_url("runs/index.db"))
    'sqlite:///runs/index.db'
    >>> database_url("postgres://u@db/evals").drivername
    'postgresql+psycopg'
    """
    if "://" not in location:
        return URL.create("sqlite", database=location)
    try:
        url = make_url(location)
    except (ArgumentError, ValueError):
        raise _unusable("cannot be read as a URL") from None
    if url.drivername not in _DRIVERS:
        raise _unusable(f"is of an unknown kind, {url.drivername!r}")
    return url.set(drivername=_DRIVERS[url.drivername])


def _unusable(why: str) -> HarnessError:
    return HarnessError(
        f"the URL of the database {why}",
        hint="sqlite:///runs/index.db, or postgresql://user:password@host/name",
    )


class Database:
    """A database with the tables of the index; it connects when it is first asked.

    Args:
        url: See `database_url`.
    """

    def __init__(self, url: URL) -> None:
        self.url = url
        self._engine = _engine(url)
        self._ready = False

    @property
    def name(self) -> str:
        """The URL without its password."""
        return self.url.render_as_string(hide_password=True)

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection whose work counts whole at the end of the block, or not at all.

        Yields:
            The connection.

        Raises:
            DatabaseDownError: The database does not answer, or refuses.
            HarnessError: Its tables are those of another version.
        """
        try:
            if not self._ready:
                self._prepare()
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise self._down(error) from None

    def recreate(self) -> None:
        """Drop the tables with all that is in them, and make them anew.

        Raises:
            DatabaseDownError: The database does not answer, refuses, or its file is broken.
            HarnessError: Its tables are those of a later version.
        """
        try:
            with self._engine.begin() as connection:
                self._refuse_damage(connection)
                _lock_schema(connection)
                if inspect(connection).has_table(versions.name):
                    self._known_version(connection)
                metadata.drop_all(connection)
                _create(connection)
            self._ready = True
        except SQLAlchemyError as error:
            raise self._down(error) from None

    def set_aside(self) -> Path:
        """Give the file of a broken database a name that is free, and let go of it.

        Returns:
            What it is called now.

        Raises:
            DatabaseDownError: It cannot be renamed.
        """
        self._let_go()
        path = Path(self.url.database or "")
        numbers = (path.with_name(f"{path.name}.broken-{number}") for number in count(1))
        aside = next(each for each in numbers if not each.exists())
        try:
            for companion in _COMPANIONS:
                own = path.with_name(path.name + companion)
                if own.exists():
                    own.rename(aside.with_name(aside.name + companion))
        except OSError as error:
            raise DatabaseDownError(
                f"the index at {self.name} is broken and cannot be renamed: {reason_of(error)}",
                hint="move it away",
            ) from None
        return aside

    def _refuse_damage(self, connection: Connection) -> None:
        """Raise for a file whose pages are damaged where nobody has looked yet."""
        if connection.dialect.name == "sqlite":
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
            if found != "ok":
                raise self._unusable_error(str(found))

    def _let_go(self) -> None:
        """Connect anew the next time: the file may be another one by then."""
        self._ready = False
        self._engine.dispose()

    def _prepare(self) -> None:
        """Make the tables where there are none; on its own, as its locks would be in the way."""
        with self._engine.begin() as connection:
            if not inspect(connection).has_table(versions.name):
                _lock_schema(connection)
                _create(connection)
            if self._known_version(connection) != VERSION:
                _lock_schema(connection)
                self._migrate(connection)
        self._ready = True

    def _migrate(self, connection: Connection) -> None:
        """Bring the tables of an earlier version up to date.

        Raises:
            HarnessError: Nobody knows of which version they are.
        """
        version = self._known_version(connection)
        while version < VERSION:
            if version not in _MIGRATIONS:
                raise HarnessError(
                    f"the index at {self.name} is of version {version}, not {VERSION}",
                    hint="understudy runs index rebuild",
                )
            for statement in _MIGRATIONS[version]:
                connection.exec_driver_sql(statement)
            version += 1
        connection.execute(update(versions).values(version=VERSION))

    def _known_version(self, connection: Connection) -> int:
        """The version of the tables; 0 where they do not say.

        Raises:
            HarnessError: It is a later one than this program knows.
        """
        version = max(connection.execute(select(versions.c.version)).scalars(), default=0)
        if version > VERSION:
            raise HarnessError(
                f"the index at {self.name} is of version {version}; this program knows up to"
                f" {VERSION}",
                hint="a newer understudy wrote it: install that one, or name another with --db",
            )
        return version

    def _down(self, error: SQLAlchemyError) -> DatabaseDownError:
        self._let_go()
        cause = getattr(error, "orig", None) or error
        why = str(cause).strip().splitlines()[0]
        password = self.url.password
        why = why.replace(str(password), "***") if password else why
        code = getattr(cause, "sqlite_errorcode", None)
        if code is not None and code & 0xFF not in _BUSY | _OUTSIDE:
            return self._unusable_error(why)
        hint = "runs do not need it; later, `understudy runs index update` catches up"
        is_busy = code is not None and code & 0xFF in _BUSY
        if is_busy or getattr(cause, "sqlstate", None) == _LOCKED:
            hint = f"another process has held it for {_WAIT_S} s: wait for it, or end it"
        return DatabaseDownError(f"the index at {self.name} cannot be used: {why}", hint=hint)

    def _unusable_error(self, why: str) -> DatabaseDownError:
        return DatabaseDownError(
            f"the index at {self.name} cannot be used: {why.splitlines()[-1]}",
            hint="runs do not need it; `understudy runs index rebuild` makes it anew from them",
            broken=True,
        )


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        if url.database and url.database != ":memory:":
            folder = Path(url.database).parent
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise HarnessError(
                    f"the folder of the index, {str(folder)!r}, cannot be made: {reason_of(error)}"
                ) from None
        engine = create_engine(url, connect_args={"timeout": _WAIT_S, "isolation_level": None})
        event.listen(engine, "begin", _begin_at_once)
        return engine
    engine = create_engine(url, connect_args={"connect_timeout": _CONNECT_S}, pool_pre_ping=True)
    event.listen(engine, "begin", _limit_locks)
    return engine


def _limit_locks(connection: Connection) -> None:
    """Wait no longer for a lock than for another writer of a file."""
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {round(_WAIT_S * 1000)}")


def _begin_at_once(connection: Connection) -> None:
    """Take turns with other writers from the start: who reads first and then writes cannot wait."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _lock_schema(connection: Connection) -> None:
    """Two processes that make the same tables at once would trip over each other."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_SCHEMA_LOCK})"))


def _create(connection: Connection) -> None:
    for table in metadata.sorted_tables:
        connection.execute(CreateTable(table, if_not_exists=True))
        for index in table.indexes:
            connection.execute(CreateIndex(index, if_not_exists=True))
    upsert(connection, versions, [{"version": VERSION}])


def upsert(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows; one of the same key is replaced, whoever wrote it."""
    if not rows:
        return
    made = postgresql if connection.dialect.name == "postgresql" else sqlite
    statement = made.insert(table)
    keys = [column.name for column in table.primary_key]
    others = {
        column.name: statement.excluded[column.name]
        for column in table.columns
        if column.name not in keys
    }
    connection.execute(
        statement.on_conflict_do_update(index_elements=keys, set_=others)
        if others
        else statement.on_conflict_do_nothing(index_elements=keys),
        list(rows),
    )
