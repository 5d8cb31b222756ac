"""Batches: several calls of one API in one request, each answered and journalled as one of its own.

Limits and headers follow Google's batching guides; the words of the refusals are not verified
against the live API.
"""

import asyncio
import re
from collections.abc import Iterator
from functools import partial
from hashlib import blake2s
from http import HTTPStatus

from mockserver.asgi.requests import Request, name_different_sessions, named_sessions
from mockserver.googleapi import (
    ApiError,
    MultipartError,
    Part,
    boundary_of,
    parse_headers,
    parse_multipart,
    split_head,
    write_multipart,
)
from mockserver.http.session_names import refuse_conflicting_sessions
from mockserver.routing import Route
from mockserver.sessions.scheduling import LONG_BODY, WORKER
from mockserver.sessions.session import Session, Sessions
from mockserver.sources.dispatch import Dispatcher
from mockserver.sources.exchange import JournalledCall, refuse_call
from mockserver.sources.response import BY_DOCUMENTS, Response

MOST_CALLS = 1000


_REQUEST_LINE = re.compile(rb"^\s*([A-Za-z]+) (\S+)(?: HTTP/1\.[01])?\r?\n?")
_ORIGIN = re.compile(rb"^https?://[^/?]*")
_FROM_OUTSIDE = (b"content-", b"transfer-", b"accept-encoding", b"x-http-method-override")
"""Headers of the batch that are not those of its calls."""

_LONG_ANSWER = 1024 * 1024
MOST_ANSWERED = 32 * 1024 * 1024
"""Bytes of answers after which a batch's further calls are refused."""

_QUIET = frozenset({204, 304})


class Batches:
    """Answers batches.

    Args:
        dispatcher: What answers their calls.
        sessions: The server's sessions; a call may name none but the batch's.
    """

    def __init__(self, dispatcher: Dispatcher, sessions: Sessions) -> None:
        self._dispatcher = dispatcher
        self._sessions = sessions

    async def answer_batch(
        self, session: Session, route: Route, request: Request, content: bytes
    ) -> Response:
        """Answer every call of a batch in its order, and journal it with the batch as its parent.

        A recording of the whole batch answers instead, where there is one. The answer waits for the
        slowest call; a fault that ends a connection ends the batch's. Other sessions are answered
        between its calls, and the others of its session after it.
        """
        is_long = len(content) >= LONG_BODY
        if session.replay is not None:
            whole = partial(
                self._dispatcher.answer_recorded_batch, session, route, request, content
            )
            recorded = await WORKER.run(whole) if is_long else whole()
            if recorded is not None:
                return recorded
        try:
            read = partial(_parse_calls, request, content)
            parts = await WORKER.run(read) if is_long else read()
        except ApiError as error:
            return refuse_call(session, route, request.client, error)
        batch = JournalledCall(session, route, request.client)
        batch.entry.request_bytes = len(content)
        response = batch.response
        answers: list[tuple[dict[str, str], bytes]] = []
        answered = 0
        for part in parts:
            is_full = answered >= MOST_ANSWERED
            answer = partial(self._answer_part, batch, request, part, is_full=is_full)
            answers.append(await WORKER.run(answer) if len(part.body) >= LONG_BODY else answer())
            answered += len(answers[-1][1])
            await asyncio.sleep(0)
        seed = f"{session.id}/{batch.entry.seq}".encode()
        boundary = f"batch_{blake2s(seed, digest_size=16).hexdigest()}"
        written = partial(write_multipart, answers, boundary)
        response.body = await WORKER.run(written) if answered >= _LONG_ANSWER else written()
        response.content_type = f"multipart/mixed; boundary={boundary}".encode()
        return batch.finish()

    def _answer_part(
        self, batch: JournalledCall, request: Request, part: Part, *, is_full: bool
    ) -> tuple[dict[str, str], bytes]:
        headers = {"Content-Type": "application/http"}
        if "content-id" in part.headers:
            headers["Content-ID"] = _response_id(part.headers["content-id"])
        if is_full:
            inner = _refuse_part(batch, batch.route, request, _too_full_error())
        else:
            inner = self._answer_call(batch, request, part)
        outer = batch.response
        if inner.damage is not None and outer.damage is None:
            outer.damage = inner.damage
        outer.delay_ms = max(outer.delay_ms, inner.delay_ms)
        return headers, b"\r\n".join([*_head(inner), b"", inner.body])

    def _answer_call(self, batch: JournalledCall, request: Request, part: Part) -> Response:
        session = batch.session
        try:
            call, content = _request_of_part(batch, request, part)
        except ApiError as error:
            return _refuse_part(batch, batch.route, request, error)
        routes = self._dispatcher.routes
        first = call.path[1:].partition(b"/")[0]
        named = routes.catalog.canonical(first.decode("latin-1"))
        route = routes.find(b"" if named else batch.route.host.encode(), call.verb, call.path)
        names = named_sessions(call)
        if names and name_different_sessions([("path", session.id), *names]):
            names.append(("path", session.id))
            # the batch itself says whose call it is
            refused = refuse_conflicting_sessions(
                self._sessions, names, route, token=call.token, client=call.client, parent=batch
            )
            return refused.responses[session.id]
        problem = _part_error(batch, route)
        if problem is not None:
            return _refuse_part(batch, route, call, problem)
        return self._dispatcher.answer_request(
            session, route, call, content, parent=batch.entry.seq
        )


