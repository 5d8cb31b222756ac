"""Pages of both consoles in Chromium: a journal of 10,000 requests, a run of 10,000 trials."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from harness.server import Settings
from tests.benchmarks.figures import Figure
from tests.benchmarks.servers import get, mock_server, post, requests_per_second
from tests.browsers import chromium, chromium_path
from tests.harness.server.conftest import serving
from tests.wide_runs import write_wide_runs

SUITE = Path(__file__).parents[2] / "fixtures" / "chrome-enterprise"
ENTRIES, LOADS = 10_000, 3
SECONDS, MEGABYTES = 1, 1
ASKED = "/s/wide/admin/directory/v1/customer/my_customer/orgunits?type=all"
SESSION = "/_mock/console/sessions/wide"
OF_SERVER = (
    "/", SESSION, f"{SESSION}/requests/9000", f"{SESSION}/state",
    f"{SESSION}/state?collection=users", f"{SESSION}/faults", f"{SESSION}/cassettes",
    f"{SESSION}/clock", f"{SESSION}/apis", f"{SESSION}/apis?api=directory",
)  # fmt: skip
OF_HARNESS = (
    "/", "/suites/wide", "/runs", "/runs/2", "/runs/2/trials/C-0000/1",
    "/compare?baseline=1&candidate=2", "/compare?baseline=1&candidate=2&page=20", "/judges",
)  # fmt: skip


def figures() -> Iterator[Figure]:
    """Seconds until a page is loaded, the median of three; megabytes are those of its document."""
    try:
        chromium_path()
    except pytest.skip.Exception as error:
        print(f"pages of the consoles: skipped, {error}")  # noqa: T201
        return
    with chromium() as browser:
        page = browser.new_page()
        with mock_server(SUITE) as (port, _):
            post(port, "/_mock/sessions", {"id": "wide"})
            requests_per_second(port, ASKED, count=ENTRIES)
            journal = json.loads(get(port, "/_mock/sessions/wide/journal?bodies=false"))
            assert len(journal["entries"]) >= ENTRIES, "the journal holds what was asked"
            yield from _pages(page, f"http://127.0.0.1:{port}", OF_SERVER, "server")
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            write_wide_runs(place)
            with serving(Settings(runs=place / "runs", suites=place / "suites")) as served:
                yield from _pages(page, str(served.base_url).rstrip("/"), OF_HARNESS, "harness")


def _pages(page: Any, base: str, paths: tuple[str, ...], of: str) -> Iterator[Figure]:
    times, sizes = {}, {}
    for path in paths:
        taken = []
        for _ in range(LOADS):
            answer = page.goto(base + path, wait_until="load")
            assert answer.ok, f"{path}: {answer.status}"
            sizes[path] = len(answer.body()) / 1e6
            timing = "performance.getEntriesByType('navigation')[0].loadEventEnd"
            taken.append(page.evaluate(timing) / 1000)
        times[path] = median(taken)
    slowest, largest = max(times, key=times.__getitem__), max(sizes, key=sizes.__getitem__)
    yield Figure(f"slowest page of the {of}, {slowest}", times[slowest], SECONDS, "s")
    yield Figure(f"largest page of the {of}, {largest}", sizes[largest], MEGABYTES, "MB")
