"""Unchanged clients of every library, led to a session in this process."""

import asyncio
import http.client
import io
import json
import os
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import Any, NamedTuple

import aiohttp
import httplib2
import httpx
import httpx2
import pytest
import requests
import urllib3

from mockserver.testing.mocks import Mock, MockOptions, mock
from tests.patience import PATIENCE_S


class Answer(NamedTuple):
    """What a client got."""

    status: int
    content: bytes


Ask = Callable[..., Answer]
"""`ask(url, timeout=, body=)`."""


class Client(NamedTuple):
    """A client library.

    Attributes:
        make: Makes a client that keeps connections; the stack closes it.
        unreachable: Its error for a host that cannot be reached.
        late: Its error for an answer that takes too long.
        broken: Its error for an answer that breaks off.
    """

    make: Callable[[ExitStack], Ask]
    unreachable: type[Exception] | tuple[type[Exception], ...]
    late: type[Exception] | tuple[type[Exception], ...]
    broken: type[Exception] | tuple[type[Exception], ...]


def _requests(stack: ExitStack) -> Ask:
    session = stack.enter_context(requests.Session())

    def ask(url: str, timeout: float = PATIENCE_S, body: bytes | None = None) -> Answer:
        verb = "GET" if body is None else "POST"
        found = session.request(verb, url, data=body, timeout=timeout)
        return Answer(found.status_code, found.content)

    return ask


def _urllib3(stack: ExitStack) -> Ask:
    pool = urllib3.PoolManager(retries=urllib3.Retry(None, connect=0, read=0, redirect=3))
    stack.callback(pool.clear)

    def ask(url: str, timeout: float = PATIENCE_S, body: bytes | None = None) -> Answer:
        verb = "GET" if body is None else "POST"
        headers = {"accept-encoding": "gzip"}
        found = pool.request(verb, url, body=body, timeout=timeout, headers=headers)
        return Answer(found.status, found.data)

    return ask


def _httplib2(stack: ExitStack) -> Ask:
    made: dict[float, Any] = {}

    def ask(url: str, timeout: float = PATIENCE_S, body: bytes | None = None) -> Answer:
        if timeout not in made:
            made[timeout] = httplib2.Http(timeout=timeout)
            stack.callback(made[timeout].close)
        verb = "GET" if body is None else "POST"
        found, content = made[timeout].request(url, verb, body=body)
        return Answer(found.status, content)

    return ask


def _urllib(_: ExitStack) -> Ask:
    def ask(url: str, timeout: float = PATIENCE_S, body: bytes | None = None) -> Answer:
        with urllib.request.urlopen(url, body, timeout) as found:
            return Answer(found.status, found.read())

    return ask


def _httpx(library: Any) -> Callable[[ExitStack], Ask]:
    def make(stack: ExitStack) -> Ask:
        client = stack.enter_context(library.Client(follow_redirects=True))

        def ask(url: str, timeout: float = PATIENCE_S, body: bytes | None = None) -> Answer:
            verb = "GET" if body is None else "POST"
            found = client.request(verb, url, timeout=timeout, content=body)
            return Answer(found.status_code, found.content)

        return ask

    return make


def _async_httpx(library: Any) -> Callable[[ExitStack], Ask]:
    def make(stack: ExitStack) -> Ask:
        runner = stack.enter_context(asyncio.Runner())
        client = library.AsyncClient(follow_redirects=True)
        stack.callback(lambda: runner.run(client.aclose()))

        def ask(url: str, timeout: float = PATIENCE_S, body: bytes | None = None) -> Answer:
            verb = "GET" if body is None else "POST"
            found = runner.run(client.request(verb, url, timeout=timeout, content=body))
            return Answer(found.status_code, found.content)

        return ask

    return make


def _aiohttp(stack: ExitStack) -> Ask:
    runner = stack.enter_context(asyncio.Runner())

    async def make() -> aiohttp.ClientSession:
        return aiohttp.ClientSession()

    session = runner.run(make())
    stack.callback(lambda: runner.run(session.close()))

    async def asked(url: str, total_s: float, body: bytes | None) -> Answer:
        verb, limits = "GET" if body is None else "POST", aiohttp.ClientTimeout(total_s)
        sent = None if body is None else io.BytesIO(body)
        async with session.request(verb, url, data=sent, timeout=limits) as found:
            return Answer(found.status, await found.read())

    def ask(url: str, timeout: float = PATIENCE_S, body: bytes | None = None) -> Answer:
        return runner.run(asked(url, timeout, body))

    return ask


