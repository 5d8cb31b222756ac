"""Cassettes for tests: small ones, invented, written as files."""

from collections.abc import Iterable
from pathlib import Path

from mockserver.cassettes.files import write_cassette
from mockserver.model import (
    Cassette,
    CassetteInfo,
    Header,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)

JSON: Header = ("Content-Type", "application/json")
ORIGIN = "https://api.example.com"


def recorded(
    method: str = "GET",
    path: str = "/v1/units",
    *,
    origin: str = ORIGIN,
    sent: bytes = b"",
    response: RecordedResponse | None = None,
    body: bytes = b'{"name": "first"}',
) -> Interaction:
    request = RecordedRequest(method, origin + path, (JSON,) if sent else (), sent)
    return Interaction(request, response or RecordedResponse(200, "OK", (JSON,), body))


def cassette(*interactions: Interaction, name: str = "tape.yaml", upstream: str = "") -> Cassette:
    return Cassette(name, interactions, CassetteInfo(upstream=upstream))


def written(
    folder: Path, interactions: Iterable[Interaction], name: str = "tape.yaml", **info: str
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    write_cassette(cassette(*interactions, name=name, **info), folder / name)
    return folder / name
