"""The proxy as an ASGI application: asks the upstream, passes its answer on, has it recorded."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime
from time import perf_counter
from typing import Any

import orjson

from mockserver.capture.delivery import Delivery, Message, Send
from mockserver.capture.playing import play
from mockserver.capture.streams import Pieces
from mockserver.capture.taking import Report, Taking
from mockserver.capture.upstream import Answer, NoAnswerError, Upstream
from mockserver.capture.ways import Scope, Way
from mockserver.messages import decoded, split_url
from mockserver.model import Ended, Interaction, RecordedRequest, RecordedResponse
from mockserver.server.requests import CONNECTION, MAX_BODY_BYTES

Receive = Callable[[], Awaitable[Message]]
Clock = Callable[[], datetime]


class Proxy:
    """Answers with what the upstream answers.

    Args:
        way: Where requests lead.
        upstream: The way to live APIs.
        taking: Records what was seen, and plays what its cassette has.
        clock: Real time.
        report: Told of requests without an answer.
    """

    def __init__(
        self, way: Way, upstream: Upstream, taking: Taking, *, clock: Clock, report: Report
    ) -> None:
        self._way = way
        self._upstream = upstream
        self._taking = taking
        self._clock = clock
        self._report = report
        self._under_way: set[asyncio.Task[Any]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        task = asyncio.current_task()
        if scope["type"] != "http" or task is None:
            return
        self._under_way.add(task)
        try:
            await self._answer(scope, receive, send)
        except NoAnswerError as error:
            self._taking.unanswered += 1
            self._report(f"{scope['method']} {self._way.upstream or _host(scope)}: {error.reason}")
            await _refuse(send, error)
        except Exception as error:  # noqa: BLE001  (its text may quote the request)
            self._taking.unanswered += 1
            self._report(f"a request was not passed on: {type(error).__name__}")
            _break_off(scope, "reset")
        finally:
            self._under_way.discard(task)

    async def drain(self) -> None:
        """Wait until what was under way is recorded; streams that go on are ended."""
        tasks = [task for task in self._under_way if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = self._way.request(scope, await _body(receive))
        at = self._clock().isoformat(timespec="milliseconds")
        began = perf_counter()
        if await self._played(request, scope, send):
            return
        answer = await self._upstream.ask(request)
        try:
            head = (answer.status, answer.headers)
            delivery = Delivery(send, head, request.method, self._way.rewriting)
            response = await _received(answer, delivery, receive)
            took_ms = round((perf_counter() - began) * 1000, 3)
            await _for_sure(self._taking.take(Interaction(request, response, at, took_ms)))
            await delivery.finish(response.ended)
        finally:
            await answer.close()
        _break_off(scope, response.ended)

    async def _played(self, request: RecordedRequest, scope: Scope, send: Send) -> bool:
        """Whether the cassette answered.

        Raises:
            NoAnswerError: It did not, and the live API may not be asked.
        """
        if not self._taking.plays:
            return False
        found = await self._taking.find(request)
        if isinstance(found, Interaction):
            self._taking.played += 1
            await play(send, found.response, request.method, self._way.rewriting)
            _break_off(scope, found.response.ended)
            return True
        if self._taking.records:
            return False
        self._taking.refused += 1
        raise NoAnswerError(404, f"no recording answers, and nothing live is asked: {found}")


async def _for_sure(work: Coroutine[object, object, None]) -> None:
    """Do something to its end, even when the client has left or the proxy is being stopped."""
    task = asyncio.ensure_future(work)
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(task)
    task.result()


async def _received(answer: Answer, delivery: Delivery, receive: Receive) -> RecordedResponse:
    """Pass the body on as it comes, until it ends, the client leaves, or the proxy is stopped."""
    began = perf_counter()
    pieces = Pieces()
    left: Ended | None = None
    with _Leaving(receive):
        try:
            await delivery.begin()
            async for piece in answer.pieces():
                pieces.add(piece, (perf_counter() - began) * 1000)
                await delivery.piece(piece)
        except asyncio.CancelledError:
            left = "timeout"  # nobody waits for the rest; what came of it is a fact
    return _response(answer, pieces, left or answer.ended)


class _Leaving:
    """Cancels the task that it is entered in once the client has left.

    Args:
        receive: Says so.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive

    def __enter__(self) -> None:
        self._own = asyncio.current_task()
        self._left = asyncio.ensure_future(self._receive())
        self._left.add_done_callback(self._cancel)

    def _cancel(self, _: "asyncio.Future[Message]") -> None:
        if self._own is not None:
            self._own.cancel()

    def __exit__(self, *_: object) -> None:
        self._left.remove_done_callback(self._cancel)
        self._left.cancel()


def _response(answer: Answer, pieces: Pieces, ended: Ended) -> RecordedResponse:
    body = pieces.body()
    opened = decoded(answer.headers, body)[1] if body else body
    chunks = pieces.chunks(answer.headers, opened)
    return RecordedResponse(answer.status, answer.reason, answer.headers, body, "", chunks, ended)


async def _body(receive: Receive) -> bytes:
    """The whole body of a request.

    Raises:
        NoAnswerError: It is too large to be recorded, or the client left.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise NoAnswerError(400, "the client left before its request was whole")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY_BYTES:
            raise NoAnswerError(413, f"a request of more than {MAX_BODY_BYTES} bytes")
        if not message.get("more_body", False):
            return b"".join(parts)


async def _refuse(send: Send, error: NoAnswerError) -> None:
    body = orjson.dumps({"error": {"code": error.status, "message": error.reason}}) + b"\n"
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        (b"x-mock-source", b"none"),
    ]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _break_off(scope: Scope, ended: Ended) -> None:
    """End the client's connection as the upstream ended its own."""
    connection = scope.get("state", {}).get(CONNECTION)
    if connection is None or ended == "complete":
        return
    if ended == "reset":
        connection.reset()
    else:
        connection.cut()


def _host(scope: Scope) -> str:
    named = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
    return split_url(f"//{named}").joined().strip("/")
