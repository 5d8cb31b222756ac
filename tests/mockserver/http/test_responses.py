"""Answers on their way out."""

import asyncio
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from mockserver.asgi.requests import Request
from mockserver.client import MockServer
from mockserver.http.responses import send_response
from mockserver.model import Fault, FaultReport, Miss, SessionSpec
from mockserver.sources.response import Response, break_json, diagnostic_headers, header_pairs
from tests.mockserver.conftest import UNITS, write_suite

BODY = b'{"a": "' + b"x" * 2000 + b'"}'


async def sent(body: bytes, *, status: int = 200, verb: str = "GET", accept: str = "") -> list[Any]:
    response = Response()
    response.status, response.body = status, body
    scope: dict[str, Any] = {
        "method": verb, "raw_path": b"/", "query_string": b"",
        "headers": [(b"accept-encoding", accept.encode())],
    }  # fmt: skip
    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    async def receive() -> Any:
        raise AssertionError("nothing more is read")

    await send_response(response, Request(scope), scope, receive, send)
    return [messages[0]["status"], dict(messages[0]["headers"]), messages[1]["body"]]


async def test_an_answer_carries_the_headers_that_google_sends() -> None:
    status, headers, body = await sent(b"{}")

    assert (status, body) == (200, b"{}")
    assert headers[b"content-type"] == b"application/json; charset=UTF-8"
    assert headers[b"server"] == b"ESF"
    assert headers[b"x-frame-options"] == b"SAMEORIGIN"
    assert headers[b"content-length"] == b"2"
    assert headers[b"x-mock-source"] == b"state"


@pytest.mark.parametrize("again", [False, True], ids=["first", "again"])
async def test_a_long_body_is_compressed_for_who_takes_it(*, again: bool) -> None:
    if again:
        await sent(BODY, accept="gzip")
    _, headers, body = await sent(BODY, accept="gzip, deflate")

    assert headers[b"content-encoding"] == b"gzip"
    assert zlib.decompress(body, 31) == BODY
    assert headers[b"content-length"] == str(len(body)).encode()


async def test_a_very_long_body_is_compressed_too() -> None:
    _, _, body = await sent(BODY * 100, accept="gzip")
    assert zlib.decompress(body, 31) == BODY * 100


@pytest.mark.parametrize(
    ("body", "accept"), [(b"{}", "gzip"), (BODY, "br")], ids=["short", "not taken"]
)
async def test_other_bodies_are_sent_as_they_are(body: bytes, accept: str) -> None:
    _, headers, found = await sent(body, accept=accept)
    assert found == body
    assert b"content-encoding" not in headers


async def test_head_gets_the_length_and_no_body() -> None:
    _, headers, body = await sent(BODY, verb="HEAD")
    assert (headers[b"content-length"], body) == (str(len(BODY)).encode(), b"")


@pytest.mark.parametrize("status", [204, 304])
async def test_a_status_without_body_says_nothing_of_length_or_type(status: int) -> None:
    _, headers, _ = await sent(b"", status=status)
    assert not {b"content-length", b"content-type"} & headers.keys()


def response(*, ignored: tuple[str, ...] = (), miss: Miss | None = None) -> Response:
    found = Response()
    found.ignored, found.miss = ignored, miss
    return found


def test_header_values_stay_on_one_line() -> None:
    assert header_pairs({"X-Why": "a\r\nb: c"}) == ((b"x-why", b"a b: c"),)
    assert diagnostic_headers(response(ignored=("a", "b"))) == ((b"x-mock-ignored", b"a, b"),)
    assert diagnostic_headers(response()) == ()


def test_a_miss_says_whose_fault_it_is_and_what_is_near() -> None:
    miss = Miss(blame="fixture_gap", reason="-", nearest="/Eng\u00fc\u65e5")
    told = ((b"x-mock-miss", b"fixture_gap; nearest=/Eng\xfc\\u65e5"),)
    assert diagnostic_headers(response(miss=miss)) == told
    plain = response(miss=Miss(blame="not_emulated", reason="-"))
    assert diagnostic_headers(plain)[0][1] == b"not_emulated"


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


@pytest.mark.slow
def test_an_empty_body_is_cut_and_broken_too(server: Server, client: httpx.Client) -> None:
    assert break_json(b"") == b"{"
    base = server.session(kind="truncate", method="directory.orgunits.delete")
    with pytest.raises(httpx.HTTPError):
        client.delete(f"{base}{UNITS}/Eng/Sub Team")
