"""What a fault does to an answer on a real connection."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from mockserver.client import MockServer
from mockserver.http.responses import malformed
from mockserver.model import Fault, FaultReport, SessionSpec
from tests.mockserver.conftest import UNITS, write_suite

LIST = "directory.orgunits.list"
PLAIN = {"accept-encoding": "identity"}


class Server:
    """A server in a process of its own, asked through sockets."""

    def __init__(self, runner: asyncio.Runner, server: MockServer) -> None:
        self._runner = runner
        self._server = server

    def session(self, **fault: Any) -> str:
        spec = SessionSpec(faults=(Fault.model_validate({"method": LIST, **fault}),))
        return self._runner.run(self._server.open(spec)).base_url

    def close(self, base_url: str) -> FaultReport:
        report = self._runner.run(self._server.close_session(base_url.rpartition("/")[2]))
        return report.faults[0]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    suite = write_suite(tmp_path_factory.mktemp("damage") / "suite")
    with asyncio.Runner() as runner:
        started = runner.run(MockServer.start(Path(suite)))
        yield Server(runner, started)
        runner.run(started.close())


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False, headers=PLAIN) as client:
        yield client


def test_a_reset_connection_gives_no_answer_and_the_next_call_one(
    server: Server, client: httpx.Client
) -> None:
    base = server.session(kind="reset", times=1)
    with pytest.raises(httpx.ReadError):
        client.get(base + UNITS)
    assert client.get(base + UNITS).status_code == 200
    assert server.close(base).met == 1


def test_a_connection_may_be_reset_in_the_middle_of_the_answer(
    server: Server, client: httpx.Client
) -> None:
    base = server.session(kind="reset", after_bytes=10, times=1)
    with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
        client.get(base + UNITS)
    assert client.get(base + UNITS).status_code == 200


def test_a_truncated_answer_ends_before_its_length(server: Server, client: httpx.Client) -> None:
    base = server.session(kind="truncate", after_bytes=20, times=1)
    with client.stream("GET", base + UNITS) as answer:
        assert answer.status_code == 200
        with pytest.raises(httpx.RemoteProtocolError, match="received 20 bytes"):
            answer.read()
    assert len(client.get(base + UNITS).json()["organizationUnits"]) == 1


def test_a_malformed_answer_is_complete_and_no_json(server: Server, client: httpx.Client) -> None:
    answer = client.get(server.session(kind="malformed") + UNITS)
    assert answer.status_code == 200
    with pytest.raises(orjson.JSONDecodeError):
        orjson.loads(answer.content)


def test_the_head_comes_at_once_and_the_first_byte_late(
    server: Server, client: httpx.Client
) -> None:
    """The client waits less long than the first byte takes, and has the head."""
    held = server.session(kind="slow_first_byte", latency_ms=600_000)
    with client.stream("GET", held + UNITS) as answer:
        assert answer.status_code == 200
    answer = client.get(server.session(kind="slow_first_byte", latency_ms=300) + UNITS)
    assert answer.elapsed.total_seconds() >= 0.3
    assert answer.json()["organizationUnits"]


def test_a_dribbled_answer_comes_whole_and_in_pieces(server: Server, client: httpx.Client) -> None:
    base = server.session(kind="dribble", latency_ms=20, chunk_bytes=100)
    with client.stream("GET", base + UNITS) as answer:
        pieces = list(answer.iter_raw())
    assert len(pieces) >= 3
    assert orjson.loads(b"".join(pieces))["organizationUnits"]


def test_an_empty_body_is_cut_and_broken_too(server: Server, client: httpx.Client) -> None:
    assert malformed(b"") == b"{"
    base = server.session(kind="truncate", method="directory.orgunits.delete")
    with pytest.raises(httpx.HTTPError):
        client.delete(f"{base}{UNITS}/Eng/Sub Team")
