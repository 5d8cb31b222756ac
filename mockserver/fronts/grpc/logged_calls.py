"""gRPC calls of sessions that live in logs: each is logged, then answered, and repeated elsewhere.

A stream that goes on beyond one answer would write what no log has, so it is refused.
"""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import grpc
from typing_extensions import override

from mockserver.errors import MockServerError
from mockserver.fronts.grpc.calls import (
    OTLP,
    AnyAnswer,
    Calls,
    ReceivedCall,
    abort,
    each_message,
    names_of,
    report_outcome,
    send_recorded,
)
from mockserver.fronts.grpc.methods import GrpcMethods
from mockserver.fronts.grpc.peers import Peers
from mockserver.fronts.grpc.replay import RecordedAnswer
from mockserver.fronts.grpc.requests import Metadata, call_metadata
from mockserver.googleapi import ApiError
from mockserver.http.application import Application
from mockserver.http.placement import CallLog, LoggedCall

_ALONE = (
    "answered by a server of one process alone: start one without --workers, --redis and"
    " --state-dir"
)


class LoggedCalls(Calls):
    """Answers every call of every service, from the logs of its sessions.

    Args:
        application: What answers.
        knowledge: What is known of calls.
        peers: Whose connections are whose.
        log: Where calls are logged.
    """

    def __init__(
        self, application: Application, knowledge: GrpcMethods, peers: Peers, log: CallLog
    ) -> None:
        super().__init__(application, knowledge, peers)
        self._log = log

    @override
    def handler(self, path: str, metadata: Metadata) -> Any:
        kind = self.knowledge.kind(path)
        if path.startswith(OTLP):
            reason = f"OTLP over gRPC is {_ALONE}; or send it over HTTP"
        elif kind.startswith("stream_"):
            reason = f"a stream of requests is {_ALONE}"
        elif kind.endswith("_stream"):
            return grpc.unary_stream_rpc_method_handler(partial(self._answer, path, metadata))
        else:
            return grpc.unary_unary_rpc_method_handler(partial(self._join, path, metadata))
        return grpc.stream_stream_rpc_method_handler(partial(_refuse, reason))

    async def repeat(self, call: LoggedCall) -> None:
        """Answer a logged call again, to nobody."""
        try:
            await self._ask(call)
        except ApiError:
            return  # it was refused when it came, too

    async def _ask(self, call: LoggedCall) -> AnyAnswer:
        path, caller = call.path, call_metadata(call.metadata)
        known = self.knowledge.at_hand(path) or await self.knowledge.find(path)
        session = self.session(path, caller, call.proxied, call.caller)
        received = ReceivedCall(path, known, call.content, session, caller)
        return await self.answer_in_turn(received)

    async def _answer(
        self, path: str, metadata: Metadata, content: bytes, context: Any
    ) -> AsyncIterator[bytes]:
        """Log a call, answer it, and say what came of it once others may ask its session again.

        Yields:
            Each message as bytes.
        """
        call = LoggedCall(path, metadata, content, self.proxied(context))
        caller = call_metadata(metadata)
        names = names_of(caller, call.proxied)
        try:
            async with self._log.answering(call, names, caller.token) as logged:
                answered = await self._ask(logged)
        except ApiError as error:
            await abort(context, error)
        except MockServerError as error:
            await context.abort(grpc.StatusCode.UNAVAILABLE, str(error))
            raise  # never reached: abort has raised
        if isinstance(answered, RecordedAnswer):
            messages = send_recorded(answered, context)
        else:
            await report_outcome(answered.outcome, context)
            if answered.outcome.stream is not None:
                await _refuse(f"a stream that goes on is {_ALONE}", None, context)
            messages = each_message(answered.asked.contents)
        async for message in messages:
            yield message

    async def _join(self, path: str, metadata: Metadata, content: bytes, context: Any) -> bytes:
        return b"".join([each async for each in self._answer(path, metadata, content, context)])


async def _refuse(reason: str, _requests: Any, context: Any) -> None:
    await context.abort(grpc.StatusCode.UNIMPLEMENTED, reason)
