"""Export requests of OTLP in Protocol Buffers, read without generated classes.

The wire format is a few rules, and generated classes would tie a program under test to one version
of protobuf. Unknown fields are passed over, as readers of Protocol Buffers do.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from mockserver.model import Json, JsonMapping
from mockserver.traces.otlp_json import SpanError
from mockserver.traces.spans import Span, SpanEvent

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10
_SIGN, _WORD = 1 << 63, 1 << 64
_DEEPEST = 16
_ERROR = 2
_double = struct.Struct("<d").unpack


class SizedSpan(NamedTuple):
    """A span, and how many bytes it was in the request."""

    span: Span
    size: int


def read_protobuf_spans(content: bytes) -> Iterator[SizedSpan]:
    """Read an `ExportTraceServiceRequest`.

    Yields:
        The spans, in order, each with its size.

    Raises:
        SpanError: It is something else.
    """
    for number, resource_spans in _fields(content):
        if number != 1:
            continue
        parts = list(_fields(_message(resource_spans)))
        resource: JsonMapping = {}
        for field, value in parts:
            if field == 1:
                resource = _attributes(_fields(_message(value)), 1)
        for field, value in parts:
            if field == 2:
                yield from _read_scope(_message(value), resource)


def _read_scope(content: bytes, resource: JsonMapping) -> Iterator[SizedSpan]:
    parts = list(_fields(content))
    named = ""
    for number, value in parts:
        if number == 1:
            named = next((_text(each) for at, each in _fields(_message(value)) if at == 1), "")
    for number, value in parts:
        if number == 2:
            span = _message(value)
            yield SizedSpan(_span(span, resource, named), len(span))


def _span(content: bytes, resource: JsonMapping, scope: str) -> Span:
    attributes: dict[str, Json] = {}
    events: list[SpanEvent] = []
    single: dict[int, bytes | int] = {}
    for number, value in _fields(content):
        if number == 9:
            key, held = _pair(_message(value))
            attributes[key] = held
        elif number == 11:
            events.append(_event(_message(value)))
        else:
            single[number] = value
    trace, id, parent = (_message(single.get(number, b"")).hex() for number in (1, 2, 4))
    if not trace or not id:
        raise SpanError("a span has no trace_id or no span_id")
    status = dict(_fields(_message(single.get(15, b""))))
    return Span(
        trace,
        id,
        parent,
        name=_text(single.get(5, b"")),
        start_ns=_number(single.get(7, 0)),
        end_ns=_number(single.get(8, 0)),
        attributes=attributes,
        events=tuple(events),
        is_error=_number(status.get(3, 0)) == _ERROR,
        message=_text(status.get(2, b"")),
        resource=resource,
        scope=scope,
    )


def _event(content: bytes) -> SpanEvent:
    name, attributes = "", {}
    for number, value in _fields(content):
        if number == 2:
            name = _text(value)
        elif number == 3:
            key, held = _pair(_message(value))
            attributes[key] = held
    return SpanEvent(name, attributes)


def _attributes(fields: "Iterator[tuple[int, bytes | int]]", wanted: int) -> dict[str, Json]:
    return dict(_pair(_message(value)) for number, value in fields if number == wanted)


def _pair(content: bytes, depth: int = 0) -> tuple[str, Json]:
    """A `KeyValue`."""
    if content[:1] == b"\x0a" and len(content) > 4:
        # a short key before a short value, as nearly all are
        middle = content[1] + 2
        if content[middle : middle + 1] == b"\x12" and content[1] < 128:
            size = len(content) - middle - 2
            if size == content[middle + 1] < 128:
                return content[2:middle].decode("utf-8", "replace"), _plain(
                    content[middle + 2 :], depth
                )
    key, held = "", None
    for number, value in _fields(content):
        if number == 1:
            key = _text(value)
        elif number == 2:
            held = _plain(_message(value), depth)
    return key, held


def _plain(content: bytes, depth: int) -> Json:
    """An `AnyValue` as a plain value; the last of its fields counts."""
    if content[:1] == b"\x0a" and len(content) > 1 and content[1] == len(content) - 2 < 128:
        return content[2:].decode("utf-8", "replace")  # a short text, as most values are
    held: Json = None
    for number, value in _fields(content):
        if number == 1:
            held = _text(value)
        elif number == 2:
            held = bool(value)
        elif number == 3:
            held = _number(value)
            held -= _WORD if held >= _SIGN else 0
        elif number == 4:
            (held,) = _double(_number(value).to_bytes(8, "little"))
            if held != held or held in {_INFINITE, -_INFINITE}:
                held = str(held)  # JSON has none of them
        elif number in {5, 6}:
            held = None if depth >= _DEEPEST else _several(_message(value), number, depth + 1)
        elif number == 7:
            held = _message(value).hex()
    return held


_INFINITE = float("inf")


def _several(content: bytes, kind: int, depth: int) -> Json:
    values = [_message(value) for number, value in _fields(content) if number == 1]
    if kind == 5:
        return [_plain(each, depth) for each in values]
    return dict(_pair(each, depth) for each in values)


def _text(value: bytes | int) -> str:
    return _message(value).decode("utf-8", "replace")


def _message(value: bytes | int) -> bytes:
    if isinstance(value, int):
        raise SpanError("a field has a number where a message or a text belongs")
    return value


def _number(value: bytes | int) -> int:
    if not isinstance(value, int):
        raise SpanError("a field has bytes where a number belongs")
    return value


def _fields(content: bytes) -> Iterator[tuple[int, bytes | int]]:
    """The fields of a message.

    Yields:
        Number, and content or number.

    Raises:
        SpanError: It breaks off, or is no message.
    """
    at, end = 0, len(content)
    while at < end:
        tag = content[at]
        at += 1
        if tag >= 128:
            tag, at = _varint(content, at - 1)
        kind = tag & 7
        if kind == _BYTES:
            if at >= end:
                raise SpanError("a message breaks off")
            size = content[at]
            at += 1
            if size >= 128:
                size, at = _varint(content, at - 1)
            if size > end - at:
                raise SpanError("a message breaks off")
            yield tag >> 3, content[at : at + size]
            at += size
        elif kind == _VARINT:
            value, at = _varint(content, at)
            yield tag >> 3, value
        elif kind in {_FIXED64, _FIXED32}:
            size = 8 if kind == _FIXED64 else 4
            if size > end - at:
                raise SpanError("a message breaks off")
            yield tag >> 3, int.from_bytes(content[at : at + size], "little")
            at += size
        else:
            raise SpanError(f"no field of a message has wire type {kind}")


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place, byte in enumerate(content[at : at + _LONGEST_VARINT]):
        value |= (byte & 127) << (7 * place)
        if byte < 128:
            return value % _WORD, at + place + 1
    raise SpanError("a number breaks off or is too long")


def count_protobuf_spans(content: bytes) -> int:
    """How many spans an `ExportTraceServiceRequest` holds, without a look into them.

    Raises:
        SpanError: It is something else.
    """
    found = 0
    for number, resource_spans in _fields(content):
        for field, scope in _fields(_message(resource_spans)) if number == 1 else ():
            if field == 2:
                found += sum(at == 2 for at, _ in _fields(_message(scope)))
    return found


def partial_success(rejected: int, message: str) -> bytes:
    r"""An answer to an export that says how much of it was rejected; empty where nothing was.

    >>> partial_success(300, "full")
    b'\n\t\x08\xac\x02\x12\x04full'
    """
    if not rejected and not message:
        return b""
    inner = (b"\x08" + _as_varint(rejected) if rejected else b"") + _as_text(2, message)
    return b"\x0a" + _as_varint(len(inner)) + inner


def status_message(code: int, message: str) -> bytes:
    """A `google.rpc.Status`, as OTLP over HTTP says what is wrong."""
    return b"\x08" + _as_varint(code) + _as_text(2, message)


def _as_text(number: int, text: str) -> bytes:
    content = text.encode()
    return bytes([number << 3 | _BYTES]) + _as_varint(len(content)) + content


def _as_varint(number: int) -> bytes:
    parts = bytearray()
    while number >= 128:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])
