"""Protobuf without descriptors, MessagePack and CBOR."""

import struct
from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.struct_pb2 import Struct
from google.protobuf.wrappers_pb2 import BytesValue, DoubleValue, Int64Value, StringValue
from hypothesis import given
from hypothesis import strategies as st

from mockserver.model import Json
from mockserver.redaction.readers.binary import redact_cbor, redact_msgpack, redact_protobuf


def _redact(text: str) -> str:
    return text.replace("ada@corp.io", "a pseudonym that is a good deal longer than the address")


def _message() -> Struct:
    message = Struct()
    message.update({"who": {"mail": ["ada@corp.io", 1.5, True]}, "long": "x" * 300})
    return message


def test_texts_within_are_redacted_and_lengths_are_right() -> None:
    made = Struct()
    made.ParseFromString(redact_protobuf(_message().SerializeToString(), _redact))
    assert made["who"]["mail"][0] == _redact("ada@corp.io")
    assert made["long"] == "x" * 300


def test_frames_of_a_stream_are_kept_apart() -> None:
    one = _message().SerializeToString()
    made = redact_protobuf(
        b"".join(struct.pack(">BI", 0, len(part)) + part for part in (one, b"")), _redact
    )
    length = struct.unpack(">I", made[1:5])[0]
    assert made[5 + length :] == bytes(5)
    assert b"ada@corp.io" not in made


def test_messages_without_texts_stay() -> None:
    for message in (Int64Value(value=2**60), DoubleValue(value=1.5), StringValue(value="x")):
        content = message.SerializeToString()
        assert redact_protobuf(content, _redact) == content


@pytest.mark.parametrize("wanted", [0, 1, 127, 128, 16_384])
@pytest.mark.parametrize("size", [1, 127, 128, 129, 255, 256, 16_383, 16_384, 2_097_152])
def test_a_text_of_every_size_is_replaced(size: int, wanted: int) -> None:
    content = StringValue(value="x" * size).SerializeToString()
    made = redact_protobuf(content, lambda text: "y" * wanted)
    assert StringValue.FromString(made).value == "y" * wanted


def nested(text: str, levels: int) -> bytes:
    content = text.encode()
    for _ in range(levels):
        content = BytesValue(value=content).SerializeToString()
    return content


@pytest.mark.parametrize("text", ["quiet", "quiet " * 7, "a\nquiet\n", "quiet" * 40])
@pytest.mark.parametrize("levels", [1, 2, 25])
def test_a_text_within_messages_has_its_length_in_each(levels: int, text: str) -> None:
    made = redact_protobuf(nested(text, levels), lambda text: text.replace("quiet", "loud"))
    assert made == nested(text.replace("quiet", "loud"), levels)


def test_messages_are_read_to_a_depth() -> None:
    content = nested("quiet" * 40, 26)
    assert redact_protobuf(content, lambda text: text.replace("quiet", "loud")) == content


def test_numbers_of_every_width_stay_between_texts() -> None:
    def message(text: bytes) -> bytes:
        told = b"\x0a" + bytes([len(text)]) + text
        return told + b"\x10\xac\x02" + told + b"\x19" + b"ada@corp" + told + b"\x25loud" + told

    assert redact_protobuf(
        message(b"quiet"), lambda text: text.replace("quiet", "loud")
    ) == message(b"loud")


@given(st.binary(max_size=60))
def test_what_is_no_message_stays(content: bytes) -> None:
    assert redact_protobuf(content, lambda text: text) == content


Encode = Callable[[Any, int], bytes]
WIDTHS = {0: None, 1: ">B", 2: ">H", 4: ">I", 8: ">Q"}


def sized(tag: int, size: int, width: int) -> bytes:
    return bytes([tag]) + struct.pack(WIDTHS[width] or "", *([size] if width else []))


