"""What the index is asked."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, exists, select, tuple_

from harness.model import Frozen
from harness.storage import Baseline, CaseSummary, RunSummary
from harness.storage.index.database import Database
from harness.storage.index.tables import baselines, cases, runs, trials

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
    return tuple_(runs.c.started_at, runs.c.run) < tuple_(at or "", before)


def _rows(connection: Connection, wanted: Select[Any]) -> Sequence[RowMapping]:
    return connection.execute(wanted).mappings().all()


def _run(row: RowMapping) -> RunSummary:
    return RunSummary.model_validate(_of(row, RunSummary))


def _case(row: RowMapping, statuses: Mapping[str, int] | None = None) -> CaseSummary:
    return CaseSummary.model_validate(_of(row, CaseSummary) | {"statuses": statuses or {}})


def _of(row: RowMapping, kind: type[Frozen]) -> dict[str, Any]:
    """The fields of a row that a model has."""
    return {name: row[name] for name in kind.model_fields if name in row}
