"""Errors as gRPC says them: a status, a message, and details in the trailing metadata."""

from collections.abc import Sequence
from typing import Any

import grpc
from google.protobuf import any_pb2, json_format
from google.rpc import code_pb2, error_details_pb2, status_pb2

from mockserver.googleapi import ApiError, code_name
from mockserver.model import JsonObject

DETAILS = "grpc-status-details-bin"
Trailers = tuple[tuple[str, str | bytes], ...]

_LARGEST = 4096
"""Longer messages are cut, longer details left out: clients refuse metadata of more than 8 KiB."""

_KNOWN = error_details_pb2
"""Imported so that details can be packed by their names."""


def status_of(error: ApiError) -> tuple[Any, str]:
    """The `grpc.StatusCode` of an error, and its message."""
    return grpc.StatusCode[_name(error)], error.message[:_LARGEST]


def trailers_of(error: ApiError) -> Trailers:
    """An error's trailing metadata: its headers, and its details as a `google.rpc.Status`."""
    headers = tuple((name.lower(), printable(value)) for name, value in error.headers.items())
    details = _pack_details(error.details)
    if not details:
        return headers
    code, message = _name(error), error.message[:_LARGEST]
    status = status_pb2.Status(code=code_pb2.Code.Value(code), message=message, details=details)
    content = status.SerializeToString()
    return (*headers, (DETAILS, content)) if len(content) <= 2 * _LARGEST else headers


def printable(text: str) -> str:
    """A text as metadata may hold it: one line of ASCII.

    >>> printable("café  au lait")
    'caf? au lait'
    """
    return " ".join(text.split()).encode("ascii", "replace").decode()


def _name(error: ApiError) -> str:
    name = error.code_name or code_name(error.status)
    return name if name in grpc.StatusCode.__members__ else code_name(error.status)


def _pack_details(details: Sequence[JsonObject]) -> list[Any]:
    packed = []
    for detail in details:
        try:
            packed.append(json_format.ParseDict(detail, any_pb2.Any(), ignore_unknown_fields=True))
        except json_format.Error:
            continue  # of a type that no gRPC client could read either
    return packed
