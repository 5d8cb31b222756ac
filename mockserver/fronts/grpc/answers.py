"""Answers as gRPC messages: JSON, as handlers give it, to bytes.

Resources that a handler hands out as it holds them are written once: the bytes of a message are
those of its fields, one after the other, so an answer is put together from them.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from google.protobuf import message_factory

from mockserver.fronts.grpc.values import Notes, fields_of, read_fields
from mockserver.model import Json, JsonObject
from mockserver.sources.memo import AnswerMemo, IdentityMemo

_ANSWERS_KEPT = 128
_LARGEST_KEPT = 64 * 1024
_ROWS_KEPT = 2048
_LARGEST_ROW_KEPT = 16 * 1024
_LENGTH_DELIMITED = 2
"""Protobuf's wire type of messages."""

Written = tuple[bytes, tuple[str, ...]]
"""A message as bytes, and the paths of what it has no place for."""


class MessageWriter:
    """Writes messages of one type; for values that nobody changes in place.

    Args:
        message: The generated class.
    """

    def __init__(self, message: Any) -> None:
        self._message = message
        self._rows_kept: IdentityMemo[Written] = IdentityMemo(_ROWS_KEPT)
        self._kept: AnswerMemo[Written] = AnswerMemo(_ANSWERS_KEPT)

    @cached_property
    def _fields(self) -> Mapping[str, Any]:
        return fields_of(self._message.DESCRIPTOR)

    @cached_property
    def _rows(self) -> "Mapping[str, tuple[bytes, MessageWriter]]":
        """The fields that hold several messages: the tag of one, and what writes it."""
        found = {}
        for field in self._message.DESCRIPTOR.fields:
            message = field.message_type
            if message is not None and field.is_repeated and not message.GetOptions().map_entry:
                row = MessageWriter(message_factory.GetMessageClass(message))
                tag = _varint(field.number << 3 | _LENGTH_DELIMITED)
                found[field.name] = found[field.json_name] = (tag, row)
        return found

    def write(self, payload: JsonObject) -> Written:
        """Write an answer.

        Raises:
            ValueError: A text that no message can hold.
        """
        found = self._kept.get(payload)
        if found is not None:
            return found
        notes: Notes = []
        parts: list[bytes] = []
        others = {}
        for name, value in payload.items():
            row = self._rows.get(name)
            if row is not None and isinstance(value, list):
                _write_rows(name, value, row, (parts, notes))
            else:
                others[name] = value
        parts.append(self._plain(others, notes))
        written = (b"".join(parts), tuple(notes))
        if len(written[0]) <= _LARGEST_KEPT:
            self._kept.keep(payload, written)
        return written

    def write_row(self, payload: JsonObject) -> Written:
        """Write one resource, with all that is in it."""
        found = self._rows_kept.get(payload)
        if found is not None:
            return found
        notes: Notes = []
        written = (self._plain(payload, notes), tuple(notes))
        if len(written[0]) <= _LARGEST_ROW_KEPT:
            self._rows_kept.keep(payload, written)
        return written

    def _plain(self, payload: JsonObject, notes: Notes) -> bytes:
        if not payload:
            return b""
        message = self._message(**read_fields(self._fields, payload, notes))
        content: bytes = message.SerializeToString()
        return content


def _write_rows(
    name: str,
    values: list[Json],
    row: tuple[bytes, MessageWriter],
    into: tuple[list[bytes], Notes],
) -> None:
    tag, writer = row
    parts, notes = into
    for value in values:
        if not isinstance(value, dict):
            notes.append(name)
            continue
        content, unplaced = writer.write_row(value)
        parts += (tag, _varint(len(content)), content)
        notes += [f"{name}.{note}" for note in unplaced]


def _varint(number: int) -> bytes:
    """A number in protobuf's variable length: seven bits a byte, the lowest first.

    >>> _varint(300).hex()
    'ac02'
    """
    content = bytearray()
    while number > 0x7F:
        content.append(number & 0x7F | 0x80)
        number >>= 7
    content.append(number)
    return bytes(content)
