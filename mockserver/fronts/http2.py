"""Just enough HTTP/2 to say no in words: to gRPC as a status, to others as a response.

Closing the connection would not do, whatever the reason sent along: gRPC clients then try again
until their deadline, and show nothing of it.
"""

import asyncio
from typing import NamedTuple, cast
from urllib.parse import quote

from typing_extensions import override

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
PATIENCE_S = 10.0
"""How long a refused connection may stay; each call on it is answered at once."""

_DATA, _HEADERS, _SETTINGS, _PING, _GOAWAY = 0, 1, 4, 6, 7
_ACK = END_STREAM = 0x1
_END_HEADERS = 0x4
_HEAD = 9
_LONGEST_FRAME = 16_384
_MOST_STREAMS = 1000
_MOST_FRAMES = 10_000
"""What is read of one connection, of any kind; then it ends."""

_PROTOCOL_ERROR = 1

_GRPC = b"application/grpc"
_GRPC_CODED = bytes.fromhex("1d75d0620d263d4c4d6564")
"""The same in HPACK's Huffman code, which most clients use."""

_UNESCAPED = " !#$&'()*+,-./:;<=>?@[]^_`{|}~"
_OK, _STATUS = b"\x88", 8
"""`:status: 200`, and the name `:status`, in HPACK's static table."""


class RefusalAnswer(NamedTuple):
    """What every call is answered with.

    Attributes:
        status: The HTTP status, for callers that are not gRPC.
        grpc_status: The gRPC status code.
        reason: One sentence.
    """

    status: int
    grpc_status: int
    reason: str


class Http2Refusal(asyncio.Protocol):
    """A connection on which every call is refused."""

    def __init__(self, refused: RefusalAnswer) -> None:
        self._refused = refused
        self._read = b""
        self._begun = False
        self._frames = self._streams = 0

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(frame(_SETTINGS, 0, 0))
        self._patience = asyncio.get_running_loop().call_later(PATIENCE_S, self._transport.close)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._patience.cancel()

    @override
    def pause_writing(self) -> None:
        # who reads no answers is not asked for more
        self._transport.pause_reading()

    @override
    def resume_writing(self) -> None:
        self._transport.resume_reading()

    @override
    def data_received(self, data: bytes) -> None:
        self._read += data
        if self._transport.is_closing() or (not self._begun and not self._begin()):
            return
        answers: list[bytes] = []
        ends = self._take(answers)
        if answers:
            self._transport.write(b"".join(answers))
        if ends:
            self._transport.close()

    def _begin(self) -> bool:
        """Read the preface, if it is whole."""
        if not PREFACE.startswith(self._read[: len(PREFACE)]):
            self._transport.close()
            return False
        self._begun = len(self._read) >= len(PREFACE)
        if self._begun:
            self._read = self._read[len(PREFACE) :]
        return self._begun

    def _take(self, answers: list[bytes]) -> bool:
        """Deal with every frame that is whole; whether the connection ends."""
        at, held = 0, self._read
        while len(held) - at >= _HEAD:
            size = int.from_bytes(held[at : at + 3], "big")
            too_many = self._frames >= _MOST_FRAMES or self._streams > _MOST_STREAMS
            if size > _LONGEST_FRAME or too_many:
                answers.append(frame(_GOAWAY, 0, 0, bytes(4) + _PROTOCOL_ERROR.to_bytes(4, "big")))
                return True
            end = at + _HEAD + size
            if len(held) < end:
                break
            if held[at + 3] == _GOAWAY:
                return True
            self._frames += 1
            self._answer(held[at : at + _HEAD], held[at + _HEAD : end], answers)
            at = end
        self._read = held[at:]
        return False

    def _answer(self, head: bytes, payload: bytes, answers: list[bytes]) -> None:
        kind, flags = head[3], head[4]
        if kind == _HEADERS:
            self._streams += 1
            stream = int.from_bytes(head[5:], "big") & 0x7FFFFFFF
            answers.append(refusal_frames(self._refused, stream, grpc=is_grpc(payload)))
        elif kind in {_SETTINGS, _PING} and not flags & _ACK:
            answers.append(frame(kind, _ACK, 0, payload if kind == _PING else b""))


class FirstCall:
    """Looks at a connection until its first call shows whether it is gRPC's.

    Attributes:
        grpc: Whether it is; None as long as that is not known.
        stream: The first call's stream.
    """

    def __init__(self) -> None:
        self.grpc: bool | None = None
        self.stream = 0
        self._held = b""
        self._missing = len(PREFACE)

    def feed(self, data: bytes) -> bytes:
        """Take what came; what of it may be passed on: all before the first call, then all."""
        self._held += data
        passed = len(self._held) if self.grpc else self._look()
        out, self._held = self._held[:passed], self._held[passed:]
        return out

    def _look(self) -> int:
        """How much of what is held can be passed on."""
        at = min(self._missing, len(self._held))
        self._missing -= at
        while self.grpc is None and len(self._held) >= at + _HEAD:
            end = at + _HEAD + int.from_bytes(self._held[at : at + 3], "big")
            if end - at > _HEAD + _LONGEST_FRAME:
                self.grpc = True  # the listener refuses it in its own way
            elif len(self._held) < end:
                break
            elif self._held[at + 3] == _HEADERS:
                self.stream = int.from_bytes(self._held[at + 5 : at + 9], "big") & 0x7FFFFFFF
                self.grpc = is_grpc(self._held[at + _HEAD : end])
            else:
                at = end
        return len(self._held) if self.grpc else at


def is_grpc(headers: bytes) -> bool:
    """Whether a block of headers, as sent, says that it is a gRPC call."""
    return _GRPC in headers or _GRPC_CODED in headers


def refusal_frames(refused: RefusalAnswer, stream: int, *, grpc: bool) -> bytes:
    """The frames that refuse one call."""
    if grpc:
        headers = (
            _OK
            + _field("content-type", "application/grpc")
            + _field("grpc-status", str(refused.grpc_status))
            + _field("grpc-message", quote(refused.reason, safe=_UNESCAPED))
        )
        return frame(_HEADERS, END_STREAM | _END_HEADERS, stream, headers)
    body = f"{refused.reason}\n".encode()
    headers = bytes([_STATUS]) + _text(str(refused.status)) + _field("content-type", "text/plain")
    return frame(_HEADERS, _END_HEADERS, stream, headers) + frame(_DATA, END_STREAM, stream, body)


def goaway_frame(stream: int) -> bytes:
    """The frame that ends a connection whose last call was on a stream."""
    return frame(_GOAWAY, 0, 0, stream.to_bytes(4, "big") + bytes(4))


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """One frame.

    >>> frame(4, 0, 0).hex()
    '000000040000000000'
    """
    head = len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big")
    return head + payload


def _field(name: str, value: str) -> bytes:
    """A header in HPACK: literal, never indexed, not compressed."""
    return b"\x10" + _text(name) + _text(value)


def _text(text: str) -> bytes:
    raw = text.encode()
    return _length(len(raw)) + raw


def _length(size: int) -> bytes:
    """An integer with a prefix of seven bits."""
    if size < 127:
        return bytes([size])
    size -= 127
    out = bytearray([127])
    while size >= 128:
        out.append(size & 127 | 128)
        size >>= 7
    out.append(size)
    return bytes(out)
