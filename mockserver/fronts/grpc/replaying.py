"""gRPC calls that recordings answer: the same messages, statuses and gaps between messages."""

import asyncio
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import AsyncIterator
from functools import partial
from itertools import zip_longest
from typing import Any, NamedTuple

import grpc
from google.protobuf.message import DecodeError

from mockserver.cassettes.files.body_files import BodyFileError, whole_body
from mockserver.fronts.grpc.carriers import Carried
from mockserver.fronts.grpc.harvest import Rpc
from mockserver.fronts.grpc.jsonmessages import MEDIA, as_json, as_messages
from mockserver.fronts.grpc.knowledge import Knowledge, KnownCall
from mockserver.fronts.grpc.statuses import DETAILS, Trailers
from mockserver.googleapi import ApiError
from mockserver.model import Interaction
from mockserver.routing import Route
from mockserver.sessions.recordings import Replay
from mockserver.sessions.scheduling import LONG_BODY, WORKER
from mockserver.sessions.session import Session
from mockserver.sources.cassette import RpcRequest
from mockserver.sources.dispatch import Dispatcher, Outcome, RecordedOutcome

_OK = 0
_OWN = frozenset({"content-type", "grpc-status", "grpc-message", "grpc-encoding", "date", "server"})


class Recorded(NamedTuple):
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

    async def told(self) -> AsyncIterator[bytes]:
        """The messages, with the gaps between them.

        Yields:
            Each as bytes.
        """
        for gap_ms, message in self.messages:
            if gap_ms > 0:
                await asyncio.sleep(gap_ms / 1000)
            yield message


class Answer(NamedTuple):
    """What recordings made of a call.

    Attributes:
        outcome: What came of it.
        recorded: The recorded answer; None where it was refused.
    """

    outcome: Outcome
    recorded: Recorded | None


class Replaying:
    """Answers calls from the recordings of their sessions.

    Args:
        knowledge: Knows the messages of calls.
        dispatcher: Asks the recordings, and journals.
    """

    def __init__(self, knowledge: Knowledge, dispatcher: Dispatcher) -> None:
        self._knowledge = knowledge
        self._dispatcher = dispatcher

    async def answer(
        self, session: Session, call: tuple[str, KnownCall | None], caller: Carried, content: bytes
    ) -> Answer | None:
        """Answer one call.

        Args:
            session: One with recordings.
            call: Its path, and what is known of it.
            caller: Who asks.
            content: The request as sent.

        Returns:
            None where other sources are to answer.

        Raises:
            ApiError: The request, or what was recorded, is no message of the call.
        """
        path, known = call
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
            return Answer(found.outcome, None)
        return Answer(found.outcome, _recorded(rpc, found.interaction, replay.pace, found.label))

    def _look_up(
        self,
        session: Session,
        replay: Replay,
        route: Route,
        rpc: Rpc,
        path: str,
        caller: Carried,
        content: bytes,
    ) -> RecordedOutcome:
        try:
            body = as_json(rpc.request, content)
        except DecodeError as error:
            raise ApiError(400, f"The request is no message of {rpc.name}.") from error
        sent = RpcRequest(path, body, (("content-type", MEDIA),), caller.token, caller.client)
        return self._dispatcher.call_recorded(session, replay, route, sent)


def _is_recorded(replay: Replay, path: str, *, has_handler: bool) -> bool:
    """Whether recordings answer a call, or must miss it loudly."""
    if replay.alone:
        return True
    return bool(replay.hosts_of(path)) and (replay.first or not has_handler)


def _recorded(rpc: Rpc, interaction: Interaction, pace: float, told: str) -> Recorded:
    response = interaction.response
    headers = {name.lower(): value for name, value in response.headers}
    code = _code(headers.get("grpc-status", "0"))
    try:
        content = response.body if response.file is None else whole_body(response.file)
        messages = as_messages(rpc.response, content)
    except BodyFileError as error:
        raise ApiError(424, error.message, code_name="FAILED_PRECONDITION") from error
    except ValueError as error:
        raise ApiError(
            500, f"Recording {told} is no message of {rpc.name}: {error}", code_name="DATA_LOSS"
        ) from error
    times = [chunk.at_ms for chunk in response.chunks]
    gaps = [(later - earlier) * pace for earlier, later in zip([0.0, *times], times, strict=False)]
    timed = [(gap or 0.0, each) for gap, each in zip_longest(gaps[: len(messages)], messages)]
    if code.value[0] != _OK:
        timed = [pair for pair in timed if pair[1] and response.chunks]
    trailers = (*_trailers(interaction), ("x-mock-source", "cassette"), ("x-mock-recording", told))
    return Recorded(timed, code, headers.get("grpc-message", ""), trailers)


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