CLIENTS = {
    "requests": Client(
        _requests, requests.ConnectionError, requests.Timeout, requests.RequestException
    ),
    "urllib3": Client(
        _urllib3,
        urllib3.exceptions.MaxRetryError,
        urllib3.exceptions.MaxRetryError,
        urllib3.exceptions.HTTPError,
    ),
    "httplib2": Client(
        _httplib2, httplib2.ServerNotFoundError, TimeoutError, (OSError, http.client.HTTPException)
    ),
    "urllib": Client(
        _urllib, urllib.error.URLError, TimeoutError, (OSError, http.client.HTTPException)
    ),
    "httpx": Client(_httpx(httpx), httpx.ConnectError, httpx.ReadTimeout, httpx.TransportError),
    "httpx async": Client(
        _async_httpx(httpx), httpx.ConnectError, httpx.ReadTimeout, httpx.TransportError
    ),
    "httpx2": Client(
        _httpx(httpx2), httpx2.ConnectError, httpx2.ReadTimeout, httpx2.TransportError
    ),
    "httpx2 async": Client(
        _async_httpx(httpx2), httpx2.ConnectError, httpx2.ReadTimeout, httpx2.TransportError
    ),
    "aiohttp": Client(
        _aiohttp,
        aiohttp.ClientConnectorError,
        TimeoutError,
        (aiohttp.ClientError, OSError),
    ),
}
"""Every client that is led, by name."""


def asking(name: str, stack: AbstractContextManager[Any]) -> Ask:
    """A client of a library."""
    assert isinstance(stack, ExitStack)
    return CLIENTS[name].make(stack)


HOST = "shop.example.com"
SHOP = f"https://{HOST}"
LARGE = "x" * 1_500_000
WORLD: dict[str, Any] = {
    "http": [
        {"id": "orders.list", "url": f"{HOST}/orders", "body": {"orders": ["B1"]}},
        {"url": f"{HOST}/old", "status": 302, "headers": {"Location": f"{SHOP}/orders"}},
        {"url": f"{HOST}/large", "body": {"text": LARGE}},
        {"url": f"{HOST}/late", "body": {}, "delay_ms": 60_000},
        {"method": "POST", "url": f"{HOST}/upload", "status": 201, "body": {"stored": True}},
    ]
}

SHORT_S = 0.05
"""Much less than an answer takes that does not come."""


def shop(**options: Any) -> Mock:
    given: MockOptions = {"overrides": [WORLD], **options}  # type: ignore[typeddict-item]
    return mock(None, **given)