def _refuse_part(
    batch: JournalledCall, route: Route, request: Request, error: ApiError
) -> Response:
    return refuse_call(batch.session, route, request.client, error, parent=batch.entry.seq)


def _parse_calls(request: Request, content: bytes) -> list[Part]:
    try:
        boundary = boundary_of(request.headers.get(b"content-type", b"").decode("latin-1"))
        parts = parse_multipart(content, boundary, MOST_CALLS + 1)
    except MultipartError as error:
        raise _bad(f"Failed to parse batch request, error: {error}.") from error
    if not parts:
        raise _bad("Failed to parse batch request, error: it holds no call.")
    if len(parts) > MOST_CALLS:
        raise _bad(f"The batch request holds {len(parts)} calls; the limit is {MOST_CALLS}.")
    return parts


def _request_of_part(outer: JournalledCall, request: Request, part: Part) -> tuple[Request, bytes]:
    """The call that a part holds, with the headers that it has from the batch."""
    line = _REQUEST_LINE.match(part.body)
    if line is None:
        raise _bad("Failed to parse a part of the batch request: no request line.")
    path, _, query = _ORIGIN.sub(b"", line[2]).partition(b"?")
    rest = part.body[line.end() :]
    try:
        head, content = (b"", rest) if rest[:1] in {b"\r", b"\n"} else split_head(rest)
    except MultipartError as error:
        raise _bad(f"Failed to parse a part of the batch request: {error}.") from error
    own = {
        name.encode("latin-1"): value.encode("latin-1")
        for name, value in parse_headers(head).items()
    }
    above = {
        name: value for name, value in request.headers.items() if not name.startswith(_FROM_OUTSIDE)
    }
    scope = {
        "method": line[1].decode().upper(),
        "raw_path": path or b"/",
        "query_string": query,
        "headers": list({**above, **own, b"host": outer.route.host.encode()}.items()),
    }
    return Request(scope), content if content.strip() else b""


def _part_error(outer: JournalledCall, route: Route) -> ApiError | None:
    """Why a part cannot be answered within this batch, or None."""
    if route.batch is not None:
        return _bad("A batch request cannot hold another batch request.")
    if route.upload:
        return _bad("A batch request cannot hold an upload.")
    wanted = outer.route
    foreign = bool(wanted.host) and route.host not in {"", wanted.host}
    if route.method is not None and wanted.batch:
        foreign |= wanted.batch != f"{route.method.api}/{route.method.version}"
    if foreign:
        return _bad("A batch request holds calls of one API; this one is of another.")
    return None


def _bad(message: str) -> ApiError:
    return ApiError(400, message, reason="badRequest")


def _too_full_error() -> ApiError:
    """What a call is told that was not made: the text is ours, the live limit is not documented."""
    size = MOST_ANSWERED >> 20
    return ApiError(
        413,
        f"The answers of this batch hold {size} MiB; this call was not made. Send it in another.",
        reason="responseTooLarge",
        code_name="RESOURCE_EXHAUSTED",
    )


def _response_id(content_id: str) -> str:
    """The `Content-ID` of an answer.

    >>> _response_id("<abc + 1>"), _response_id("7")
    ('<response-abc + 1>', 'response-7')
    """
    if content_id.startswith("<"):
        return f"<response-{content_id[1:]}"
    return f"response-{content_id}"


def _head(inner: Response) -> Iterator[bytes]:
    try:
        phrase = HTTPStatus(inner.status).phrase
    except ValueError:
        phrase = ""
    yield f"HTTP/1.1 {inner.status} {phrase}".encode()
    if inner.body:
        yield b"Content-Type: " + inner.content_type
    if inner.status not in _QUIET:
        yield b"Content-Length: %d" % len(inner.body)
    if inner.source == "synthesis":
        yield b"X-Mock-Source: synthesis"
    elif inner.unproven and inner.source == "state":
        yield b"X-Mock-Source: " + BY_DOCUMENTS.encode()
    for name, value in inner.headers:
        yield name.title() + b": " + value
