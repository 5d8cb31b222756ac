"""Protobuf messages without their descriptors: texts within are redacted, lengths set right."""

import struct
from collections.abc import Callable, Iterator

Redact = Callable[[str], str]

_FRAME = struct.Struct(">BI")
_DEEPEST = 24
_VARINT, _WIDE, _BYTES, _NARROW = 0, 1, 2, 5
_FIXED = {_WIDE: 8, _NARROW: 4}


def protobuf(content: bytes, redact: Redact) -> bytes:
    """A message, or the frames of a gRPC stream; as it is where it is neither."""
    frames = _frames(content)
    if frames is not None:
        made = [(flag, _message(body, redact, 0)) for flag, body in frames]
        return b"".join(
            _FRAME.pack(flag, len(new or body)) + (new or body)
            for (flag, new), (_, body) in zip(made, frames, strict=True)
        )
    return _message(content, redact, 0) or content


def _frames(content: bytes) -> list[tuple[int, bytes]] | None:
    found, place = [], 0
    while place + _FRAME.size <= len(content):
        flag, length = _FRAME.unpack_from(content, place)
        place += _FRAME.size
        if flag not in {0, 0x80} or place + length > len(content):
            return None
        found.append((flag, content[place : place + length]))
        place += length
    return found if found and place == len(content) else None


def _message(content: bytes, redact: Redact, depth: int) -> bytes | None:
    """The message redacted; None where it is none."""
    try:
        return b"".join(_fields(content, redact, depth))
    except (ValueError, LookupError):
        return None


def _fields(content: bytes, redact: Redact, depth: int) -> Iterator[bytes]:
    place = 0
    while place < len(content):
        start = place
        tag, place = _varint(content, place)
        if not tag >> 3 or depth > _DEEPEST:
            raise ValueError("no field has the number 0")
        wire = tag & 7
        if wire == _BYTES:
            length, body = _varint(content, place)
            place = body + length
            if place > len(content):
                raise ValueError("longer than what is there")
            head = _written(tag)
            made = _bytes(content[body:place], redact, depth)
            yield content[start:place] if made is None else head + _written(len(made)) + made
        else:
            place = _varint(content, place)[1] if wire == _VARINT else place + _FIXED[wire]
            if place > len(content):
                raise ValueError("longer than what is there")
            yield content[start:place]


def _bytes(content: bytes, redact: Redact, depth: int) -> bytes | None:
    """A text or a message within; None where nothing is replaced."""
    text = _text(content)
    if text is not None:
        made = redact(text)
        if made != text:
            return made.encode()
    inner = _message(content, redact, depth + 1) if content else None
    return None if inner is None or inner == content else inner


def _text(content: bytes) -> str | None:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() or "\n" in text else None


def _varint(content: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        sign = content[place]
        value |= (sign & 0x7F) << shift
        place += 1
        if sign < 0x80:
            return value, place
        shift += 7
        if shift > 63:
            raise ValueError("too long a number")


def _written(value: int) -> bytes:
    done = bytearray()
    while value > 0x7F:
        done.append(value & 0x7F | 0x80)
        value >>= 7
    done.append(value)
    return bytes(done)
