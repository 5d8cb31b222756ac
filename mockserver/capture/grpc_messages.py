"""gRPC calls of a capture as recordings, by the descriptors of the installed client packages."""

import asyncio
from collections.abc import Sequence

from google.protobuf import json_format
from google.protobuf.message import DecodeError

from mockserver.capture.grpc_calls import ForwardedCall
from mockserver.fronts.grpc.descriptor_pack import known_services
from mockserver.fronts.grpc.registry import Rpc, rpcs_of_service
from mockserver.fronts.grpc.replay import MEDIA, messages_to_json
from mockserver.model import Chunk, Interaction, RecordedRequest, RecordedResponse

_RECORDED = frozenset({"unary_unary", "unary_stream"})
_HTTPS = ":443"


class MessageReader:
    """Reads messages by the descriptors of the installed client packages."""

    def __init__(self) -> None:
        self._rpcs: dict[str, dict[str, Rpc]] = {}
        self._services = known_services()

    async def interaction(self, call: ForwardedCall) -> Interaction | str:
        """A call as a recording, or why it cannot be one."""
        service, _, name = call.path[1:].partition("/")
        known = self._services.get(service)
        kind = known.kinds.get(name) if known else None
        if kind is None:
            return f"no installed package has the messages of {service}"
        if kind not in _RECORDED or len(call.requests) != 1:
            return "its client sends a stream"
        if service not in self._rpcs:
            found = await asyncio.to_thread(rpcs_of_service, self._services[service])
            self._rpcs[service] = {rpc.path: rpc for rpc in found}
        rpc = self._rpcs[service].get(call.path)
        if rpc is None:
            return f"the installed package of {service} has no such call"
        try:
            return _interaction(call, rpc, streams=kind == "unary_stream")
        except (DecodeError, TypeError, json_format.Error):
            return "its messages are not those of the installed package"


def _interaction(call: ForwardedCall, rpc: Rpc, *, streams: bool) -> Interaction:
    answers = [
        (at_ms, messages_to_json(rpc.response, content)) for at_ms, content in call.responses
    ]
    body, chunks = _join_stream(answers) if streams else (b"".join(one for _, one in answers), ())
    status = (("grpc-status", str(call.code)), ("grpc-message", call.message))
    told = (*call.initial, *(each for each in status if each[1]), *call.trailing)
    return Interaction(
        RecordedRequest(
            "POST",
            f"https://{call.authority.removesuffix(_HTTPS)}{call.path}",
            (("content-type", MEDIA), *call.metadata),
            messages_to_json(rpc.request, call.requests[0]),
        ),
        RecordedResponse(200, "OK", (("content-type", MEDIA), *told), body, "", chunks),
        call.began_at,
        call.took_ms,
        call.path[1:].replace("/", "."),
    )


def _join_stream(answers: Sequence[tuple[float, bytes]]) -> tuple[bytes, tuple[Chunk, ...]]:
    """The messages of a stream as one JSON list, and which piece of it each one is."""
    if not answers:
        return b"[]", ()
    pieces = [(b"," if number else b"[") + one for number, (_, one) in enumerate(answers)]
    pieces[-1] += b"]"
    chunks = tuple(
        Chunk(round(at_ms, 3), len(piece))
        for (at_ms, _), piece in zip(answers, pieces, strict=True)
    )
    return b"".join(pieces), chunks
