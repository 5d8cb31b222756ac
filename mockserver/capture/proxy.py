"""The capturing proxy as an ASGI application.

It asks the upstream or plays the cassette, passes the answer on to its client - at once where it
can, whole where it must - and has it recorded.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, MutableMapping
from dataclasses import replace
from datetime import datetime
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

import orjson

from mockserver.asgi.requests import CONNECTION, MAX_BODY_BYTES
from mockserver.capture.bodies import with_body_file
from mockserver.capture.recorder_queue import LARGEST_BODY, IncomingBody, RecorderQueue, is_stream
from mockserver.capture.upstream import (
    Answer,
    NoAnswerError,
    Scope,
    StreamRewriter,
    Upstream,
    UpstreamRoute,
    UrlRewriter,
    end_to_end,
    may_hold_urls,
)
from mockserver.cassettes.files.body_files import BodyFileError, open_body, read_pieces
from mockserver.messages import (
    content_encoding,
    decode_body,
    encode_body,
    header,
    header_values,
    with_header,
    without,
)
from mockserver.messages.sdk_telemetry import is_telemetry
from mockserver.messages.stream_coding import coded_pieces
from mockserver.model import (
    LARGEST_TEXT,
    BodyFile,
    Header,
    Interaction,
    RecordedRequest,
    RecordedResponse,
    ResponseEnd,
)

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
Clock = Callable[[], datetime]


async def send_recording(
    send: Send, response: RecordedResponse, method: str, rewriting: UrlRewriter | None
) -> None:
    """Send a recorded response in its pieces, without their timing."""
    if response.file is not None:
        await _send_file(send, response, response.file, method, rewriting)
        return
    body, headers = _encode_body(response)
    delivery = Delivery(send, response.status, headers, method=method, rewriting=rewriting)
    await delivery.begin()
    for piece in _pieces(response, body):
        await delivery.piece(piece)
    await delivery.finish(response.ended)


async def _send_file(
    send: Send,
    response: RecordedResponse,
    file: BodyFile,
    method: str,
    rewriting: UrlRewriter | None,
) -> None:
    """Send a recorded response from the file of its body.

    Raises:
        NoAnswerError: That is not there, or has another content.
    """
    headers = without(response.headers, ["content-encoding"])
    if response.coding:
        headers = without(headers, ["content-length"])
        headers = (*headers, ("Content-Encoding", content_encoding(response.coding)))
    try:
        opened = await asyncio.to_thread(open_body, file)
    except BodyFileError as error:
        raise NoAnswerError(424, error.message) from error
    pieces = coded_pieces(read_pieces(opened), response.coding)
    delivery = Delivery(send, response.status, headers, method=method, rewriting=rewriting)
    await delivery.begin()
    while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
        await delivery.piece(piece)
    await delivery.finish(response.ended)


def _encode_body(response: RecordedResponse) -> tuple[bytes, tuple[Header, ...]]:
    """The body as it is on the wire, and headers that fit it."""
    body, headers = response.body, without(response.headers, ["content-encoding"])
    if response.coding:
        body = encode_body(body, response.coding)
        headers = (*headers, ("Content-Encoding", content_encoding(response.coding)))
        if header(headers, "content-length"):
            headers = with_header(headers, "Content-Length", str(len(body)))
    return body, headers


def _pieces(response: RecordedResponse, body: bytes) -> list[bytes]:
    if response.coding or not response.chunks:
        return [body] if body else []
    pieces, start = [], 0
    for chunk in response.chunks:
        pieces.append(body[start : start + chunk.size])
        start += chunk.size
    return [piece for piece in pieces if piece]


_WITHOUT_BODY = frozenset({204, 304})
LARGEST_HELD = 4 * 1024 * 1024
"""Bytes of a text that are held back until all its URLs are rewritten. Of a larger one they are
rewritten as it comes, where it is not coded."""


class Delivery:
    """One answer on its way to the client.

    What makes the answer whole is held back until `finish`, so that a client has never seen the
    end of what is not yet recorded.

    Args:
        send: The client.
        status: The HTTP status.
        headers: As they came.
        method: The request's method.
        rewriting: What becomes of absolute URLs; None leaves them.
    """

    def __init__(
        self,
        send: Send,
        status: int,
        headers: tuple[Header, ...],
        *,
        method: str,
        rewriting: UrlRewriter | None,
    ) -> None:
        self._send = send
        self._status = status
        self._raw = headers
        self._headers = end_to_end(headers)
        self._rewriting = rewriting
        if rewriting is not None:
            self._headers = rewriting.headers(self._headers)
        bodiless = method == "HEAD" or self._status in _WITHOUT_BODY
        length = header(headers, "content-length").strip()
        self._left = int(length) if length.isdigit() and not bodiless else None
        texts = rewriting is not None and not bodiless and may_hold_urls(headers)
        coded = header(headers, "content-encoding").lower() not in {"", "identity"}
        self._whole = texts and (self._left is not None or (coded and not is_stream(headers)))
        if self._whole and self._left is not None and self._left > LARGEST_HELD:
            # not held as a whole: its length is not known before it was sent
            self._whole = False
            if not coded:
                self._left = None
                self._headers = without(self._headers, ["content-length"])
        streams = rewriting if texts and not self._whole and not coded else None
        self._rewriter = StreamRewriter(streams) if streams is not None else None
        self._without_body = bodiless or self._left == 0
        self._held = bytearray()

    async def begin(self) -> None:
        """Send the head, where nothing of it depends on the body."""
        if not (self._whole or self._without_body):
            await self._head(self._headers)

    async def piece(self, content: bytes) -> None:
        """Send a piece."""
        if self._whole:
            self._held += content
            if len(self._held) > LARGEST_HELD:
                await self._release_held()
            return
        if self._left is not None:
            self._left -= len(content)
            if self._left <= 0:
                self._held += content
                return
        ready = content if self._rewriter is None else self._rewriter.feed(content)
        if ready:
            await self._body(ready)

    async def finish(self, ended: ResponseEnd) -> None:
        """Send what was held back, and the end where it came to its end."""
        if self._whole:
            await self._finish_whole(complete=ended == "complete")
        else:
            if self._without_body:
                await self._head(self._headers)
            self._held += b"" if self._rewriter is None else self._rewriter.end()
            await self._body(bytes(self._held), last=ended == "complete")

    async def _release_held(self) -> None:
        """Send what was held because its URLs were to be rewritten: it is too large for that."""
        self._whole = False
        held = bytes(self._held)
        self._held.clear()
        await self._head(self._headers)
        if self._left is not None:
            self._left -= len(held)
        await self._body(held)

    async def _finish_whole(self, *, complete: bool) -> None:
        body = bytes(self._held)
        headers = self._headers
        if complete:
            body = self._rewrite(body)
            if self._left is not None:
                headers = with_header(headers, "Content-Length", str(len(body)))
        await self._head(headers)
        await self._body(body, last=complete)

    def _rewrite(self, body: bytes) -> bytes:
        _, content, coding = decode_body(self._raw, body)
        changed = content if self._rewriting is None else self._rewriting.whole(content)
        return body if changed == content else encode_body(changed, coding)

    async def _head(self, headers: tuple[Header, ...]) -> None:
        sent = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await self._send({"type": "http.response.start", "status": self._status, "headers": sent})

    async def _body(self, content: bytes, *, last: bool = False) -> None:
        if content or last:
            await self._send({"type": "http.response.body", "body": content, "more_body": not last})


_MISS = 424
"""The status of a request that no recording answers, as everywhere."""


class _ReplayMissError(NoAnswerError):
    """No recording answers, and nothing live may be asked."""


class ProxyApplication:
    """Answers with what the upstream answers.

    Args:
        route: Where requests lead.
        upstream: The way to live APIs.
        queue: Records what was seen, and plays what its cassette has.
        clock: Real time.
        largest_body: Bytes of a body; a larger one is passed on, and not recorded.
    """

    def __init__(
        self,
        route: UpstreamRoute,
        upstream: Upstream,
        queue: RecorderQueue,
        *,
        clock: Clock,
        largest_body: int = LARGEST_BODY,
    ) -> None:
        self._route = route
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
            if not self._is_telemetry(scope):
                missed = isinstance(error, _ReplayMissError)
                tell = self._queue.report_refused if missed else self._queue.report_unrecorded
                await tell(scope["method"], self._route.url(scope), error.reason)
            await _refuse(send, error)
        except Exception as error:  # noqa: BLE001  (its text may quote the request)
            why = f"it was not passed on ({type(error).__name__})"
            await self._queue.report_unrecorded(scope["method"], self._route.url(scope), why)
            _end_connection(scope, "reset")
        finally:
            self._under_way.discard(task)

    async def drain(self) -> None:
        """Wait until what was under way is recorded; streams that go on are ended."""
        tasks = [task for task in self._under_way if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _is_telemetry(self, scope: Scope) -> bool:
        """Whether a request of a program is an SDK's telemetry, not one to an API that is named."""
        if self._route.upstream:
            return False
        url = urlsplit(self._route.url(scope))
        return is_telemetry(url.hostname or "", url.path)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_recorded = not self._is_telemetry(scope)
        if not is_recorded:
            self._queue.telemetry[urlsplit(self._route.url(scope)).hostname or ""] += 1
        first, more = await _read_beginning(receive, whole=self._queue.plays)
        request = self._route.request(scope, b"" if more else first)
        sending: _StreamedRequest | None = None
        if more:
            request = _with_declared_length(request, scope)
            kept = IncomingBody(self._queue, request.headers, "request body", self._largest_body)
            sending = _StreamedRequest(receive, first, kept)
        at = self._clock().isoformat(timespec="milliseconds")
        began = perf_counter()
        if await self._replay(request, scope, send):
            return
        try:
            answer = await self._upstream.ask(request, sending)
        except BaseException:
            if sending is not None:
                sending.keeping.drop()
            raise
        try:
            delivery = Delivery(
                send,
                answer.status,
                answer.headers,
                method=request.method,
                rewriting=self._route.rewriting,
            )
            keeping = IncomingBody(self._queue, answer.headers, "response body", self._largest_body)
            leaving = None if sending is not None and not sending.whole else receive
            ended = await _forward_body(answer, keeping, delivery, leaving)
            took_ms = round((perf_counter() - began) * 1000, 3)
            response = RecordedResponse(answer.status, answer.reason, answer.headers, ended=ended)
            interaction = Interaction(request, response, at, took_ms)
            sent = None if sending is None else sending.keeping
            if is_recorded:
                await _run_to_completion(
                    self._record(interaction, keeping, sent, self._route.url(scope))
                )
            else:
                for body in filter(None, (keeping, sent)):
                    body.drop()
            await self._name_trailers(scope, answer)
            await delivery.finish(ended)
        finally:
            await answer.close()
        _end_connection(scope, ended)

    async def _record(
        self,
        interaction: Interaction,
        keeping: IncomingBody,
        request_body: IncomingBody | None,
        url: str,
    ) -> None:
        """Record an interaction with the body of its answer, and of its request if that came."""
        request, response = interaction.request, interaction.response
        reasons = [f"its answer: {why}"] if (why := await keeping.end()) else []
        if request_body is not None and (why := await request_body.end()):
            reasons.append(f"its request: {why}")
        if reasons:
            await self._queue.report_unrecorded(request.method, url, "; ".join(reasons))
            return
        if request_body is not None:
            if request_body.kept is None:
                interaction = replace(
                    interaction, request=replace(request, body=request_body.body())
                )
            else:
                interaction = with_body_file(interaction, request, request_body.kept)
        if keeping.kept is None:
            response = replace(response, body=keeping.body(), chunks=keeping.chunks())
            interaction = replace(interaction, response=response)
        else:
            interaction = with_body_file(interaction, response, keeping.kept)
        await self._queue.record(interaction)

    async def _name_trailers(self, scope: Scope, answer: Answer) -> None:
        """Say which trailers there were: no client of ours gets them, and no cassette has them."""
        asked = [value.decode("latin-1") for name, value in scope["headers"] if name == b"trailer"]
        named = ", ".join([*asked, *header_values(answer.headers, "trailer")])
        if named:
            why = f"passed on and recorded without its trailers ({named})"
            await self._queue.report_partial(scope["method"], self._route.url(scope), why)

    async def _replay(self, request: RecordedRequest, scope: Scope, send: Send) -> bool:
        """Whether the cassette answered.

        Raises:
            _NotPlayedError: It did not, and the live API may not be asked.
        """
        if not self._queue.plays:
            return False
        found = await self._queue.find(request)
        if isinstance(found, Interaction):
            self._queue.played += 1
            await send_recording(send, found.response, request.method, self._route.rewriting)
            _end_connection(scope, found.response.ended)
            return True
        if self._queue.records:
            return False
        raise _ReplayMissError(_MISS, f"no recording answers, and nothing live is asked: {found}")