@pytest.fixture(params=sorted(CLIENTS))
def client(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_a_client_is_answered_and_journalled(client: str, scheme: str, stack: ExitStack) -> None:
    ask = asking(client, stack)
    with shop() as world:
        assert json.loads(ask(f"{scheme}://{HOST}/orders").content) == {"orders": ["B1"]}
    assert [(one.host, one.path, one.status) for one in world.requests] == [(HOST, "/orders", 200)]


def test_a_client_follows_redirects_by_itself(client: str, stack: ExitStack) -> None:
    ask = asking(client, stack)
    with shop() as world:
        assert ask(f"{SHOP}/old").content == b'{"orders":["B1"]}'
    assert [one.path for one in world.requests] == ["/old", "/orders"]


def test_large_bodies_pass_both_ways(client: str, stack: ExitStack) -> None:
    ask = asking(client, stack)
    with shop() as world:
        assert json.loads(ask(f"{SHOP}/large").content) == {"text": LARGE}
        assert ask(f"{SHOP}/upload", body=json.dumps({"a": LARGE}).encode()).status == 201
    assert len(world.requests) == 2


def test_a_late_answer_is_the_clients_own_timeout(client: str, stack: ExitStack) -> None:
    ask = asking(client, stack)
    with shop(), pytest.raises(CLIENTS[client].late):
        ask(f"{SHOP}/late", timeout=SHORT_S)


@pytest.mark.parametrize("kind", ["reset", "truncate"])
def test_a_broken_answer_is_the_clients_own_error(client: str, kind: str, stack: ExitStack) -> None:
    ask = asking(client, stack)
    fault = {"method": "orders.*", "kind": kind, "after_bytes": 5}
    with shop(faults=[fault]) as world, pytest.raises(CLIENTS[client].broken):
        ask(f"{SHOP}/orders")
    assert world.faults[0].met >= 1


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_a_host_that_nothing_serves_cannot_be_reached(
    client: str, scheme: str, stack: ExitStack
) -> None:
    ask = asking(client, stack)
    with shop() as world, pytest.raises(CLIENTS[client].unreachable) as raised:
        ask(f"{scheme}://api.unknown.example/x")
    for way in ("hosts: [api.unknown.example]", "`http` stub", "cassette", "tunnel="):
        assert way in str(raised.value)
    assert world.misses[0].host == "api.unknown.example"


def test_one_client_meets_each_session_that_is_open(client: str, stack: ExitStack) -> None:
    ask = asking(client, stack)
    with shop() as outer:
        ask(f"{SHOP}/orders")
        with shop() as inner:
            ask(f"{SHOP}/orders")
            ask(f"{SHOP}/orders")
        ask(f"{SHOP}/orders")
    with shop() as later:
        ask(f"{SHOP}/orders")
    assert [len(world.requests) for world in (outer, inner, later)] == [2, 2, 1]


def test_a_client_is_left_alone_afterwards(client: str, stack: ExitStack) -> None:
    ask = asking(client, stack)
    with shop() as world:
        ask(f"{SHOP}/orders")
    with pytest.raises(Exception) as raised:  # noqa: PT011  (no network, or no such host)
        ask("https://nobody.invalid/orders", timeout=PATIENCE_S)
    assert "not served here" not in str(raised.value)
    assert len(world.requests) == 1


def test_a_client_reaches_what_listens_on_this_machine(
    client: str, stack: ExitStack, local_server: str
) -> None:
    ask = asking(client, stack)
    with shop() as world:
        assert ask(local_server).content == b"local"
        assert ask(f"{SHOP}/orders").status == 200
        assert ask(local_server).content == b"local"
    assert len(world.requests) == 1


def test_proxies_of_the_environment_are_passed_by(
    client: str, stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://proxy.invalid:3128")
    ask = asking(client, stack)
    with shop() as world:
        assert ask(f"{SHOP}/orders").status == 200
        assert ask(f"http://{HOST}/orders").status == 200
    assert len(world.requests) == 2


def patched() -> list[Any]:
    """What is patched, as it is now."""
    return [
        http.client.HTTPConnection.putrequest,
        http.client.HTTPConnection.connect,
        http.client.HTTPSConnection.connect,
        urllib3.connection.HTTPConnection.connect,
        urllib3.connection.HTTPSConnection.connect,
        httplib2.HTTPSConnectionWithTimeout.connect,
        httpx.HTTPTransport.handle_request,
        httpx.AsyncHTTPTransport.handle_async_request,
        aiohttp.TCPConnector.connect,
        aiohttp.TCPConnector._create_connection,
    ]


def _fail_after_a_request(before: list[Any]) -> None:
    requests.get(f"{SHOP}/orders", timeout=PATIENCE_S)
    assert all(now is not then for now, then in zip(patched(), before, strict=True))
    _ = 1 / 0


def test_everything_is_as_it_was_also_after_an_error() -> None:
    before = patched()
    with pytest.raises(ZeroDivisionError) as raised, shop(), shop():
        _fail_after_a_request(before)
    assert patched() == before
    assert "connect" not in vars(aiohttp.TCPConnector)
    assert any("1. GET shop.example.com/orders -> 200" in note for note in raised.value.__notes__)


def test_threads_meet_their_own_sessions_and_others_the_last_one() -> None:
    both, counts = threading.Barrier(2), {}

    def work(name: str, times: int) -> None:
        with shop() as world:
            both.wait()
            for _ in range(times):
                requests.get(f"{SHOP}/orders", timeout=PATIENCE_S)
            both.wait()
            counts[name] = len(world.requests)

    workers = [threading.Thread(target=work, args=each) for each in (("a", 3), ("b", 5))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert counts == {"a": 3, "b": 5}

    with shop() as world:
        stranger = threading.Thread(target=requests.get, args=(f"{SHOP}/orders",))
        stranger.start()
        stranger.join()
    assert len(world.requests) == 1


def test_variables_are_as_before_whichever_session_ends_first() -> None:
    before = dict(os.environ)
    first, second = shop(), shop()
    first.__enter__()
    inner = second.__enter__()
    first.__exit__(None, None, None)
    assert os.environ["MOCK_SESSION"] == inner.id
    second.__exit__(None, None, None)
    assert dict(os.environ) == before


@pytest.mark.slow
def test_a_stream_comes_in_the_pieces_that_it_is_sent_in() -> None:
    fault = {"method": "orders.*", "kind": "dribble", "chunk_bytes": 4, "latency_ms": 100}
    with shop(faults=[fault]), httpx.stream("GET", f"{SHOP}/orders") as answer:
        pieces = list(answer.iter_raw())
    assert b"".join(pieces) == b'{"orders":["B1"]}'
    assert len(pieces) > 1


@pytest.mark.slow
def test_a_compressed_answer_is_unpacked() -> None:
    with shop():
        answer = httpx.get(f"{SHOP}/large")
    assert answer.headers["content-encoding"] == "gzip"
    assert len(answer.json()["text"]) == len(LARGE)
