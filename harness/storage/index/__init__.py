"""An index of run directories in SQLite or PostgreSQL; needs the extra `store`."""

from harness.storage.index.database import DatabaseDownError
from harness.storage.index.index import RunIndex
from harness.storage.index.queries import (
    case_history,
    cases_of,
    find_baselines,
    find_run,
    find_runs,
    trend,
)
from harness.storage.index.reading import read_run
from harness.storage.index.rows import CaughtUp, IndexedBaseline, IndexedCase, IndexedRun

__all__ = [
    "CaughtUp",
    "DatabaseDownError",
    "IndexedBaseline",
    "IndexedCase",
    "IndexedRun",
    "RunIndex",
    "case_history",
    "cases_of",
    "find_baselines",
    "find_run",
    "find_runs",
    "read_run",
    "trend",
]