async def _run_to_completion(work: Coroutine[object, object, None]) -> None:
    """Do something to its end, even when the client has left or the proxy is being stopped."""
    task = asyncio.ensure_future(work)
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(task)
    task.result()


async def _forward_body(
    answer: Answer, keeping: IncomingBody, delivery: Delivery, receive: Receive | None
) -> ResponseEnd:
    """Pass the body on as it comes, until it ends, the client leaves, or the proxy is stopped."""
    began = perf_counter()
    left: ResponseEnd | None = None
    with contextlib.nullcontext() if receive is None else _DisconnectWatcher(receive):
        try:
            await delivery.begin()
            async for piece in answer.pieces():
                at_ms = (perf_counter() - began) * 1000
                await delivery.piece(piece)
                await keeping.add(piece, at_ms)
        except asyncio.CancelledError:
            left = "timeout"  # nobody waits for the rest; what came of it is a fact
    return left or answer.ended


class _DisconnectWatcher:
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


async def _read_beginning(receive: Receive, *, whole: bool) -> tuple[bytes, bool]:
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


def _with_declared_length(request: RecordedRequest, scope: Scope) -> RecordedRequest:
    """A request whose body comes later, with the length that it was told to have."""
    told = [
        value.decode("latin-1") for name, value in scope["headers"] if name == b"content-length"
    ]
    headers = without(request.headers, ["content-length"])
    if told:
        headers = (*headers, ("content-length", told[0]))
    return replace(request, headers=headers)


class _StreamedRequest:
    """The body of a large request on its way to the upstream, as it comes.

    Args:
        receive: Where the rest comes from.
        first: What has come already.
        keeping: Keeps it.

    Attributes:
        keeping: What keeps it.
        whole: Whether all of it has come.
    """

    def __init__(self, receive: Receive, first: bytes, keeping: IncomingBody) -> None:
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


def _end_connection(scope: Scope, ended: ResponseEnd) -> None:
    """End the client's connection as the upstream ended its own."""
    connection = scope.get("state", {}).get(CONNECTION)
    if connection is None or ended == "complete":
        return
    if ended == "reset":
        connection.reset()
    else:
        connection.cut()
