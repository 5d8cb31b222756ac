"""gRPC calls on their way to the handlers that HTTP requests are answered by, and back."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable, Iterator
from functools import partial
from time import monotonic
from typing import Any, NamedTuple, NoReturn

import grpc
from typing_extensions import override

from mockserver.asgi.requests import Name, name_different_sessions
from mockserver.fronts.grpc.answers import MessageWriter
from mockserver.fronts.grpc.methods import GrpcMethods, KnownCall
from mockserver.fronts.grpc.peers import Peers
from mockserver.fronts.grpc.replay import GrpcPlayer, RecordedAnswer
from mockserver.fronts.grpc.requests import CallMetadata, Metadata, RequestReader, call_metadata
from mockserver.fronts.grpc.statuses import Trailers, printable, status_of, trailers_of
from mockserver.googleapi import ApiError
from mockserver.http.application import Application
from mockserver.http.otlp import ExportError, collect, read_export
from mockserver.http.session_names import refuse_conflicting_sessions
from mockserver.model import JsonObject
from mockserver.routing import Route
from mockserver.sessions.scheduling import LONG_BODY, WORKER, run_in_turn
from mockserver.sessions.session import DEFAULT_ID, Session
from mockserver.sources.dispatch import DecodedCall, Outcome
from mockserver.sources.exchange import JournalledCall
from mockserver.sources.misses import closed_session_error, internal_error, unknown_session_error
from mockserver.traces import partial_success


class GrpcRequest:
    """One request that was read, and the answer as it is written.

    Attributes:
        session: Where it is asked.
        route: What it means.
        direct: What it asks.
        contents: The messages of the answers that were rendered.

    Args:
        session: Where it is asked.
        route: What it means.
        direct: What it asks.
        writer: Writes answers; None for a call that is never answered well.
    """

    __slots__ = ("_writer", "contents", "direct", "route", "session")

    def __init__(
        self, session: Session, route: Route, direct: DecodedCall, writer: MessageWriter | None
    ) -> None:
        self.session = session
        self.route = route
        self.direct = direct
        self.contents: list[bytes] = []
        self._writer = writer

    def render(self, payload: JsonObject) -> tuple[str, ...]:
        """Write an answer; the paths of what its message has no place for."""
        if self._writer is None:
            return ()
        content, unplaced = self._writer.write(payload)
        self.contents.append(content)
        return tuple(f"answer.{path}" for path in unplaced) if unplaced else ()


_log = logging.getLogger(__name__)


class Stream:
    """One stream of answers; each is journalled as a part of the call that opened it.

    Attributes:
        ended: Whether the handler has no more to say.

    Args:
        request: The call.
        steps: What its handler yields; an empty answer says that there is nothing new.
        seq: The call's number in the journal.
    """

    def __init__(self, request: GrpcRequest, steps: Iterator[JsonObject], seq: int) -> None:
        self.ended = False
        self._asked = request
        self._steps = steps
        self._seq = seq
        self._world = request.session.world
        self._seen = -1
        self._again = 0.0

    def take(self) -> Iterator[bytes]:
        """What is new since the last time, as messages.

        Raises:
            ApiError: 410 for a session that was closed, 409 for one that was reset.

        Yields:
            Each message as bytes.
        """
        session = self._asked.session
        if session.closed:
            raise closed_session_error(session.id)
        if session.world is not self._world:
            raise ApiError(409, f"Session {session.id!r} was reset.", code_name="ABORTED")
        # little changes in a session that is asked nothing, and a long request goes first
        is_same = self._seen == session.journal.latest_number
        if session.queue is not None or (is_same and monotonic() < self._again):
            return
        self._again = monotonic() + _AGAIN_S
        while payload := self._step():
            yield self._write(payload)
        self._seen = session.journal.latest_number

    def _step(self) -> JsonObject:
        try:
            return next(self._steps)
        except StopIteration:
            self.ended = True
            return {}
        except ApiError:
            raise
        except Exception as error:
            _log.exception("%s failed", self._asked.route.method_id)
            raise internal_error() from error

    def _write(self, payload: JsonObject) -> bytes:
        asked = self._asked
        asked.contents.clear()
        part = JournalledCall(asked.session, asked.route, asked.direct.client, self._seq)
        part.response.ignored = asked.render(payload)
        part.write_answer(payload)
        part.finish()
        return b"".join(asked.contents)


_AGAIN_S = 1.0
"""How often a stream looks for what time alone brings."""

_KEPT = 4096
_LONGEST = 1024
"""Characters of a trailer; all trailers of a call together must stay below 8 KiB."""

OTLP = "/opentelemetry.proto.collector."
_OTLP_TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/"
_EXPORT_CODES = {
    400: grpc.StatusCode.INVALID_ARGUMENT,
    404: grpc.StatusCode.NOT_FOUND,
    410: grpc.StatusCode.FAILED_PRECONDITION,
}

_LOOK_S = 0.05
"""How often a stream looks for something new."""


class Calls(grpc.GenericRpcHandler):  # type: ignore[misc]
    """Answers every call of every service.

    Args:
        application: What answers.
        knowledge: What is known of calls.
        peers: Whose connections are whose.
    """

    def __init__(self, application: Application, knowledge: GrpcMethods, peers: Peers) -> None:
        self._sessions = application.sessions
        self._dispatcher = application.dispatcher
        self.knowledge = knowledge
        self._peers = peers
        self._reader = RequestReader()
        self._replaying = GrpcPlayer(knowledge, application.dispatcher)
        self._hosts: dict[str, str] = {}
        self._handlers: OrderedDict[tuple[str, Metadata], Any] = OrderedDict()

    @override
    def service(self, handler_call_details: Any) -> Any:
        """What answers a call: messages go in and out as bytes.

        Metadata is decoded here already; asking the context for it would decode it again.
        """
        path: str = handler_call_details.method
        key = (path, handler_call_details.invocation_metadata)
        found = self._handlers.get(key)
        if found is None:
            if len(self._handlers) >= _KEPT:
                self._handlers.popitem(last=False)
            found = self._handlers[key] = self.handler(*key)
        return found

    def handler(self, path: str, metadata: Metadata) -> Any:
        """What answers the calls with a path and metadata."""
        caller = call_metadata(metadata)
        if path.startswith(OTLP):
            return grpc.unary_unary_rpc_method_handler(partial(self._export, path, caller))
        if self.knowledge.kind(path).endswith("_stream"):
            return grpc.stream_stream_rpc_method_handler(partial(self._stream, path, caller))
        return grpc.unary_unary_rpc_method_handler(partial(self._unary, path, caller))

    async def _export(self, path: str, caller: CallMetadata, content: bytes, context: Any) -> bytes:
        """Take what a framework tells by OpenTelemetry; logs and metrics are not kept."""
        try:
            named = self.session_name(path, caller, self.proxied(context))
            if not path.startswith(_OTLP_TRACES):
                return b""
            read = partial(read_export, content)
            export = await WORKER.run(read) if len(content) >= LONG_BODY else read()
            return partial_success(*collect(self._sessions, named, export))
        except ExportError as error:
            await context.abort(_EXPORT_CODES[error.status], error.message)
            raise
        except ApiError as error:
            await abort(context, error)

    async def _unary(self, path: str, caller: CallMetadata, content: bytes, context: Any) -> bytes:
        known = self.knowledge.at_hand(path) or await self.knowledge.find(path)
        try:
            session = self.session(path, caller, self.proxied(context))
            asking = ReceivedCall(path, known, content, session, caller)
            answered: AnyAnswer
            if session.queue is None and not asking.is_long and session.replay is None:
                answered = self._answer_emulated(asking)
            else:
                answered = await self.answer_in_turn(asking)
            if isinstance(answered, RecordedAnswer):
                return b"".join([each async for each in send_recorded(answered, context)])
        except ApiError as error:
            await abort(context, error)
        asked, outcome = answered
        if not outcome.is_plain:
            await report_outcome(outcome, context)
        return b"".join(asked.contents)

    def _answer_emulated(self, call: "ReceivedCall") -> "EmulatedAnswer":
        asked = self._read(call)
        outcome = self._dispatcher.answer_decoded_call(
            asked.session, asked.route, asked.direct, asked.render
        )
        return EmulatedAnswer(asked, outcome)

    async def answer_in_turn(self, call: "ReceivedCall") -> "AnyAnswer":
        """Answer a call when no other request of its session is under way."""
        return await run_in_turn(call.session, partial(self._answer_now, call))

    async def _answer_now(self, call: "ReceivedCall") -> "AnyAnswer":
        """Answer a call whose turn it is; a long one beside the event loop."""
        if call.session.replay is not None:
            answer = await self._replaying.answer(
                call.session, call.path, call.known, caller=call.caller, content=call.content
            )
            if answer is not None:
                return answer
        emulated = partial(self._answer_emulated, call)
        return await WORKER.run(emulated) if call.is_long else emulated()

    async def _stream(
        self, path: str, caller: CallMetadata, requests: AsyncIterator[bytes], context: Any
    ) -> AsyncIterator[bytes]:
        """Answer what is asked, and go on with what comes of the latest request.

        A caller that asks no more may still listen; one that leaves ends the call.

        Yields:
            Each message as bytes.
        """
        known = self.knowledge.at_hand(path) or await self.knowledge.find(path)
        caller = caller._replace(conversation={})
        incoming = _Incoming(requests)
        stream: Stream | None = None
        first = b""
        try:
            while not (incoming.over and (stream is None or stream.ended)):
                content = await incoming.within(None if stream is None else _LOOK_S)
                if content is not None:
                    first = first or content
                    content = content if known is None else known.completed(first, content)
                    answers, stream = await self._answer_request(
                        path, known, content, caller, context
                    )
                    async for message in answers:
                        yield message
                if stream is not None:
                    for message in stream.take():
                        yield message
        except ApiError as error:
            await abort(context, error)
        finally:
            incoming.close()

    async def _answer_request(
        self, path: str, known: KnownCall | None, content: bytes, caller: CallMetadata, context: Any
    ) -> tuple[AsyncIterator[bytes], Stream | None]:
        """What one request of a stream is answered at once, and what goes on answering it."""
        session = self.session(path, caller, self.proxied(context))
        answered = await self.answer_in_turn(ReceivedCall(path, known, content, session, caller))
        if isinstance(answered, RecordedAnswer):
            return send_recorded(answered, context), None
        asked, outcome = answered
        await report_outcome(outcome, context)
        steps = outcome.stream
        stream = None if steps is None else Stream(asked, steps, outcome.seq)
        return each_message(asked.contents if stream is None else ()), stream

    def proxied(self, context: Any) -> str:
        """The session of a call's connection, where a proxy knows that; else an empty string."""
        # asking gRPC for the peer costs more than all else that is read of a call
        return (self._peers.of(context.peer()) or "") if self._peers else ""

    def session(
        self, path: str, caller: CallMetadata, proxied: str, caller_id: str | None = None
    ) -> Session:
        """Where a call is asked; raises ApiError for a session that never was, or for two."""
        named = self.session_name(path, caller, proxied, caller_id)
        session = self._sessions.find(DEFAULT_ID if named is None else named)
        if session is None:
            raise unknown_session_error(named, caller.token)
        return session

    def session_name(
        self, path: str, caller: CallMetadata, proxied: str, caller_id: str | None = None
    ) -> str | None:
        """The session that a call names; raises ApiError where it names two."""
        names = names_of(caller, proxied)
        if len(names) > 1 and name_different_sessions(names):
            route = self.knowledge.unknown(path)
            raise refuse_conflicting_sessions(
                self._sessions, names, route,
                token=caller.token, client=caller.client, caller_id=caller_id,
            ).error  # fmt: skip
        return names[0][1] if names else None

    def _read(self, call: "ReceivedCall") -> GrpcRequest:
        """What a message asks."""
        path, known, content, session, caller = call
        if known is None:
            direct = DecodedCall({}, {}, caller.token, caller.client, len(content))
            return GrpcRequest(session, self.knowledge.unknown(path), direct, None)
        meaning, direct = self._reader.read(known, content, caller, self._hosts.get(session.id, ""))
        if not known.is_shared:
            if len(self._hosts) >= _KEPT:
                self._hosts.clear()
            self._hosts[session.id] = meaning.host
        return GrpcRequest(session, meaning.route, direct, known.writer)