def msgpack(value: Any, width: int) -> bytes:
    """MessagePack with sizes of so many bytes; the shortest for 0."""
    at = {1: 0, 2: 1, 4: 2}.get(width, 0)
    match value:
        case None | bool():
            return bytes([{None: 0xC0, False: 0xC2, True: 0xC3}[value]])
        case int() if not width:
            return struct.pack("b", value)
        case int():
            return sized(0xCC + at, value, width)
        case float():
            return b"\xcb" + struct.pack(">d", value)
        case bytes():
            fits = 1 if len(value) < 256 else 2 if len(value) < 65536 else 4
            width = width or fits
            return sized({1: 0xC4, 2: 0xC5, 4: 0xC6}[width], len(value), width) + value
        case str():
            raw = value.encode()
            if not width and len(raw) < 32:
                return bytes([0xA0 | len(raw)]) + raw
            width = width or (1 if len(raw) < 256 else 2 if len(raw) < 65536 else 4)
            return sized({1: 0xD9, 2: 0xDA, 4: 0xDB}[width], len(raw), width) + raw
        case _:
            tags = {2: 0xDC, 4: 0xDD} if isinstance(value, list) else {2: 0xDE, 4: 0xDF}
            least = 0x90 if isinstance(value, list) else 0x80
            inner = value if isinstance(value, list) else sum(value.items(), ())
            head = sized(tags.get(width, least | len(value)), len(value), width if width > 1 else 0)
            return head + b"".join(msgpack(each, width) for each in inner)


def cbor(value: Any, width: int) -> bytes:
    """CBOR with sizes of so many bytes; the shortest for 0, without an end for lists of 8."""

    def head(major: int, size: int) -> bytes:
        fits = 0 if size < 24 else 1 if size < 256 else 2 if size < 65536 else 4
        chosen = width or fits
        low = size if not chosen else {1: 24, 2: 25, 4: 26, 8: 27}[chosen]
        return sized(major << 5 | low, size, chosen)

    match value:
        case None | bool():
            return bytes([{None: 0xF6, False: 0xF4, True: 0xF5}[value]])
        case int():
            return head(0, value) if value >= 0 else head(1, -1 - value)
        case float():
            return b"\xfb" + struct.pack(">d", value)
        case bytes() | str():
            raw = value if isinstance(value, bytes) else value.encode()
            return head(2 if isinstance(value, bytes) else 3, len(raw)) + raw
        case list():
            inner = b"".join(cbor(each, width) for each in value)
            return b"\x9f" + inner + b"\xff" if width == 8 else head(4, len(value)) + inner
        case _:
            inner = b"".join(cbor(each, width) for pair in value.items() for each in pair)
            return b"\xbf" + inner + b"\xff" if width == 8 else head(5, len(value)) + inner


VALUE = {
    "list": [1, 0, 127, "kept", None, True, False, 1.5, b"plain", b"\xff\x00", ["in"]],
    "map": {"x": {}, "y": [], 7: "number", True: ["deep"]},
}
READ = {
    "list": [1, 0, 127, "kept", None, None, None, None, "plain", None, ["in"]],
    "map": {"x": {}, "y": [], "\x002": "number", "\x003": ["deep"]},
}


@pytest.mark.parametrize("width", [0, 1, 2, 4, 8])
@pytest.mark.parametrize("encode", [msgpack, cbor])
def test_packed_values_are_read_whatever_their_sizes(encode: Encode, width: int) -> None:
    if encode is msgpack and width == 8:
        return
    reader = redact_msgpack if encode is msgpack else redact_cbor
    content = encode(VALUE, width) + encode(["second"], width)
    seen: list[Json] = []

    def redact(value: Json) -> Json:
        seen.append(value)
        return value

    assert reader(content, redact) == content
    assert seen == [READ, ["second"]]
    assert reader(content[:-1], lambda value: value) is None
    assert reader(content + b"\xc1\x1c", lambda value: value) is None


@pytest.mark.parametrize("size", [0, 23, 24, 31, 32, 255, 256, 65_535, 65_536])
@pytest.mark.parametrize("encode", [msgpack, cbor])
@pytest.mark.parametrize("binary", [False, True])
def test_what_is_replaced_has_the_size_that_it_needs(
    encode: Encode, size: int, binary: bool
) -> None:
    reader = redact_msgpack if encode is msgpack else redact_cbor
    old: Any = b"quiet" if binary else "quiet"
    new: Any = b"x" * size if binary else "x" * size
    before = {"a": [old, "kept"], 1: [2], "b": old}
    after = {"a": [new, "kept"], 1: [2], "b": new}
    made = reader(encode(before, 0), lambda value: replaced(value, "x" * size))
    assert made == encode(after, 0)


def replaced(value: Json, new: str) -> Json:
    if isinstance(value, dict):
        return {name: replaced(item, new) for name, item in value.items()}
    if isinstance(value, list):
        return [replaced(item, new) for item in value]
    return new if value == "quiet" else value


