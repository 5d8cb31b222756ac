"""Real HTTP clients, each asked in one way: a GET that follows redirects, or a POST."""

import asyncio
import http.client
import io
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Any, NamedTuple

import aiohttp
import httplib2
import httpx
import httpx2
import requests
import urllib3

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
