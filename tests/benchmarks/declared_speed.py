"""Declared APIs: filtered reads of many rows."""

from collections.abc import Iterator
from statistics import median
from time import perf_counter

from mockserver.collections import Store
from mockserver.declared.declaration import Declaration
from mockserver.declared.rows import Rows
from tests.benchmarks.figures import Figure

ROWS = 100_000
QUERIES: tuple[dict[str, list[str]], ...] = (
    {"city": ["c7"]},
    {"max": ["50"], "sort": ["-price"]},
    {"city": ["c3"], "max": ["500"], "page": ["3"]},
)


def rows(count: int) -> dict[str, dict[str, object]]:
    return {
        f"r{n}": {"id": f"r{n}", "city": f"c{n % 100}", "price": n * 7919 % 1000, "name": f"No {n}"}
        for n in range(count)
    }


def figures() -> Iterator[Figure]:
    yield filtered_reads()


def filtered_reads() -> Figure:
    """The slowest of some filtered reads, once their columns are made."""
    declared = {"filters": {"city": "city", "max": {"field": "price", "op": "<="}},
                "sort": "sort", "paging": "page"}  # fmt: skip
    declaration = {"api": "a", "collections": {"things": declared}}
    lists = Rows(Declaration.model_validate(declaration), "things", {}).lists
    table = Store(rows(ROWS))
    slowest = 0.0
    for query in QUERIES:
        lists.page(table, query)
        took = []
        for _ in range(20):
            start = perf_counter()
            lists.page(table, query)
            took.append((perf_counter() - start) * 1000)
        slowest = max(slowest, median(took))
    return Figure("filtered read of 100,000 declared rows, ms", slowest, 5.0)
