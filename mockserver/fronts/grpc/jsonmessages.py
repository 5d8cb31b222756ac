"""Messages of gRPC calls as the JSON that recordings hold, and back."""

from typing import Any

import orjson
from google.protobuf import json_format

MEDIA = "application/grpc+json"
"""What recorded bodies are declared to be: the wire has the same messages in binary."""


def as_json(message: Any, content: bytes) -> bytes:
    """A message as JSON.

    Args:
        message: Its class.
        content: As it was on the wire.

    Raises:
        DecodeError: It is none of this class.
    """
    value = json_format.MessageToDict(message.FromString(content))
    return orjson.dumps(value, option=orjson.OPT_INDENT_2)


def as_messages(message: Any, body: bytes) -> list[bytes]:
    """The messages of a recorded answer, as they go on the wire; several for a stream.

    Raises:
        ValueError: They are none of this class.
    """
    value = orjson.loads(body) if body else []
    values = value if isinstance(value, list) else [value]
    try:
        return [_packed(message, each) for each in values]
    except json_format.ParseError as error:
        raise ValueError(str(error)) from error


def _packed(message: Any, value: Any) -> bytes:
    made = json_format.ParseDict(value, message(), ignore_unknown_fields=True)
    content: bytes = made.SerializeToString()
    return content
