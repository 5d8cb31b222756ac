"""An index of run directories in SQLite or PostgreSQL; needs the extra `store`."""

from harness.storage.index.database import DatabaseDownError
from harness.storage.index.index import (
    IndexUpdate,
    RunIndex,
    case_history,
    cases_of,
    find_baselines,
    find_run,
    find_runs,
    indexed_suites,
    trend,
)

__all__ = [
    "DatabaseDownError",
    "IndexUpdate",
    "RunIndex",
    "case_history",
    "cases_of",
    "find_baselines",
    "find_run",
    "find_runs",
    "indexed_suites",
    "trend",
]