@pytest.mark.parametrize(
    ("reader", "content"),
    [
        (redact_msgpack, b"\x91" * 64 + b"\x01"), (redact_cbor, b"\x81" * 64 + b"\x01"),
        (redact_cbor, b"\xc1\x1a\x00\x00\x00\x01"), (redact_cbor, b"\x7f\x61a\x61b\xff"),
        (redact_cbor, b"\xf9\x3c\x00"), (redact_cbor, b"\x39\x01\x00"), (redact_msgpack, b"\xe0"),
    ],
)  # fmt: skip
def test_other_values_stay(reader: Any, content: bytes) -> None:
    """Tags, texts in pieces and halves; the deepest lists that are read."""
    assert reader(content, lambda value: value) == content
    assert reader(content * 2, lambda value: value) == content * 2
    assert reader(content[:-1], lambda value: value) in (None, b"")


@pytest.mark.parametrize(
    ("reader", "content", "value"),
    [
        *((redact_msgpack, struct.pack("b", number), number) for number in range(-32, 128)),
        *((redact_msgpack, bytes([0xCC + at]) + bytes(size - 1) + b"\x07", 7)
          for at, size in enumerate((1, 2, 4, 8))),
        (redact_msgpack, b"\xcd\x01\x02", 258), (redact_msgpack, b"\xd0\x07", None),
        *((redact_cbor, bytes([number]), number) for number in range(24)),
        (redact_cbor, b"\x18\xff", 255), (redact_cbor, b"\x19\x01\x02", 258),
        (redact_cbor, b"\x20", None),
    ],
)  # fmt: skip
def test_numbers_are_read_as_they_are(reader: Any, content: bytes, value: int | None) -> None:
    def keep(given: Json) -> Json:
        seen.append(given)
        return given

    seen: list[Json] = []
    assert reader(content, keep) == content
    assert seen == [value]


MSGPACK_SIZES = {
    **dict.fromkeys([*range(0x80), *range(0xE0, 0x100), 0xC0, 0xC2, 0xC3], 0),
    0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8,
    0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17,
}  # fmt: skip
"""Bytes that follow a tag, by the specification; the last five are extensions with their type."""

SINGLE = [
    *((redact_msgpack, b"\x92%s\xa5quiet", bytes([tag]) + b"\xd9" * size)
      for tag, size in MSGPACK_SIZES.items()),
    *((redact_msgpack, b"\x92%s\xa5quiet", head + b"\x01\xd9\xd9")
      for head in (b"\xc7\x02", b"\xc8\x00\x02", b"\xc9\x00\x00\x00\x02")),
    *((redact_cbor, b"\x82%s\x65quiet", bytes([tag]) + b"\x78" * size)
      for major in (0x00, 0x20, 0xE0)
      for tag, size in ((0, 0), (23, 0), (24, 1), (25, 2), (26, 4), (27, 8))
      for tag in (major | tag,)),
    (redact_cbor, b"\x82%s\x65quiet", b"\x5f\x41\x78\x41\x00\xff"),
]  # fmt: skip


@pytest.mark.parametrize(("reader", "frame", "value"), SINGLE)
def test_a_text_is_found_behind_every_value(reader: Any, frame: bytes, value: bytes) -> None:
    content = frame % value
    other = content.replace(b"quiet", b"loud!")
    assert reader(content, lambda value: replaced(value, "loud!")) == other
    assert reader(content[:-1], lambda value: value) is None
    alone = frame[:1] + value + value
    assert reader(alone, lambda value: value) == alone
    assert reader(alone[:-1], lambda value: value) is None


@pytest.mark.parametrize(
    ("reader", "content"),
    [
        (redact_msgpack, b"\x91" * 65 + b"\x01"), (redact_cbor, b"\x81" * 65 + b"\x01"),
        (redact_cbor, b"\x1c"), (redact_cbor, b"\x1e"), (redact_msgpack, b"\xc1"),
        (redact_msgpack, b"\x82\xa1a\x01\xa1a\x01"), (redact_cbor, b"\xa2\x61a\x01\x61a\x01"),
    ],
)  # fmt: skip
def test_what_is_nested_too_deep_or_never_used_is_none(reader: Any, content: bytes) -> None:
    assert reader(content, lambda value: value) is None