def names_of(caller: CallMetadata, proxied: str) -> tuple[Name, ...]:
    """The sessions that a call names, and how.

    Args:
        caller: What its metadata says.
        proxied: The session of its connection, or an empty string.
    """
    return (*caller.names, *((("proxy", proxied),) if proxied else ()), *caller.baggage)


class ReceivedCall(NamedTuple):
    """A call whose session is known.

    Attributes:
        path: `/package.Service/Method`.
        known: What is known of it; None for one that means no method.
        content: Its message as sent.
        session: Where it is asked.
        caller: Who asks.
    """

    path: str
    known: KnownCall | None
    content: bytes
    session: Session
    caller: CallMetadata

    @property
    def is_long(self) -> bool:
        """Whether it may take so long that others are not to wait for it."""
        if len(self.content) >= LONG_BODY:
            return True
        return self.known is not None and self.session.is_long(self.known.meanings[0].route)


class EmulatedAnswer(NamedTuple):
    """A call that was read, and what came of it."""

    asked: GrpcRequest
    outcome: Outcome


AnyAnswer = EmulatedAnswer | RecordedAnswer


class _Incoming:
    """The requests of a stream, which may be waited for with a limit and without losing any."""

    def __init__(self, requests: AsyncIterator[bytes]) -> None:
        self._requests = requests
        self._next: asyncio.Task[bytes | None] | None = None
        self.over = False

    async def within(self, seconds: float | None) -> bytes | None:
        """The next request, or None when none came in time or there will be none."""
        if self.over:
            await asyncio.sleep(seconds or 0)
            return None
        if self._next is None:
            self._next = asyncio.create_task(self._next_request())
        await asyncio.wait({self._next}, timeout=seconds)
        if not self._next.done():
            return None
        found, self._next = self._next.result(), None
        self.over = found is None
        return found

    async def _next_request(self) -> bytes | None:
        return await anext(self._requests, None)

    def close(self) -> None:
        """Wait for no more."""
        if self._next is not None:
            self._next.cancel()


