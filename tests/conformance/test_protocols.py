"""Emulated methods of all kinds answer alike over uvicorn's cycle and over the fast protocol."""

import asyncio
from itertools import count
from pathlib import Path
from typing import Any
from zlib import crc32

import orjson
import pytest
from hypothesis import HealthCheck, given, settings

from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.settings import HttpProtocolName, Settings
from tests.conformance.emulated import METHODS, Asked, Emulation
from tests.conformance.generation import Requests
from tests.conformance.more import write_more
from tests.mockserver.conftest import NOW
from tests.mockserver.http.connections import Connection


def representatives() -> list[str]:
    """Two methods of each kind of an API: a protocol sees verbs, paths and bodies, not meanings."""
    kinds: dict[tuple[object, ...], list[str]] = {}
    for name, each in METHODS.items():
        parts = each.path.count("/"), ":" in each.path, "{+" in each.path
        kind = (each.api, each.http_method, *parts, each.request is None, each.response is None)
        kinds.setdefault(kind, []).append(name)
    return [name for names in kinds.values() for name in sorted(names, key=_mixed)[:2]]


def _mixed(name: str) -> int:
    return crc32(name.encode())


NUMBERS = count()
TIMES = 3
"""The third time, the fast protocol knows the request."""


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Requests:
    with Emulation(tmp_path_factory.mktemp("conformance") / "suite").world() as world:
        return Requests(world.strings(), world.rows())


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> list[Application]:
    suite = write_more(tmp_path_factory.mktemp("twins") / "suite")
    return [_application(suite, protocol) for protocol in ("fast", "uvicorn")]


def _application(suite: Path, protocol: HttpProtocolName) -> Application:
    numbers = iter(range(10**9))
    return Application(
        Settings(fixtures=suite, http_protocol=protocol),
        real=lambda: NOW,
        secret=lambda: f"{next(numbers):032}",
    )


def sent(asked: Asked, session: Any) -> bytes:
    """A request as bytes, with the session's own token and id where it has placeholders."""
    text = orjson.dumps([asked.params, asked.body]).decode()
    text = text.replace("{token}", session.token).replace("{session}", session.id)
    asked = Asked(asked.method, *orjson.loads(text))
    path, query = asked.url
    content = b"" if asked.body is None else orjson.dumps(asked.body)
    target = f"{path}?{query}" if query else path
    return (
        f"{asked.method.http_method} {target} HTTP/1.1\r\nHost: {asked.method.document.host}\r\n"
        f"Authorization: Bearer {session.token}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    ).encode() + content


@pytest.mark.slow
@pytest.mark.parametrize("name", representatives())
def test_both_protocols_answer_alike(
    name: str, twins: list[Application], requests: Requests
) -> None:
    async def answers(
        application: Application, asked: Asked, number: int
    ) -> tuple[list[bytes], int]:
        spec = SessionSpec.model_validate({"id": f"s{number}", "clock": "frozen", "seed": 1})
        session = application.sessions.open(spec)
        connection = Connection(application)
        found = [await connection.send(sent(asked, session)) for _ in range(TIMES)]
        await connection.end()
        application.sessions.close(spec.id or "")
        return found, connection.fast_answers

    quick: list[int] = []

    @settings(max_examples=3, database=None, suppress_health_check=list(HealthCheck))
    @given(requests.of(METHODS[name]))
    def held(asked: Asked) -> None:
        number = next(NUMBERS)
        fast, usual = (asyncio.run(answers(each, asked, number)) for each in twins)
        assert fast[0] == usual[0]
        assert usual[1] == 0
        quick.append(fast[1])

    held()
    assert quick
