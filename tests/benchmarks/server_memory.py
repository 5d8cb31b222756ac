"""Resident memory: idle, and for each further idle session."""

from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure
from tests.benchmarks.servers import mock_server, post, resident_bytes

SUITE = Path(__file__).parents[2] / "fixtures" / "chrome-enterprise"
SESSIONS = 10_000


def figures() -> Iterator[Figure]:
    with mock_server(SUITE) as (port, pid):
        yield Figure("resident memory, idle", resident_bytes(pid) / 1e6, 120, "MB")
        for number in range(500):
            post(port, "/_mock/sessions", {"id": f"warm{number}"})
        before = resident_bytes(pid)
        for number in range(SESSIONS):
            post(port, "/_mock/sessions", {"id": f"s{number}"})
        each = (resident_bytes(pid) - before) / SESSIONS
    yield Figure("resident memory of a further idle session", each / 1024, 2, "KiB")
