"""Declared APIs: lists against a constant raw ASGI answer, and filtered reads of many rows."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

import orjson

from mockserver.collections import Store
from mockserver.declared.declaration import Declaration
from mockserver.declared.rows import Rows
from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.servers import mock_server, post, reference_server, requests_per_second

ROUNDS = 7
ROWS = 100_000
DECLARATION = "api: shop\nhosts: [shop.example.com]\ncollections: {things: {}}\n"
LIST = "/s/{}/shop.example.com/things"
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
    yield against_reference()
    yield filtered_reads()


def against_reference() -> Figure:
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder)
        for name in ("apis", "base"):
            (suite / name).mkdir()
        (suite / "apis" / "shop.yaml").write_text(DECLARATION, encoding="utf-8")
        base = {"shop": {"things": list(rows(100).values())}}
        (suite / "base" / "shop.json").write_bytes(orjson.dumps(base))
        with mock_server(suite) as (port, _):
            session = post(port, "/_mock/sessions", {"id": "bench"})["id"]
            path = LIST.format(session)
            with reference_server(port, path) as reference:
                ours, theirs = [], []
                for _ in range(ROUNDS):
                    ours.append(requests_per_second(port, path))
                    theirs.append(requests_per_second(reference, "/"))
    name = "list of 100 declared rows / constant raw ASGI, requests/s"
    return Figure(name, ratio(ours, theirs), 0.5, at_least=True)


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
