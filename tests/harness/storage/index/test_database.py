from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import insert, select, update
from sqlalchemy.schema import CreateIndex, CreateTable

from harness.errors import Exit, HarnessError
from harness.storage import Baseline, CaseSummary, RunSummary
from harness.storage.index import DatabaseDownError, RunIndex, database
from harness.storage.index.database import (
    VERSION,
    Database,
    baselines,
    cases,
    database_url,
    runs,
    suites,
    upsert,
    versions,
)

Opened = Callable[..., RunIndex]
SUITE = {"root": "r", "name": "su", "path": "su", "description": "", "registered_at": ""}
ROW = {"root": "r", "run": "1", "suite": "s", "agent": "a", "set_at": "", "note": "first"}


TABLES = Path(__file__).with_name("tables.golden.sql")


def test_tables_are_those_of_their_version() -> None:
    """Whoever changes them raises `VERSION`, and says how those of before become them."""
    made = [str(CreateTable(each)) for each in database.metadata.sorted_tables]
    indexes = [str(CreateIndex(one)) for each in database.metadata.sorted_tables
               for one in sorted(each.indexes, key=str)]  # fmt: skip
    told = "\n".join(" ".join(each.split()) for each in (*made, *indexes))
    assert f"-- version {VERSION}\n{told}\n" == TABLES.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("named", "driver"),
    [
        ("runs/index.db", "sqlite"),
        ("sqlite:////tmp/index.db", "sqlite"),
        ("postgresql://h/d", "postgresql+psycopg"),
        ("postgres://h/d", "postgresql+psycopg"),
        ("postgresql+psycopg://h/d", "postgresql+psycopg"),
    ],
)
def test_databases_are_named_by_path_or_url(named: str, driver: str) -> None:
    assert database_url(named).drivername == driver


@pytest.mark.parametrize(
    "named", ["mysql://u:s3cret@h/d", "://s3cret", "postgresql://u:s3cret@h:port/d"]
)
def test_a_url_that_cannot_be_used_is_refused_and_not_repeated(named: str) -> None:
    with pytest.raises(HarnessError, match=r"the URL of the database .*postgresql://user") as told:
        database_url(named)
    assert "s3cret" not in str(told.value)


def test_a_password_is_in_no_name_and_no_error() -> None:
    database = Database(database_url("postgresql://u:s3cret@127.0.0.1:9/d"))
    assert database.name == "postgresql+psycopg://u:***@127.0.0.1:9/d"
    with pytest.raises(DatabaseDownError) as told, database.transaction():
        pass
    assert told.value.exit_code == Exit.INFRASTRUCTURE
    assert "s3cret" not in str(told.value)
    with pytest.raises(DatabaseDownError):
        database.recreate()


def test_a_file_that_is_no_database_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    path.write_text("notes " * 500, encoding="utf-8")
    database = Database(database_url(str(path)))
    with pytest.raises(DatabaseDownError, match="file is not a database"), database.transaction():
        pass
    assert path.read_text(encoding="utf-8").startswith("notes")


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(HarnessError, match="cannot be made"):
        Database(database_url(str(tmp_path / "file" / "index.db")))


def test_all_files_of_a_broken_database_are_set_aside(tmp_path: Path) -> None:
    for name in ("index.db", "index.db-wal", "index.db.broken-1"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    aside = Database(database_url(str(tmp_path / "index.db"))).set_aside()
    assert aside == tmp_path / "index.db.broken-2"
    found = {each.name: each.read_text("utf-8") for each in tmp_path.iterdir()}
    assert found == {
        "index.db.broken-1": "index.db.broken-1",
        "index.db.broken-2": "index.db",
        "index.db.broken-2-wal": "index.db-wal",
    }


def test_a_database_that_was_made_anew_elsewhere_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    served, other = (RunIndex(tmp_path, str(path)) for _ in range(2))
    served.catch_up()
    path.write_bytes(b"notes " * 5000)
    with pytest.raises(DatabaseDownError):
        served.catch_up()
    assert "is kept as" in other.rebuild().set_aside
    assert served.catch_up().unchanged == 0
    served.close()
    other.close()


@pytest.mark.slow
def test_what_fails_half_way_leaves_nothing(opened: Opened) -> None:
    database = opened().database

    def fail() -> None:
        with database.transaction() as connection:
            upsert(connection, baselines, [ROW])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with database.transaction() as connection:
        assert connection.execute(select(baselines)).all() == []


def test_a_row_of_the_same_key_is_replaced(opened: Opened) -> None:
    with opened().database.transaction() as connection:
        upsert(connection, baselines, [ROW, ROW | {"run": "2"}])
        upsert(connection, baselines, [ROW | {"note": "second"}])
        upsert(connection, baselines, [])
        notes = select(baselines.c.note).order_by(baselines.c.run)
        assert connection.execute(notes).scalars().all() == ["second", "first"]


def test_tables_are_made_once_however_many_make_them(opened: Opened) -> None:
    databases = [opened().database for _ in range(4)]

    def ask(database: Database) -> list[int]:
        with database.transaction() as connection:
            return list(connection.execute(select(versions.c.version)).scalars())

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, databases)) == [[VERSION]] * 4


def test_an_index_of_no_known_version_is_not_read_and_is_made_anew(opened: Opened) -> None:
    with opened().database.transaction() as connection:
        connection.execute(update(versions).values(version=0))
    with (
        pytest.raises(HarnessError, match=r"is of version 0, not 2 .understudy runs index rebuild"),
        opened().database.transaction(),
    ):
        pass
    opened().rebuild()
    with opened().database.transaction() as connection:
        assert connection.execute(select(versions.c.version)).scalars().all() == [VERSION]


def test_an_index_of_a_later_version_is_refused_and_stays_as_it_is(opened: Opened) -> None:
    with opened().database.transaction() as connection:
        connection.execute(update(versions).values(version=99))
        connection.execute(insert(suites), [SUITE])
    for use in (RunIndex.catch_up, RunIndex.rebuild):
        with pytest.raises(HarnessError, match=r"version 99; .* up to 2 .*install that one"):
            use(opened())
    with opened().database._engine.begin() as connection:  # as the later version would
        assert connection.execute(select(suites.c.name)).scalars().all() == ["su"]
        connection.execute(update(versions).values(version=VERSION))  # for the other tests


def test_a_statement_that_is_refused_is_told(opened: Opened) -> None:
    database = opened().database
    with pytest.raises(DatabaseDownError), database.transaction() as connection:
        connection.execute(insert(versions), [{"version": VERSION}])


def test_every_field_of_a_row_has_its_column() -> None:
    assert set(RunSummary.model_fields) - {"baseline"} <= set(runs.columns.keys())
    assert set(CaseSummary.model_fields) - {"statuses"} <= set(cases.columns.keys())
    assert set(Baseline.model_fields) <= set(baselines.columns.keys())


def test_what_another_one_holds_is_not_waited_for_for_ever(
    postgresql_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, other = (Database(database_url(postgresql_url)) for _ in range(2))
    index.recreate()
    monkeypatch.setattr(database, "_WAIT_S", 0.1)
    with other.transaction() as holding:
        holding.exec_driver_sql(f"LOCK TABLE {runs.name} IN ACCESS EXCLUSIVE MODE")
        with (
            pytest.raises(DatabaseDownError, match="lock timeout") as told,
            index.transaction() as one,
        ):
            one.execute(select(runs.c.run))
    assert told.value.hint == "another process has held it for 0.1 s: wait for it, or end it"
    with index.transaction() as one:
        assert one.execute(select(runs.c.run)).all() == []
    for each in (index, other):
        each.close()
