"""Redacts the texts in MessagePack, CBOR and protobuf messages; other bytes stay as they are."""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mockserver.model import Json

Redact = Callable[[Json], Json]

_DEEPEST = 64


@dataclass(slots=True)
class _Node:
    """A value: its bytes, what it is as JSON, and what is in it.

    Attributes:
        raw: Its bytes; of a container those before its items.
        text: The text, where it is one.
        items: What is in a list, or the keys and values of a map in turn.
        kind: `text`, `bytes`, `list`, `map` or `other`.
        tail: The bytes after its items.
        value: A number, where it is one.
    """

    raw: bytes
    kind: str = "other"
    text: str = ""
    items: "list[_Node]" = field(default_factory=list)
    tail: bytes = b""
    value: Json = None


NodeReader = Callable[[bytes, int, int], tuple[_Node, int]]
Write = Callable[[str, str], bytes]


def redact_msgpack(content: bytes, redact: Redact) -> bytes | None:
    """MessagePack redacted; None where it is none."""
    return _redact_nodes(content, redact, _msgpack, _msgpack_text)


def redact_cbor(content: bytes, redact: Redact) -> bytes | None:
    """CBOR redacted; None where it is none."""
    return _redact_nodes(content, redact, _cbor, _cbor_text)


def _redact_nodes(content: bytes, redact: Redact, read: NodeReader, write: Write) -> bytes | None:
    done, at = [], 0
    try:
        while at < len(content):
            node, at = read(content, at, 0)
            done.append(_write_node(node, redact(_as_json(node)), write))
    except (ValueError, LookupError, struct.error):
        return None
    return b"".join(done)


def _as_json(node: _Node) -> Json:
    if node.kind in {"text", "bytes"}:
        return node.text
    if node.kind == "list":
        return [_as_json(item) for item in node.items]
    if node.kind == "map":
        pairs = zip(node.items[::2], node.items[1::2], strict=True)
        return {_name(place, key): _as_json(item) for place, (key, item) in enumerate(pairs)}
    return node.value


def _name(place: int, key: _Node) -> str:
    return key.text if key.kind == "text" else f"\0{place}"


def _write_node(node: _Node, redacted: Json, write: Write) -> bytes:
    if node.kind in {"text", "bytes"}:
        return (
            write(node.kind, redacted)
            if isinstance(redacted, str) and redacted != node.text
            else node.raw
        )
    if isinstance(redacted, list) and node.kind == "list":
        inner = b"".join(
            _write_node(item, new, write) for item, new in zip(node.items, redacted, strict=True)
        )
        return node.raw + inner + node.tail
    if isinstance(redacted, dict) and node.kind == "map":
        return node.raw + b"".join(_pairs(node, redacted, write)) + node.tail
    return node.raw


def _pairs(node: _Node, redacted: dict[str, Json], write: Write) -> Iterator[bytes]:
    keys, values = node.items[::2], node.items[1::2]
    if len(redacted) != len(keys):
        raise ValueError("a key comes twice")
    for key, value, (name, new) in zip(keys, values, redacted.items(), strict=True):
        yield _write_node(key, name, write) if key.kind == "text" else _whole(key)
        yield _write_node(value, new, write)


def _whole(node: _Node) -> bytes:
    return node.raw + b"".join(map(_whole, node.items)) + node.tail


def _cut(content: bytes, start: int, size: int) -> bytes:
    if start + size > len(content):
        raise ValueError("longer than what is there")
    return content[start : start + size]


def _text_node(raw: bytes, content: bytes, *, binary: bool) -> _Node:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return _Node(raw)
    if binary and not text.isprintable():
        return _Node(raw)
    return _Node(raw, "bytes" if binary else "text", text)


_SIZES = {1: ">B", 2: ">H", 4: ">I", 8: ">Q"}
_MSGPACK_SIZED = {  # tag: (kind, bytes of its size, bytes that it has besides)
    0xC4: ("bytes", 1, 0), 0xC5: ("bytes", 2, 0), 0xC6: ("bytes", 4, 0),
    0xC7: ("other", 1, 1), 0xC8: ("other", 2, 1), 0xC9: ("other", 4, 1),
    0xD9: ("text", 1, 0), 0xDA: ("text", 2, 0), 0xDB: ("text", 4, 0),
    0xDC: ("list", 2, 0), 0xDD: ("list", 4, 0), 0xDE: ("map", 2, 0), 0xDF: ("map", 4, 0),
}  # fmt: skip
_MSGPACK_FIXED = {
    0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1,
    0xD1: 2, 0xD2: 4, 0xD3: 8, 0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17,
}  # fmt: skip


def _msgpack(content: bytes, at: int, depth: int) -> tuple[_Node, int]:
    tag = content[at]
    if depth > _DEEPEST:
        raise ValueError("nested too deep")
    if tag < 0x80 or tag >= 0xE0:
        return _Node(content[at : at + 1], value=tag if tag < 0x80 else tag - 256), at + 1
    if tag in _MSGPACK_FIXED:
        size = _MSGPACK_FIXED[tag]
        raw = _cut(content, at, 1 + size)
        number = int.from_bytes(raw[1:]) if 0xCC <= tag <= 0xCF else None
        return _Node(raw, value=number), at + 1 + size
    if tag in _MSGPACK_SIZED:
        kind, width, more = _MSGPACK_SIZED[tag]
        size = int.from_bytes(_cut(content, at + 1, width)) + more
        start = at + 1 + width
    else:
        kind = "text" if tag >= 0xA0 else "list" if tag >= 0x90 else "map"
        size, start = tag & (0x1F if kind == "text" else 0x0F), at + 1
    if tag == 0xC1:
        raise ValueError("never used")
    if kind in {"list", "map"}:
        node, start = _Node(content[at:start], kind), start
        for _ in range(size * (2 if kind == "map" else 1)):
            item, start = _msgpack(content, start, depth + 1)
            node.items.append(item)
        return node, start
    inner = _cut(content, start, size)
    raw = content[at : start + size]
    if kind == "other":
        return _Node(raw), start + size
    return _text_node(raw, inner, binary=kind == "bytes"), start + size


