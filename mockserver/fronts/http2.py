"""The two frames of HTTP/2 that say no, for callers that nothing here can answer."""

import struct

_SETTINGS, _GOAWAY = 4, 7
_HTTP_1_1_REQUIRED = 0xD
_LONGEST = 512


def refusal(reason: str) -> bytes:
    """Settings, then GOAWAY with `HTTP_1_1_REQUIRED` and the reason as debug data.

    >>> refusal("not here")[-8:]
    b'not here'
    """
    data = reason.encode()[:_LONGEST]
    return _frame(_SETTINGS, b"") + _frame(
        _GOAWAY, struct.pack(">II", 0, _HTTP_1_1_REQUIRED) + data
    )


def _frame(kind: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, 0]) + bytes(4) + payload
