"""Answers as gRPC messages: JSON, as handlers give it, to bytes.

Resources that a handler hands out as it holds them are written once: the bytes of a message are
those of its fields, one after the other, so an answer is put together from them.
"""

import math
from base64 import b64decode
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache, partial
from typing import Any

from google.protobuf import descriptor, json_format, message_factory

from mockserver.model import Json, JsonObject
from mockserver.sources.memo import AnswerMemo, IdentityMemo

Notes = list[str]
"""Paths of what could not be used, relative to the value at hand."""

Convert = Callable[[Json, Notes], Any]
"""Makes a field's value of a JSON value; raises one of `UNUSABLE`."""

UNUSABLE = (ValueError, TypeError, KeyError, AttributeError, json_format.Error)
"""What a conversion raises for a value that the field cannot hold."""

_FIELD = descriptor.FieldDescriptor
_KEPT = 8192


def converter(field: Any) -> Convert:
    """What reads one field's JSON value."""
    message = field.message_type
    if message is not None and message.GetOptions().map_entry:
        return _map(message)
    single = _single(field)
    return partial(_several, single) if field.is_repeated else single


def fields_of(message: Any) -> Mapping[str, tuple[str, bool, Convert]]:
    """A message's fields by JSON name: own name, whether null is a value, what reads it."""
    found = {}
    for field in message.fields:
        entry = (field.name, _takes_null(field), converter(field))
        found[field.name] = found[field.json_name] = entry
    return found


def read_fields(
    fields: Mapping[str, tuple[str, bool, Convert]], value: Mapping[str, Json], notes: Notes
) -> dict[str, Any]:
    """The keyword arguments for a message; what it cannot hold is noted and left out."""
    arguments = {}
    for name, each in value.items():
        known = fields.get(name)
        if known is None:
            notes.append(name)
            continue
        own_name, takes_null, convert = known
        if each is None and not takes_null:
            continue
        before = len(notes)
        try:
            arguments[own_name] = convert(each, notes)
        except UNUSABLE:
            notes.append("")
        if len(notes) > before:
            notes[before:] = [f"{name}.{note}" if note else name for note in notes[before:]]
    return arguments


def _several(single: Convert, value: Json, notes: Notes) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(value)
    return [single(each, notes) for each in value]


def _map(entry: Any) -> Convert:
    key = _single(entry.fields_by_name["key"])
    single = _single(entry.fields_by_name["value"])

    def convert(value: Json, notes: Notes) -> dict[Any, Any]:
        return {_key(key, name, notes): single(each, notes) for name, each in value.items()}

    return convert


def _key(convert: Convert, name: str, notes: Notes) -> Any:
    return {"true": True, "false": False}[name] if convert is _boolean else convert(name, notes)


def _single(field: Any) -> Convert:
    if field.message_type is not None:
        return _message(field.message_type)
    if field.enum_type is not None:
        return partial(_enum, {name: each.number for name, each in _numbers(field.enum_type)})
    return _SCALARS[field.type]


def _numbers(enum: Any) -> Any:
    return enum.values_by_name.items()


_OF_NULL = frozenset({"google.protobuf.Value", "google.protobuf.NullValue"})


def _takes_null(field: Any) -> bool:
    kind = field.message_type or field.enum_type
    return kind is not None and kind.full_name in _OF_NULL


def _message(message: Any) -> Convert:
    own_way = _WELL_KNOWN.get(message.full_name)
    if own_way is None:
        return partial(_fields, message)
    # of the field's own pool: those of packages are apart from those of the build's pack
    return partial(own_way, message_factory.GetMessageClass(message))


def _fields(message: Any, value: Json, notes: Notes) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(value)
    return read_fields(_cached_fields(message), value, notes)


_cached_fields = lru_cache(None)(fields_of)
"""By descriptor; read on first use, since messages may hold themselves."""


def _enum(numbers: Mapping[str, int], value: Json, notes: Notes) -> int:
    return value if type(value) is int else 0 if value is None else numbers[value]


def _string(value: Json, notes: Notes) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _boolean(value: Json, notes: Notes) -> bool:
    if not isinstance(value, bool):
        raise TypeError(value)
    return value


def _integer(low: int, high: int, value: Json, notes: Notes) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise TypeError(value)
    number = int(value)
    if not low <= number <= high:
        raise ValueError(value)
    return number


def _number(value: Json, notes: Notes) -> float:
    if isinstance(value, bool):
        raise TypeError(value)
    return float(value)


def _single_precision(value: Json, notes: Notes) -> float:
    number = _number(value, notes)
    if math.isfinite(number) and abs(number) > _LARGEST_FLOAT:
        raise ValueError(value)
    return number


def _bytes(value: Json, notes: Notes) -> bytes:
    text = value.replace("-", "+").replace("_", "/")
    return b64decode(text + "=" * (-len(text) % 4), validate=True)