def _msgpack_text(kind: str, text: str) -> bytes:
    raw = text.encode()
    if kind == "text" and len(raw) < 32:
        return bytes([0xA0 | len(raw)]) + raw
    tags = (0xD9, 0xDA, 0xDB) if kind == "text" else (0xC4, 0xC5, 0xC6)
    return _with_size(tags, (1, 2, 4), raw)


def _with_size(tags: tuple[int, ...], widths: tuple[int, ...], raw: bytes) -> bytes:
    for tag, width in zip(tags, widths, strict=True):
        if len(raw) < 1 << 8 * width:
            return bytes([tag]) + struct.pack(_SIZES[width], len(raw)) + raw
    raise ValueError("too long")


_TEXT, _BYTES, _LIST, _MAP, _TAG, _SIMPLE = 3, 2, 4, 5, 6, 7
_BREAK = b"\xff"
_ENDLESS = 31


def _cbor(content: bytes, at: int, depth: int) -> tuple[_Node, int]:
    major, low = content[at] >> 5, content[at] & 0x1F
    if depth > _DEEPEST or 28 <= low < _ENDLESS:
        raise ValueError("nested too deep, or never used")
    width = {24: 1, 25: 2, 26: 4, 27: 8}.get(low, 0)
    start = at + 1 + width
    size = int.from_bytes(_cut(content, at + 1, width)) if width else low
    if major in {_LIST, _MAP}:
        return _cbor_items(content, at, start, None if low == _ENDLESS else size, depth)
    if low == _ENDLESS and major in {_TEXT, _BYTES}:
        end = content.index(_BREAK, start)  # in pieces: they stay
        return _Node(content[at : end + 1]), end + 1
    if major in {_TEXT, _BYTES}:
        raw = _cut(content, at, start - at + size)
        return _text_node(raw, raw[start - at :], binary=major == _BYTES), start + size
    if major == _TAG:
        inner, end = _cbor(content, start, depth + 1)
        node = _Node(content[at:start], "list", items=[inner])
        return node, end
    return _Node(_cut(content, at, start - at), value=size if major == 0 else None), start


def _cbor_items(
    content: bytes, at: int, start: int, size: int | None, depth: int
) -> tuple[_Node, int]:
    kind = "list" if content[at] >> 5 == _LIST else "map"
    node = _Node(content[at:start], kind)
    count = -1 if size is None else size * (1 if kind == "list" else 2)
    while count:
        if size is None and content[start : start + 1] == _BREAK:
            node.tail, start = _BREAK, start + 1
            break
        item, start = _cbor(content, start, depth + 1)
        node.items.append(item)
        count -= 1
    return node, start


def _cbor_text(kind: str, text: str) -> bytes:
    raw = text.encode()
    base = 0x60 if kind == "text" else 0x40
    if len(raw) < 24:
        return bytes([base | len(raw)]) + raw
    return _with_size((base | 24, base | 25, base | 26), (1, 2, 4), raw)


RedactText = Callable[[str], str]

_FRAME = struct.Struct(">BI")
_PROTOBUF_DEEPEST = 24
_VARINT, _WIDE, _PROTOBUF_BYTES, _NARROW = 0, 1, 2, 5
_FIXED = {_WIDE: 8, _NARROW: 4}


def redact_protobuf(content: bytes, redact: RedactText) -> bytes:
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


def _message(content: bytes, redact: RedactText, depth: int) -> bytes | None:
    """The message redacted; None where it is none."""
    try:
        return b"".join(_fields(content, redact, depth))
    except (ValueError, LookupError):
        return None


def _fields(content: bytes, redact: RedactText, depth: int) -> Iterator[bytes]:
    place = 0
    while place < len(content):
        start = place
        tag, place = _varint(content, place)
        if not tag >> 3 or depth > _PROTOBUF_DEEPEST:
            raise ValueError("no field has the number 0")
        wire = tag & 7
        if wire == _PROTOBUF_BYTES:
            length, body = _varint(content, place)
            place = body + length
            if place > len(content):
                raise ValueError("longer than what is there")
            head = _protobuf_written(tag)
            made = _bytes(content[body:place], redact, depth)
            yield (
                content[start:place] if made is None else head + _protobuf_written(len(made)) + made
            )
        else:
            place = _varint(content, place)[1] if wire == _VARINT else place + _FIXED[wire]
            if place > len(content):
                raise ValueError("longer than what is there")
            yield content[start:place]


def _bytes(content: bytes, redact: RedactText, depth: int) -> bytes | None:
    """A text or a message within; None where nothing is replaced."""
    text = _text(content)
    is_line = text is not None and text.isprintable()
    if not is_line:  # a line break is the tag of a first field, too
        inner = _message(content, redact, depth + 1)
        if inner is not None and inner != content:
            return inner
    if text is not None:
        made = redact(text)
        if made != text:
            return made.encode()
    inner = _message(content, redact, depth + 1) if is_line and content else None
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


def _protobuf_written(value: int) -> bytes:
    done = bytearray()
    while value > 0x7F:
        done.append(value & 0x7F | 0x80)
        value >>= 7
    done.append(value)
    return bytes(done)
