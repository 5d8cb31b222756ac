"""gRPC calls that recordings answer: the same messages, statuses and gaps between messages."""

import asyncio
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import AsyncIterator
from functools import partial
from itertools import zip_longest
from typing import Any, NamedTuple

import grpc
import orjson
from google.protobuf import json_format
from google.protobuf.message import DecodeError

from mockserver.cassettes.files.body_files import BodyFileError, read_body
from mockserver.fronts.grpc.methods import GrpcMethods, KnownCall
from mockserver.fronts.grpc.registry import Rpc
from mockserver.fronts.grpc.requests import CallMetadata
from mockserver.fronts.grpc.statuses import DETAILS, Trailers
from mockserver.googleapi import ApiError
from mockserver.model import Interaction
from mockserver.routing import Route
from mockserver.sessions.recordings import Replay
from mockserver.sessions.scheduling import LONG_BODY, WORKER
from mockserver.sessions.session import Session
from mockserver.sources.cassette import RpcRequest
from mockserver.sources.dispatch import Dispatcher, Outcome, RecordedOutcome

MEDIA = "application/grpc+json"
"""What recorded bodies are declared to be: the wire has the same messages in binary."""


def messages_to_json(message: Any, content: bytes) -> bytes:
    """A message as JSON.

    Args:
        message: Its class.
        content: As it was on the wire.

    Raises:
        DecodeError: It is none of this class.
    """
    value = json_format.MessageToDict(message.FromString(content))
    return orjson.dumps(value, option=orjson.OPT_INDENT_2)


def json_to_messages(message: Any, body: bytes) -> list[bytes]:
    """The messages of a recorded answer, as they go on the wire; several for a stream.

    Raises:
        ValueError: They are none of this class.
    """
    value = orjson.loads(body) if body else []
    values = value if isinstance(value, list) else [value]
    try:
        return [_pack_message(message, each) for each in values]
    except json_format.ParseError as error:
        raise ValueError(str(error)) from error


def _pack_message(message: Any, value: Any) -> bytes:
    made = json_format.ParseDict(value, message(), ignore_unknown_fields=True)
    content: bytes = made.SerializeToString()
    return content


_OK = 0
_OWN = frozenset({"content-type", "grpc-status", "grpc-message", "grpc-encoding", "date", "server"})


class RecordedCall(NamedTuple):
    """A recorded answer as it goes on the wire.

    Attributes:
        messages: Each with the milliseconds to wait before it.
        code: The status.
        text: Its message.
        trailers: What is said after it.
    """

    messages: list[tuple[float, bytes]]
    code: Any
    text: str
    trailers: Trailers

    async def paced_messages(self) -> AsyncIterator[bytes]:
        """The messages, with the gaps between them.

        Yields:
            Each as bytes.
        """
        for gap_ms, message in self.messages:
            if gap_ms > 0:
                await asyncio.sleep(gap_ms / 1000)
            yield message


class RecordedAnswer(NamedTuple):
    """What recordings made of a call.

    Attributes:
        outcome: What came of it.
        recorded: The recorded answer; None where it was refused.
    """

    outcome: Outcome
    recorded: RecordedCall | None


class GrpcPlayer:
    """Answers calls from the recordings of their sessions.

    Args:
        knowledge: Knows the messages of calls.
        dispatcher: Asks the recordings, and journals.
    """

    def __init__(self, knowledge: GrpcMethods, dispatcher: Dispatcher) -> None:
        self._knowledge = knowledge
        self._dispatcher = dispatcher

    async def answer(
        self,
        session: Session,
        path: str,
        known: KnownCall | None,
        *,
        caller: CallMetadata,
        content: bytes,
    ) -> RecordedAnswer | None:
        """Answer one call.

        Args:
            session: One with recordings.
            path: `/package.Service/Method`.
            known: What is known of the call.
            caller: Who asks.
            content: The request as sent.

        Returns:
            None where other sources are to answer.

        Raises:
            ApiError: The request, or what was recorded, is no message of the call.
        """
        replay = session.replay
        route = known.meanings[0].route if known else self._knowledge.unknown(path)
        if replay is None or not _is_recorded(replay, path, has_handler=known is not None):
            return None
        rpc = await self._knowledge.rpc(path)
        if rpc is None:
            raise ApiError(
                501, f"No installed client package has the messages of {path[1:]}.",
                code_name="UNIMPLEMENTED",
            )  # fmt: skip
        look_up = partial(self._look_up, session, replay, route, rpc, path, caller, content)
        found = await WORKER.run(look_up) if len(content) >= LONG_BODY else look_up()
        if found.interaction is None:
            return RecordedAnswer(found.outcome, None)
        return RecordedAnswer(
            found.outcome, _recorded_call(rpc, found.interaction, replay.pace, found.label)
        )

    def _look_up(
        self,
        session: Session,
        replay: Replay,
        route: Route,
        rpc: Rpc,
        path: str,
        caller: CallMetadata,
        content: bytes,
    ) -> RecordedOutcome:
        try:
            body = messages_to_json(rpc.request, content)
        except DecodeError as error:
            raise ApiError(400, f"The request is no message of {rpc.name}.") from error
        sent = RpcRequest(path, body, (("content-type", MEDIA),), caller.token, caller.client)
        return self._dispatcher.answer_recorded_call(session, replay, route, sent)


def _is_recorded(replay: Replay, path: str, *, has_handler: bool) -> bool:
    """Whether recordings answer a call, or must miss it loudly."""
    if replay.alone:
        return True
    return bool(replay.hosts_of(path)) and (replay.first or not has_handler)


def _recorded_call(rpc: Rpc, interaction: Interaction, pace: float, message: str) -> RecordedCall:
    response = interaction.response
    headers = {name.lower(): value for name, value in response.headers}
    code = _code(headers.get("grpc-status", "0"))
    try:
        content = response.body if response.file is None else read_body(response.file)
        messages = json_to_messages(rpc.response, content)
    except BodyFileError as error:
        raise ApiError(424, error.message, code_name="FAILED_PRECONDITION") from error
    except ValueError as error:
        raise ApiError(
            500, f"Recording {message} is no message of {rpc.name}: {error}", code_name="DATA_LOSS"
        ) from error
    times = [chunk.at_ms for chunk in response.chunks]
    gaps = [(later - earlier) * pace for earlier, later in zip([0.0, *times], times, strict=False)]
    timed = [(gap or 0.0, each) for gap, each in zip_longest(gaps[: len(messages)], messages)]
    if code.value[0] != _OK:
        timed = [pair for pair in timed if pair[1] and response.chunks]
    trailers = (
        *_trailers(interaction),
        ("x-mock-source", "cassette"),
        ("x-mock-recording", message),
    )
    return RecordedCall(timed, code, headers.get("grpc-message", ""), trailers)


def _code(number: str) -> Any:
    known = {str(code.value[0]): code for code in grpc.StatusCode}
    return known.get(number, grpc.StatusCode.UNKNOWN)


def _trailers(interaction: Interaction) -> Trailers:
    """What else was said, as metadata; binary values as they were."""
    return tuple(
        (name.lower(), _binary(value) if name.lower().endswith("-bin") else value)
        for name, value in interaction.response.headers
        if name.lower() not in _OWN and (name.lower() == DETAILS or not _is_reserved(name))
    )


def _is_reserved(name: str) -> bool:
    return name.lower().startswith(("grpc-", ":"))


def _binary(value: str) -> bytes:
    try:
        return b64decode(value + "=" * (-len(value) % 4))
    except Base64Error:
        return value.encode("latin-1", "replace")
