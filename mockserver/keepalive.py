"""HTTP/1.1 to one server over kept-alive connections: what a client of many small requests needs.

A harness opens and closes a session for each trial; the general transport of httpx costs it more
than the trial itself.
"""

import asyncio
from collections import deque
from typing import cast

import httptools
import httpx
from typing_extensions import override

_CONNECT_S = 5.0
_LATE_S = 0.5
"""A time limit that is told so much later ran out while this process did something else."""
_CONNECT_TRIES = 3
_ANSWER_S = 30.0


class KeepAlive(httpx.AsyncBaseTransport):
    """A transport for one server without TLS; a connection carries one request at a time.

    A request without a read timeout waits for its answer as long as the connection stands.
    """

    def __init__(self) -> None:
        self._idle: deque[_Connection] = deque()
        self._all: set[_Connection] = set()

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = await request.aread()
        lines = [b"%s %s HTTP/1.1" % (request.method.encode(), request.url.raw_path)]
        lines += [b"%s: %s" % pair for pair in request.headers.raw]
        data = b"\r\n".join(lines) + b"\r\n\r\n" + body
        patient = request.extensions.get("timeout", {}).get("read", _ANSWER_S) is None
        place = request.url.host, request.url.port or 80
        status, headers, content = await self.exchange(*place, data, patient=patient)
        return httpx.Response(status, headers=headers, content=content, request=request)

    async def exchange(
        self, host: str, port: int, data: bytes, *, patient: bool = False
    ) -> "Answer":
        """Send a whole request, head and body, and wait for its answer.

        Args:
            host: The server; all requests go to one.
            port: Its port.
            data: The request as it is sent.
            patient: Whether to wait as long as the connection stands.

        Returns:
            Status, headers and body of the answer.

        Raises:
            HTTPError: There is no answer.
        """
        while True:
            connection = await self._connection(host, port)
            try:
                return await self._answer(connection, data, patient=patient)
            except StaleError:
                continue  # the server had closed it while it was idle: nothing was heard there

    async def _answer(self, connection: "_Connection", data: bytes, *, patient: bool) -> "Answer":
        try:
            async with asyncio.timeout(None if patient else _ANSWER_S):
                return await connection.ask(data)
        except TimeoutError:
            raise httpx.ReadTimeout(f"no answer within {_ANSWER_S:g} s") from None
        except StaleError:
            raise
        except (OSError, httptools.HttpParserError) as error:
            raise httpx.ReadError(str(error)) from error
        finally:
            self._put_back(connection)

    @override
    async def aclose(self) -> None:
        for connection in list(self._all):
            connection.end()
        self._all.clear()
        self._idle.clear()

    async def _connection(self, host: str, port: int) -> "_Connection":
        while self._idle:
            connection = self._idle.pop()
            if connection.usable:
                return connection
            self._all.discard(connection)
        made = await _connect(host, port)
        self._all.add(made)
        return made

    def _put_back(self, connection: "_Connection") -> None:
        if connection.usable:
            self._idle.append(connection)
        else:
            connection.end()
            self._all.discard(connection)


async def _connect(host: str, port: int) -> "_Connection":
    """A new connection.

    Who blocks the event loop is not to be taken for a server that is slow: what ran out meanwhile
    is tried again.
    """
    loop = asyncio.get_running_loop()
    for _ in range(_CONNECT_TRIES):
        ends = loop.time() + _CONNECT_S
        try:
            async with asyncio.timeout_at(ends):
                _, made = await loop.create_connection(_Connection, host, port)
        except TimeoutError:
            if loop.time() - ends < _LATE_S:
                break
        except OSError as error:
            raise httpx.ConnectError(str(error)) from error
        else:
            return made
    raise httpx.ConnectTimeout(f"no connection within {_CONNECT_S:g} s")


class StaleError(ConnectionResetError):
    """A connection that carried requests before was closed with nothing of an answer sent."""


Answer = tuple[int, list[tuple[bytes, bytes]], bytes]
"""Status, headers and body."""


class _Connection(asyncio.Protocol):
    """One connection: a request, its answer, the next request.

    Attributes:
        usable: Whether it may carry another request.
    """

    def __init__(self) -> None:
        self.usable = False
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[Answer] | None = None
        self._used = self._heard = False
        self._begin()

    async def ask(self, data: bytes) -> Answer:
        """Send a request, wait for the whole answer.

        Raises:
            OSError: The connection is lost.
            HttpParserError: What came is no HTTP.
        """
        if self._transport is None:
            raise ConnectionResetError("the connection is lost")
        self.usable = False
        self._begin()
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(data)
        return await self._answer

    def end(self) -> None:
        """Close it."""
        self.usable = False
        if self._transport is not None:
            self._transport.close()

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # not asked for by its class: that of uvloop is another one
        self._transport, self.usable = cast(asyncio.Transport, transport), True

    @override
    def data_received(self, data: bytes) -> None:
        self._heard = True
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._fail(error)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._transport, self.usable = None, False
        reason = "the server closed the connection"
        stale = self._used and not self._heard
        self._fail(StaleError(reason) if stale else exc or ConnectionResetError(reason))

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header of the answer."""
        self._headers.append((name, value))

    def on_body(self, body: bytes) -> None:
        """A piece of its body."""
        self._body.append(body)

    def on_message_complete(self) -> None:
        """The answer is whole."""
        if self._answer is not None and not self._answer.done():
            self.usable = self._parser.should_keep_alive()
            status = self._parser.get_status_code()
            self._used = True
            self._answer.set_result((status, self._headers, b"".join(self._body)))

    def _begin(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._headers: list[tuple[bytes, bytes]] = []
        self._body: list[bytes] = []
        self._heard = False

    def _fail(self, error: Exception) -> None:
        self.usable = False
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error)
