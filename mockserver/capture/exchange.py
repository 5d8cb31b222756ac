"""The proxy as an ASGI application: asks the upstream, passes its answer on, has it recorded."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import replace
from datetime import datetime
from time import perf_counter
from typing import Any

import orjson

from mockserver.asgi.requests import CONNECTION, MAX_BODY_BYTES
from mockserver.capture.delivery import Delivery, Message, Send
from mockserver.capture.keeping import LARGEST_BODY, Keeping
from mockserver.capture.largebodies import with_kept
from mockserver.capture.playing import play
from mockserver.capture.recorder_queue import RecorderQueue
from mockserver.capture.upstream import Answer, NoAnswerError, Upstream
from mockserver.capture.ways import Scope, Way
from mockserver.messages import header_values, without
from mockserver.model import LARGEST_TEXT, Ended, Interaction, RecordedRequest, RecordedResponse

Receive = Callable[[], Awaitable[Message]]
Clock = Callable[[], datetime]


_MISS = 424
"""The status of a request that no recording answers, as everywhere."""


class _NotPlayedError(NoAnswerError):
    """No recording answers, and nothing live may be asked."""


class Proxy:
    """Answers with what the upstream answers.

    Args:
        way: Where requests lead.
        upstream: The way to live APIs.
        queue: Records what was seen, and plays what its cassette has.
        clock: Real time.
        largest_body: Bytes of a body; a larger one is passed on, and not recorded.
    """

    def __init__(
        self,
        way: Way,
        upstream: Upstream,
        queue: RecorderQueue,
        *,
        clock: Clock,
        largest_body: int = LARGEST_BODY,
    ) -> None:
        self._way = way
        self._upstream = upstream
        self._queue = queue
        self._clock = clock
        self._largest_body = largest_body
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
            missed = isinstance(error, _NotPlayedError)
            tell = self._queue.tell_refused if missed else self._queue.tell_unrecorded
            await tell(scope["method"], self._way.url(scope), error.reason)
            await _refuse(send, error)
        except Exception as error:  # noqa: BLE001  (its text may quote the request)
            why = f"it was not passed on ({type(error).__name__})"
            await self._queue.tell_unrecorded(scope["method"], self._way.url(scope), why)
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
        first, more = await _beginning(receive, whole=self._queue.plays)
        request = self._way.request(scope, b"" if more else first)
        sending: _Sending | None = None
        if more:
            request = _as_long(request, scope)
            kept = Keeping(self._queue, request.headers, "request body", self._largest_body)
            sending = _Sending(receive, first, kept)
        at = self._clock().isoformat(timespec="milliseconds")
        began = perf_counter()
        if await self._played(request, scope, send):
            return
        try:
            answer = await self._upstream.ask(request, sending)
        except BaseException:
            if sending is not None:
                sending.keeping.drop()
            raise
        try:
            head = (answer.status, answer.headers)
            delivery = Delivery(send, head, request.method, self._way.rewriting)
            keeping = Keeping(self._queue, answer.headers, "response body", self._largest_body)
            leaving = None if sending is not None and not sending.whole else receive
            ended = await _received(answer, keeping, delivery, leaving)
            took_ms = round((perf_counter() - began) * 1000, 3)
            response = RecordedResponse(answer.status, answer.reason, answer.headers, ended=ended)
            interaction = Interaction(request, response, at, took_ms)
            sent = None if sending is None else sending.keeping
            await _for_sure(self._record(interaction, keeping, sent, self._way.url(scope)))
            await self._name_trailers(scope, answer)
            await delivery.finish(ended)
        finally:
            await answer.close()
        _break_off(scope, ended)

    async def _record(
        self, interaction: Interaction, keeping: Keeping, sent: Keeping | None, url: str
    ) -> None:
        """Record an interaction with the body of its answer, and of its request if that came."""
        request, response = interaction.request, interaction.response
        reasons = [f"its answer: {why}"] if (why := await keeping.end()) else []
        if sent is not None and (why := await sent.end()):
            reasons.append(f"its request: {why}")
        if reasons:
            await self._queue.tell_unrecorded(request.method, url, "; ".join(reasons))
            return
        if sent is not None:
            if sent.kept is None:
                interaction = replace(interaction, request=replace(request, body=sent.body()))
            else:
                interaction = with_kept(interaction, request, sent.kept)
        if keeping.kept is None:
            response = replace(response, body=keeping.body(), chunks=keeping.chunks())
            interaction = replace(interaction, response=response)
        else:
            interaction = with_kept(interaction, response, keeping.kept)
        await self._queue.record(interaction)

    async def _name_trailers(self, scope: Scope, answer: Answer) -> None:
        """Say which trailers there were: no client of ours gets them, and no cassette has them."""
        asked = [value.decode("latin-1") for name, value in scope["headers"] if name == b"trailer"]
        named = ", ".join([*asked, *header_values(answer.headers, "trailer")])
        if named:
            why = f"passed on and recorded without its trailers ({named})"
            await self._queue.tell_partly(scope["method"], self._way.url(scope), why)

    async def _played(self, request: RecordedRequest, scope: Scope, send: Send) -> bool:
        """Whether the cassette answered.

        Raises:
            _NotPlayedError: It did not, and the live API may not be asked.
        """
        if not self._queue.plays:
            return False
        found = await self._queue.find(request)
        if isinstance(found, Interaction):
            self._queue.played += 1
            await play(send, found.response, request.method, self._way.rewriting)
            _break_off(scope, found.response.ended)
            return True
        if self._queue.records:
            return False
        raise _NotPlayedError(_MISS, f"no recording answers, and nothing live is asked: {found}")


async def _for_sure(work: Coroutine[object, object, None]) -> None:
    """Do something to its end, even when the client has left or the proxy is being stopped."""
    task = asyncio.ensure_future(work)
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(task)
    task.result()


async def _received(
    answer: Answer, keeping: Keeping, delivery: Delivery, receive: Receive | None
) -> Ended:
    """Pass the body on as it comes, until it ends, the client leaves, or the proxy is stopped."""
    began = perf_counter()
    left: Ended | None = None
    with contextlib.nullcontext() if receive is None else _Leaving(receive):
        try:
            await delivery.begin()
            async for piece in answer.pieces():
                at_ms = (perf_counter() - began) * 1000
                await delivery.piece(piece)
                await keeping.add(piece, at_ms)
        except asyncio.CancelledError:
            left = "timeout"  # nobody waits for the rest; what came of it is a fact
    return left or answer.ended


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


async def _beginning(receive: Receive, *, whole: bool) -> tuple[bytes, bool]:
    """The body of a request, or the beginning of one that is large.

    Args:
        receive: Where it comes from.
        whole: Whether all of it is wanted, however large.

    Returns:
        What has come, and whether more comes.

    Raises:
        NoAnswerError: It is too large to be held against recordings, or the client left.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise NoAnswerError(400, "the client left before its request was whole")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if whole and size > MAX_BODY_BYTES:
            raise NoAnswerError(
                413, f"a request of more than {MAX_BODY_BYTES} bytes, to be held against recordings"
            )
        more = message.get("more_body", False)
        if not more or (size > LARGEST_TEXT and not whole):
            return b"".join(parts), more


def _as_long(request: RecordedRequest, scope: Scope) -> RecordedRequest:
    """A request whose body comes later, with the length that it was told to have."""
    told = [
        value.decode("latin-1") for name, value in scope["headers"] if name == b"content-length"
    ]
    headers = without(request.headers, ["content-length"])
    if told:
        headers = (*headers, ("content-length", told[0]))
    return replace(request, headers=headers)


class _Sending:
    """The body of a large request on its way to the upstream, as it comes.

    Args:
        receive: Where the rest comes from.
        first: What has come already.
        keeping: Keeps it.

    Attributes:
        keeping: What keeps it.
        whole: Whether all of it has come.
    """

    def __init__(self, receive: Receive, first: bytes, keeping: Keeping) -> None:
        self.keeping = keeping
        self.whole = False
        self._receive = receive
        self._first = first

    async def __aiter__(self) -> AsyncIterator[bytes]:
        piece, self._first = self._first, b""
        while True:
            yield piece
            await self.keeping.add(piece, 0.0)
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise NoAnswerError(400, "the client left before its request was whole")
            piece = message.get("body", b"")
            if not message.get("more_body", False):
                break
        self.whole = True
        yield piece
        await self.keeping.add(piece, 0.0)


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
