"""Exports of OpenTelemetry: spans that frameworks send, put into the sessions that they are of."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

import orjson

from mockserver.asgi.requests import (
    MAX_BODY_BYTES,
    BodyTooLargeError,
    CallerGoneError,
    Name,
    Receive,
    Request,
    Send,
    read_body,
)
from mockserver.model import JsonObject, shortened
from mockserver.sessions.scheduling import LONG_BODY, WORKER
from mockserver.sessions.session import DEFAULT_ID, Session, Sessions
from mockserver.sessions.spans import MOST_BYTES, MOST_SPANS
from mockserver.traces import (
    SizedSpan,
    SpanError,
    count_protobuf_spans,
    partial_success,
    read_protobuf_spans,
    read_spans,
    status_message,
)

PATH = b"/otlp/v1/"
"""Below the prefix of a session; `traces`, `logs` or `metrics` follows."""

_SIGNALS = {b"traces", b"logs", b"metrics"}
_PROTOBUF, _JSON = b"application/x-protobuf", b"application/json"
_NOT_FOUND, _INVALID = 5, 3


class ExportError(Exception):
    """An export that is refused as a whole.

    Attributes:
        status: The HTTP status.
        message: What is wrong, and what to do.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Collected(NamedTuple):
    """What came of an export.

    Attributes:
        rejected: How many spans were not taken.
        message: Why, and how many for which reason; an empty string where all were taken.
    """

    rejected: int = 0
    message: str = ""


class _Export(NamedTuple):
    """An export that was read: its first spans, and how many there are."""

    spans: Sequence[SizedSpan]
    total: int


def read_export(content: bytes, *, is_json: bool = False) -> _Export:
    """Read an export of spans, as many as a session holds.

    Args:
        content: The message.
        is_json: Whether it is JSON; Protocol Buffers else.

    Raises:
        ExportError: It is no OTLP.
    """
    try:
        if not is_json:
            spans = list(islice(read_protobuf_spans(content), MOST_SPANS))
            is_whole = len(spans) < MOST_SPANS
            return _Export(spans, len(spans) if is_whole else count_protobuf_spans(content))
        every = read_spans(_parse_json(content))
        first = list(islice(every, MOST_SPANS))
        total = len(first) + sum(1 for _ in every)
    except SpanError as error:
        raise ExportError(400, f"The request is no OTLP export of spans: {error}.") from None
    size = len(content) // max(1, total)
    return _Export([SizedSpan(span, size) for span in first], total)


def collect(sessions: Sessions, named: str | None, export: _Export) -> Collected:
    """Put spans into the sessions that they are of.

    A span may name its session by the attribute `mock.session`, as baggage does; it must be the one
    that the request names, where that names one. What names none is of the default session.

    Args:
        sessions: The server's sessions.
        named: The session that the request names, or None.
        export: The spans.

    Raises:
        ExportError: The session that the request names is not open.
    """
    if named is not None:
        _open_session(sessions, named)
    open_sessions: dict[str, Session | None] = {}
    reasons: Counter[str] = Counter()
    for span, size in export.spans:
        own = span.session
        if named and own and own != named:
            reasons["of another session than the request names"] += 1
            continue
        target = named or own or DEFAULT_ID
        if target not in open_sessions:
            found = sessions.find(target)
            open_sessions[target] = None if found is None or found.closed else found
        session = open_sessions[target]
        if session is None:
            reasons[_NO_SESSION if own else _NAMES_NONE] += 1
        elif not session.spans.add(span, size):
            reasons[_FULL] += 1
    if beyond := export.total - len(export.spans):
        reasons[_FULL] += beyond
        if named is not None and (session := sessions.find(named)) is not None:
            session.spans.rejected += beyond
    told = "; ".join(f"{count} {reason}" for reason, count in reasons.items())
    return Collected(reasons.total(), told and f"Spans that were not taken: {told}.")


_NO_SESSION = "of a session that is not open"
_NAMES_NONE = (
    "that name no session: export to <session URL>/otlp, or set the attribute mock.session"
)
_FULL = f"beyond what a session holds, {MOST_SPANS} spans or {MOST_BYTES >> 20} MiB"


