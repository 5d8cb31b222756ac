"""Loading a cassette of 5,000 interactions and 15 MB, in seconds of this process's CPU."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import orjson

from mockserver.cassettes.files import read_cassette, write_cassette
from mockserver.model import Cassette, Interaction, RecordedRequest, RecordedResponse
from tests.benchmarks.figures import Figure

COUNT = 5_000


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("cassette.yaml", "cassette.json"):
            path = Path(folder) / name
            write_cassette(Cassette(name, tuple(map(_interaction, range(COUNT)))), path)
            size = path.stat().st_size / 1e6
            before = time.process_time()
            held = len(read_cassette(path).interactions)
            took = time.process_time() - before
            assert held == COUNT
            yield Figure(
                f"load {held:,} interactions, {size:.0f} MB, {path.suffix[1:]}", took, 1.0, "s"
            )


def _interaction(number: int) -> Interaction:
    users = [
        {"id": f"{number:015}{item:06}", "primaryEmail": f"user-{number}-{item}@example.com"}
        for item in range(26)
    ]
    page = {"kind": "admin#directory#users", "users": users, "nextPageToken": f"page-{number}"}
    body = orjson.dumps(page, option=orjson.OPT_INDENT_2 if number % 2 else 0)
    url = f"https://admin.googleapis.com/admin/directory/v1/users?pageToken=page-{number - 1}"
    headers = (
        ("Content-Type", "application/json; charset=UTF-8"),
        (
            "Date",
            f"Fri, 20 Nov 2026 {number // 3600:02}:{number // 60 % 60:02}:{number % 60:02} GMT",
        ),
        ("Vary", "Origin"),
        ("Vary", "X-Origin"),
        ("Content-Length", str(len(body))),
    )
    return Interaction(
        RecordedRequest("GET", url, (("Accept", "application/json"),)),
        RecordedResponse(200, "OK", headers, body),
        "2026-11-20T09:00:00.000Z",
        80.5,
        "directory.users.list",
    )
