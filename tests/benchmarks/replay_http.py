"""Requests per second of a replay, against a constant raw ASGI answer."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from mockserver.cassettes.files import write_cassette
from mockserver.model import Interaction, RecordedRequest, RecordedResponse
from mockserver.model.cassettes import Cassette
from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.servers import mock_server, post, reference_server, requests_per_second
from tests.benchmarks.suites import write_suite

PATH = "/s/{}/api.example.com/v1/units/7?view=full"
ROUNDS = 7
RECORDINGS = 1000
BODY = b'{"units": [%b]}' % b", ".join(b'{"id": "unit-%d"}' % n for n in range(40))


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        yield against_reference(Path(folder))


def against_reference(folder: Path) -> Figure:
    write_cassette(_tape(), folder / "tape.yaml")
    suite = write_suite(folder / "suite", cases=1)
    ours, theirs = [], []
    with mock_server(suite, "--cassette", str(folder / "tape.yaml")) as (port, _):
        spec = {"cassettes": ["tape"], "repeats": "cycle"}
        path = PATH.format(post(port, "/_mock/sessions", spec)["id"])
        with reference_server(port, path) as reference:
            for _ in range(ROUNDS):
                ours.append(requests_per_second(port, path))
                theirs.append(requests_per_second(reference, "/"))
    name = "replay / constant raw ASGI, requests/s"
    return Figure(name, ratio(ours, theirs), 0.85, at_least=True)


def _tape() -> Cassette:
    headers = (("Content-Type", "application/json"), ("ETag", '"1"'))
    made = (
        Interaction(
            RecordedRequest("GET", f"https://api.example.com/v1/units/{number}?view=full"),
            RecordedResponse(200, "OK", headers, BODY),
        )
        for number in range(RECORDINGS)
    )
    return Cassette("tape.yaml", tuple(made))