async def each_message(messages: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Messages, one after another.

    Yields:
        Each.
    """
    for message in messages:
        yield message


async def send_recorded(answer: RecordedAnswer, context: Any) -> AsyncIterator[bytes]:
    """A recorded answer, sent as it was recorded; a refusal ends the call.

    Yields:
        Each message as bytes.
    """
    await report_outcome(answer.outcome, context)
    recorded = answer.recorded
    if recorded is not None:
        async for message in recorded.paced_messages():
            yield message
        context.set_trailing_metadata(recorded.trailers)
        if recorded.code is not grpc.StatusCode.OK:
            await context.abort(recorded.code, recorded.text, recorded.trailers)


async def report_outcome(outcome: Outcome, context: Any) -> None:
    """Wait as long as a fault says, then say what else came of a call; an error ends it."""
    if outcome.delay_ms:
        await asyncio.sleep(outcome.delay_ms / 1000)
    trailers = _trailers(outcome)
    if outcome.error is not None:
        await abort(context, outcome.error, trailers)
    if trailers:
        context.set_trailing_metadata(trailers)


async def abort(context: Any, error: ApiError, trailers: Trailers = ()) -> NoReturn:
    """End a call with an error, as its status and what details it."""
    code, message = status_of(error)
    await context.abort(code, message, (*trailers, *trailers_of(error)))
    raise error  # never reached: abort has raised


def _trailers(outcome: Outcome) -> Trailers:
    """What HTTP answers say in `X-Mock-...` headers; nothing for an ordinary answer.

    Trailing metadata costs grpcio a tenth of a whole call.
    """
    trailers: Trailers = ()
    if outcome.source != "state":
        trailers += (("x-mock-source", outcome.source),)
    if outcome.ignored:
        names = printable(", ".join(outcome.ignored))
        trailers += (("x-mock-ignored", names[:_LONGEST]),)
    if outcome.miss:
        trailers += (("x-mock-miss", outcome.miss),)
    return trailers