_LARGEST_FLOAT = 3.4028234663852886e38

_SIGNED_32 = partial(_integer, -(2**31), 2**31 - 1)
_UNSIGNED_32 = partial(_integer, 0, 2**32 - 1)
_SIGNED_64 = partial(_integer, -(2**63), 2**63 - 1)
_UNSIGNED_64 = partial(_integer, 0, 2**64 - 1)

_SCALARS: Mapping[int, Convert] = {
    _FIELD.TYPE_STRING: _string,
    _FIELD.TYPE_BOOL: _boolean,
    _FIELD.TYPE_BYTES: _bytes,
    _FIELD.TYPE_DOUBLE: _number,
    _FIELD.TYPE_FLOAT: _single_precision,
    _FIELD.TYPE_INT32: _SIGNED_32,
    _FIELD.TYPE_SINT32: _SIGNED_32,
    _FIELD.TYPE_SFIXED32: _SIGNED_32,
    _FIELD.TYPE_UINT32: _UNSIGNED_32,
    _FIELD.TYPE_FIXED32: _UNSIGNED_32,
    _FIELD.TYPE_INT64: _SIGNED_64,
    _FIELD.TYPE_SINT64: _SIGNED_64,
    _FIELD.TYPE_SFIXED64: _SIGNED_64,
    _FIELD.TYPE_UINT64: _UNSIGNED_64,
    _FIELD.TYPE_FIXED64: _UNSIGNED_64,
}


@lru_cache(_KEPT)
def _from_text(own: Any, text: str) -> Any:
    """A timestamp, a duration or a mask."""
    message = own()
    message.FromJsonString(text)
    return message


def _from_json(own: Any, value: Json, notes: Notes) -> Any:
    pool = own.DESCRIPTOR.file.pool
    return json_format.ParseDict(value, own(), ignore_unknown_fields=True, descriptor_pool=pool)


def _wrapper_of(convert: Convert) -> Callable[[Any, Json, Notes], Any]:
    return lambda own, value, notes: {"value": convert(value, notes)}


_WELL_KNOWN: Mapping[str, Callable[[Any, Json, Notes], Any]] = {
    "google.protobuf.Timestamp": lambda own, value, notes: _from_text(own, value),
    "google.protobuf.Duration": lambda own, value, notes: _from_text(own, value),
    "google.protobuf.FieldMask": lambda own, value, notes: _from_text(own, value),
    "google.protobuf.Any": _from_json,
    # messages, since a dict in the place of a struct would be taken for its own content
    "google.protobuf.Struct": _from_json,
    "google.protobuf.ListValue": _from_json,
    "google.protobuf.Value": _from_json,
    "google.protobuf.BoolValue": _wrapper_of(_boolean),
    "google.protobuf.BytesValue": _wrapper_of(_bytes),
    "google.protobuf.DoubleValue": _wrapper_of(_number),
    "google.protobuf.FloatValue": _wrapper_of(_single_precision),
    "google.protobuf.Int32Value": _wrapper_of(_SIGNED_32),
    "google.protobuf.Int64Value": _wrapper_of(_SIGNED_64),
    "google.protobuf.StringValue": _wrapper_of(_string),
    "google.protobuf.UInt32Value": _wrapper_of(_UNSIGNED_32),
    "google.protobuf.UInt64Value": _wrapper_of(_UNSIGNED_64),
}


_ANSWERS_KEPT = 128
_KEPT_BYTES = 8 * 1024 * 1024
_ROWS_KEPT = 2048
_LARGEST_ROW_KEPT = 16 * 1024
_LENGTH_DELIMITED = 2
"""Protobuf's wire type of messages."""

EncodedMessage = tuple[bytes, tuple[str, ...]]
"""A message as bytes, and the paths of what it has no place for."""


class MessageWriter:
    """Writes messages of one type; for values that nobody changes in place.

    Args:
        message: The generated class.
    """

    def __init__(self, message: Any) -> None:
        self._message = message
        self._rows_kept: IdentityMemo[EncodedMessage] = IdentityMemo(_ROWS_KEPT)
        self._kept: AnswerMemo[EncodedMessage] = AnswerMemo(_ANSWERS_KEPT, _KEPT_BYTES)

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

    def write(self, payload: JsonObject) -> EncodedMessage:
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
                tag, writer = row
                for each in value:
                    if not isinstance(each, dict):
                        notes.append(name)
                        continue
                    content, unplaced = writer.write_row(each)
                    parts += (tag, _varint(len(content)), content)
                    notes += [f"{name}.{note}" for note in unplaced]
            else:
                others[name] = value
        parts.append(self._plain(others, notes))
        written = (b"".join(parts), tuple(notes))
        return self._kept.keep(payload, written, len(written[0]))

    def write_row(self, payload: JsonObject) -> EncodedMessage:
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
