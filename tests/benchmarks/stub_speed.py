"""Stubs: requests per second with many of them against few."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import orjson

from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.servers import mock_server, post, requests_per_second

ROUNDS = 7
FEW, MANY = 10, 10_000
PATHS = (
    ("literal", "/s/bench/api.example.com/v1/units/3"),
    ("open", "/s/bench/api.example.com/v1/groups/3/members/8?view=full"),
)


def stubs(count: int) -> list[dict[str, object]]:
    """Half of them at addresses of their own, half at addresses with an open segment."""
    body = {"name": "Unit", "parts": [{"id": f"part-{number}"} for number in range(20)]}
    host = "https://api.example.com/v1"
    literal = [f"{host}/units/{number}" for number in range(count // 2)]
    opened = [f"{host}/groups/{number}/members/{{member}}" for number in range(count // 2)]
    return [{"method": "GET", "url": url, "body": body} for url in (*literal, *opened)]


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        few, many = (_suite(Path(folder) / str(count), count) for count in (FEW, MANY))
        with mock_server(few) as (small, _), mock_server(many) as (large, _):
            for port in (small, large):
                post(port, "/_mock/sessions", {"id": "bench"})
            for kind, path in PATHS:
                ours, theirs = [], []
                for _ in range(ROUNDS):
                    ours.append(requests_per_second(large, path))
                    theirs.append(requests_per_second(small, path))
                name = f"requests/s with 10,000 stubs / 10, {kind} address"
                yield Figure(name, ratio(ours, theirs), 0.9, at_least=True)


def _suite(folder: Path, count: int) -> Path:
    base = folder / "base"
    base.mkdir(parents=True)
    (base / "http.json").write_bytes(orjson.dumps({"http": stubs(count)}))
    return folder