class OtlpEndpoint:
    """Answers exports over HTTP.

    Args:
        sessions: The server's sessions.
    """

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    async def answer(
        self, request: Request, names: Iterable[Name], receive: Receive, send: Send
    ) -> None:
        """Answer one export, in the form in which it was sent.

        Args:
            request: Its head.
            names: The sessions that it names, all the same.
            receive: Gives its body.
            send: Takes the answer.
        """
        media = request.headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        named = next((named for _, named in names), None)
        try:
            done = await self._collect(request, media, named, receive)
        except ExportError as error:
            content = _error_content(error, is_json=media == _JSON)
            await _send(send, error.status, media, content)
        except CallerGoneError:
            return
        else:
            content = _success_content(done, is_json=media == _JSON)
            await _send(send, 200, media, content)

    async def _collect(
        self, request: Request, media: bytes, named: str | None, receive: Receive
    ) -> Collected:
        signal = request.path.removeprefix(PATH)
        if signal not in _SIGNALS:
            raise ExportError(404, "There are /otlp/v1/traces, /otlp/v1/logs and /otlp/v1/metrics.")
        if request.verb != "POST":
            raise ExportError(405, "An export is a POST.")
        if media not in {_PROTOBUF, _JSON}:
            raise ExportError(
                415, "An export is application/x-protobuf or application/json; set "
                "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf."
            )  # fmt: skip
        if named is not None:
            _open_session(self._sessions, named)
        content = await _content(request, receive)
        is_json = media == _JSON
        if signal != b"traces":  # neither logs nor metrics are kept
            if is_json:
                _parse_json(content)
            return Collected()
        read = partial(read_export, content, is_json=is_json)
        export = await WORKER.run(read) if len(content) >= LONG_BODY else read()
        return collect(self._sessions, named, export)


def _open_session(sessions: Sessions, named: str) -> Session:
    session = sessions.find(named)
    if session is None:
        raise ExportError(404, f"There is no session {shortened(named)!r}.")
    if session.closed:
        raise ExportError(410, f"Session {shortened(named)!r} is closed.")
    return session


async def _content(request: Request, receive: Receive) -> bytes:
    limit = f"{MAX_BODY_BYTES >> 20} MiB"
    try:
        content = await read_body(request, receive) if request.has_body else b""
    except BodyTooLargeError:
        raise ExportError(413, f"The export is larger than {limit}.") from None
    coding = request.headers.get(b"content-encoding", b"identity").strip().lower()
    if coding == b"identity" or not content:
        return content
    if coding != b"gzip":
        raise ExportError(415, "The content coding of an export is gzip or identity.")
    from mockserver.messages.content_coding import decompress_gzip

    opened = decompress_gzip(content, MAX_BODY_BYTES)
    if opened is None:
        raise ExportError(400, f"The body is no gzip, or is larger than {limit} without it.")
    return opened


def _parse_json(content: bytes) -> JsonObject:
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise ExportError(400, f"The request is no JSON: {error}.") from None
    if not isinstance(found, dict):
        raise ExportError(400, "The request is no JSON object.")
    return found


def _success_content(done: Collected, *, is_json: bool) -> bytes:
    if not is_json:
        return partial_success(done.rejected, done.message)
    partly = {"rejectedSpans": str(done.rejected), "errorMessage": done.message}
    return orjson.dumps({"partialSuccess": partly} if done.message else {})


def _error_content(error: ExportError, *, is_json: bool) -> bytes:
    code = _NOT_FOUND if error.status in {404, 410} else _INVALID
    if is_json:
        return orjson.dumps({"code": code, "message": error.message})
    return status_message(code, error.message)


async def _send(send: Send, status: int, media: bytes, content: bytes) -> None:
    media = media if media in {_PROTOBUF, _JSON} else _PROTOBUF
    headers = [(b"content-type", media), (b"content-length", b"%d" % len(content))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
