"""Protobuf without descriptors."""

import struct

from google.protobuf.struct_pb2 import Struct
from google.protobuf.wrappers_pb2 import DoubleValue, Int64Value, StringValue
from hypothesis import given
from hypothesis import strategies as st

from mockserver.redaction.readers.binary import redact_protobuf


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


@given(st.binary(max_size=60))
def test_what_is_no_message_stays(content: bytes) -> None:
    assert redact_protobuf(content, lambda text: text) == content
