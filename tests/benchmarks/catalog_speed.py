"""Discovery costs nothing until an API is used, and then little; routes are found at one speed."""

import tempfile
from collections.abc import Iterator
from math import inf
from pathlib import Path
from time import perf_counter
from urllib.request import Request, urlopen

from mockserver.googleapi import Catalog
from mockserver.routing import Routes
from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.servers import mock_server, post
from tests.benchmarks.suites import write_suite

FIRST = {
    "logging.googleapis.com": "/v2/projects/p/logs",
    "drive.googleapis.com": "/drive/v3/files",
    "compute.googleapis.com": "/compute/v1/projects/p/zones",
    "aiplatform.googleapis.com": "/v1/projects/p/locations/l/models",
}
"""A path on hosts of small and of the largest documents."""

HOST, PATH = b"logging.googleapis.com", "/v2/projects/p/locations/l/buckets/b{}"
FINDS, ROUNDS, STARTS = 3000, 7, 3


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        suite = write_suite(Path(folder) / "suite", cases=1)
        yield first_requests(suite)
    yield flat_in_apis()


def first_requests(suite: Path) -> Figure:
    fastest: dict[str, float] = {}
    for _ in range(STARTS):
        with mock_server(suite, "--no-proxy") as (port, _):
            post(port, "/_mock/sessions", {"id": "bench"})
            for host, path in FIRST.items():
                fastest[host] = min(fastest.get(host, inf), _asked(port, host, path))
    slowest = max(fastest.values()) * 1000
    return Figure("first request to an API, slowest of four", slowest, 50, "ms")


def _asked(port: int, host: str, path: str) -> float:
    headers = {"Host": host, "X-Mock-Session": "bench"}
    request = Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    started = perf_counter()
    try:
        with urlopen(request) as answer:
            answer.read()
    except OSError as refused:  # a 501, too, is an answer
        if not hasattr(refused, "code"):
            raise
    return perf_counter() - started


def flat_in_apis() -> Figure:
    one, every = Routes((), _catalog()), Routes((), _catalog())
    for item in every.catalog.listing()["items"]:
        every.catalog.router(item["discoveryRestUrl"].split("/")[2])
    speeds: tuple[list[float], list[float]] = ([], [])
    for start in range(ROUNDS):
        for routes, found in zip((every, one), speeds, strict=True):
            found.append(_finds_per_second(routes, start))
    name = "routes found/s with every API loaded / one API"
    return Figure(name, ratio(*speeds), 0.85, at_least=True)


def _catalog() -> Catalog:
    return Catalog(preferred=[], supplements=[])


def _finds_per_second(routes: Routes, start: int) -> float:
    paths = [PATH.format(start * FINDS + number).encode() for number in range(FINDS)]
    started = perf_counter()
    for path in paths:
        routes.find(HOST, "GET", path)
    return FINDS / (perf_counter() - started)
