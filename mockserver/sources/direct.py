"""A call that no HTTP request carries: what a front asks, and what came of it."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from mockserver.googleapi import ApiError
from mockserver.model import JsonObject

Render = Callable[[Any], tuple[str, ...]]
"""Turns an answer into what the front sends; the paths of what that has no place for."""


class Direct(NamedTuple):
    """What a front asks, decoded: lowerCamel, 64-bit integers as strings, enums by name.

    Attributes:
        params: Path and query parameters.
        body: The request body; empty when there is none.
        token: The access token as sent, or an empty string.
        client: What the caller says it is.
        request_bytes: The size of the request as sent.
        ignored: Paths of what the method has no place for.
        problem: Why the call cannot be answered, or None. Missing credentials and faults come
            first.
    """

    params: JsonObject
    body: JsonObject
    token: str = ""
    client: bytes = b""
    request_bytes: int = 0
    ignored: tuple[str, ...] = ()
    problem: ApiError | None = None


class Outcome(NamedTuple):
    """What came of a call.

    Attributes:
        seq: Its number in the session's journal.
        error: What it was refused with, or None.
        delay_ms: How long the answer is to be held back, in milliseconds.
        source: Who answered.
        ignored: What was accepted and not used.
        miss: Whose fault it is that nothing was found, or an empty string.
        stream: What yields the answers of a streaming method, or None.
    """

    seq: int
    error: ApiError | None
    delay_ms: float
    source: str
    ignored: tuple[str, ...] = ()
    miss: str = ""
    stream: Iterator[JsonObject] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to tell beside the answer itself."""
        return (
            self.error is None and not self.delay_ms and not self.ignored and self.source == "state"
        )
