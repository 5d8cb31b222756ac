"""The start of a server with 100,000 rows of base, and what its first request takes, by CPU."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from unittest import mock

import orjson

from tests.benchmarks.figures import Figure
from tests.benchmarks.servers import cpu_seconds, get, mock_server, post

ROWS, ROUNDS = 100_000, 3
FIRST = {
    "org units": "admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits",
    "files": "www.googleapis.com/drive/v3/files",
    "secrets": "secretmanager.googleapis.com/v1/projects/p/secrets",
}
TIME = "2026-11-20T08:00:00Z"
SHOP = """api: shop
hosts: [shop.example.com]
collections:
  things:
    filters: {city: city}
    schema: {type: object, required: [sku], properties: {sku: {type: string}}}
"""


def users() -> list[dict[str, object]]:
    return [
        {
            "primaryEmail": f"u{n}@example.com",
            "name": {"givenName": f"G{n % 997}", "familyName": f"F{n % 2000}"},
            "lastLoginTime": TIME,
        }
        for n in range(ROWS)
    ]


def things() -> list[dict[str, object]]:
    return [{"id": n, "city": f"c{n % 1000}", "sku": f"k{n}"} for n in range(ROWS)]


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        empty = _suite(Path(folder, "empty"), {})
        bare = median(_cpu(empty, Path(folder, "home")) for _ in range(ROUNDS))
        for name, key, rows in (
            ("users", "users", users()),
            ("declared rows", "shop", {"things": things()}),
        ):
            suite = _suite(Path(folder, key), {key: rows})
            homes = [Path(folder, f"{key}{number}") for number in range(ROUNDS)]
            for which, goal in (("first start", 2.0), ("second start, of the cache", 0.5)):
                added = median(_cpu(suite, home) for home in homes) - bare
                yield Figure(f"{which}, 100,000 {name}, CPU", added, goal, "s")
        for name, path in FIRST.items():
            spent = median(_first_request(empty, path) for _ in range(ROUNDS))
            yield Figure(f"first request of a new server, {name}, CPU", 1000 * spent, 50, " ms")


def _suite(folder: Path, content: dict[str, object]) -> Path:
    for name, text in (
        ("apis/shop.yaml", SHOP.encode()),
        ("base/a.json", orjson.dumps({"capturedAt": TIME, **content})),
    ):
        path = folder / name
        path.parent.mkdir(parents=True)
        path.write_bytes(text)
    return folder


def _cpu(suite: Path, home: Path) -> float:
    """Seconds of CPU until a server answers.

    Args:
        suite: What it serves.
        home: Where it keeps what outlasts it.
    """
    with (
        mock.patch.dict(os.environ, UNDERSTUDY_HOME=str(home)),
        mock_server(suite) as (_, pid),
    ):
        return cpu_seconds(pid)


def _first_request(suite: Path, path: str) -> float:
    """Seconds of CPU that the first request to an API takes."""
    with mock_server(suite) as (port, pid):
        session = post(port, "/_mock/sessions", {})["id"]
        before = cpu_seconds(pid)
        get(port, f"/s/{session}/{path}")
        return cpu_seconds(pid) - before
