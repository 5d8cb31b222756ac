"""gRPC calls as recordings: messages as JSON, status and metadata as headers."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from google.protobuf import json_format
from google.protobuf.message import DecodeError

from mockserver.fronts.grpc.harvest import Rpc, harvest
from mockserver.fronts.grpc.jsonmessages import MEDIA, as_json
from mockserver.fronts.grpc.services import installed_services
from mockserver.model import Chunk, Header, Interaction, RecordedRequest, RecordedResponse

_RECORDED = frozenset({"unary_unary", "unary_stream"})
_HTTPS = ":443"


@dataclass
class Call:
    """One call as it was seen.

    Attributes:
        authority: `host:port` that was asked.
        path: `/package.Service/Method`.
        metadata: What the client sent beside its messages.
        requests: Its messages.
        responses: Those of the answer, each with its milliseconds after the request.
        code: The status, a number.
        message: Its text.
        initial: Metadata that came before the answer.
        trailing: Metadata that came after it.
        began_at: RFC 3339.
        took_ms: From the request to the status.
    """

    authority: str
    path: str
    metadata: tuple[Header, ...]
    began_at: str
    requests: list[bytes] = field(default_factory=list)
    responses: list[tuple[float, bytes]] = field(default_factory=list)
    code: int = 0
    message: str = ""
    initial: tuple[Header, ...] = ()
    trailing: tuple[Header, ...] = ()
    took_ms: float = 0.0


class Messages:
    """Reads messages by the descriptors of the installed client packages."""

    def __init__(self) -> None:
        self._rpcs: dict[str, dict[str, Rpc]] = {}
        self._services = installed_services()

    async def interaction(self, call: Call) -> Interaction | str:
        """A call as a recording, or why it cannot be one."""
        service, _, name = call.path[1:].partition("/")
        known = self._services.get(service)
        kind = known.kinds.get(name) if known else None
        if kind is None:
            return f"no installed package has the messages of {service}"
        if kind not in _RECORDED or len(call.requests) != 1:
            return "its client sends a stream"
        if service not in self._rpcs:
            found = await asyncio.to_thread(harvest, self._services[service])
            self._rpcs[service] = {rpc.path: rpc for rpc in found}
        rpc = self._rpcs[service].get(call.path)
        if rpc is None:
            return f"the installed package of {service} has no such call"
        try:
            return _interaction(call, rpc, streams=kind == "unary_stream")
        except (DecodeError, TypeError, json_format.Error):
            return "its messages are not those of the installed package"


def _interaction(call: Call, rpc: Rpc, *, streams: bool) -> Interaction:
    answers = [(at_ms, as_json(rpc.response, content)) for at_ms, content in call.responses]
    body, chunks = _streamed(answers) if streams else (b"".join(one for _, one in answers), ())
    status = (("grpc-status", str(call.code)), ("grpc-message", call.message))
    told = (*call.initial, *(each for each in status if each[1]), *call.trailing)
    return Interaction(
        RecordedRequest(
            "POST",
            f"https://{call.authority.removesuffix(_HTTPS)}{call.path}",
            (("content-type", MEDIA), *call.metadata),
            as_json(rpc.request, call.requests[0]),
        ),
        RecordedResponse(200, "OK", (("content-type", MEDIA), *told), body, "", chunks),
        call.began_at,
        call.took_ms,
        call.path[1:].replace("/", "."),
    )


def _streamed(answers: Sequence[tuple[float, bytes]]) -> tuple[bytes, tuple[Chunk, ...]]:
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


def as_headers(metadata: Iterable[tuple[str, str | bytes]]) -> tuple[Header, ...]:
    """Metadata as headers; binary values in base64, as they are on the wire."""
    from base64 import b64encode

    return tuple(
        (name, value if isinstance(value, str) else b64encode(value).rstrip(b"=").decode())
        for name, value in metadata
    )
