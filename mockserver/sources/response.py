"""The answer to a call as its source gives it, before it is sent."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from mockserver.asgi.requests import Receive, Request, Scope, Send
from mockserver.googleapi import ApiError, Dialect, encode, envelope
from mockserver.model import Miss, Source
from mockserver.sessions.faults import Damage

Header = tuple[bytes, bytes]

JSON = b"application/json; charset=UTF-8"
HTML = b"text/html; charset=UTF-8"

BY_DOCUMENTS = "state; by documents only"
"""What `X-Mock-Source` says where no recording shows how the live service answers."""
_LONGEST_HEADER = 4000
"""Characters of a header that tells what a request said; some clients read no longer ones."""


@dataclass(slots=True)
class WholeAnswer:
    """A recorded or streamed answer that is sent at once; nobody changes it.

    Attributes:
        status: The HTTP status.
        head: Its headers; the same list each time.
        extra: Headers beside these.
        pieces: The body, a chunk each where no header says its length; none for HEAD.
        written: What whoever sends it made of it, by whether the connection goes on; None where it
            is sent once.
        is_dated: Whether the headers of the server, such as its date, come before its own.
    """

    status: int
    head: list[Header]
    extra: tuple[Header, ...]
    pieces: tuple[bytes, ...]
    written: dict[bool, tuple[bytes, bytes]] | None = None
    is_dated: bool = False


class Schedule:
    """When the pieces of an answer are due, reckoned from now on: a late one makes none later."""

    def __init__(self) -> None:
        self._time = asyncio.get_running_loop().time
        self._due = self._time()

    async def pause(self, seconds: float) -> None:
        """Wait until so long after the last piece was due; other connections come first anyway."""
        self._due += seconds
        await asyncio.sleep(max(0.0, self._due - self._time()))


class Playable(Protocol):
    """An answer that sends itself, as it was recorded."""

    def whole(self, request: Request) -> WholeAnswer | None:
        """All of it, where it is sent at once; None where it takes its time."""
        ...

    async def send(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it; raises ConnectionResetError where it breaks off and nothing can be cut."""
        ...


class Response:
    """The answer to a call; what is not set is as usual.

    Attributes:
        status: The HTTP status.
        source: Who answered.
        content_type: The type of the body.
        headers: Further headers.
        body: The body.
        ignored: Parameters that were accepted and not used.
        miss: Why nothing was found, or None.
        delay_ms: How long it is held back, in milliseconds.
        damage: What happens to it on the wire, or None.
        compressible: Whether the body may be compressed.
        plain: Whether the headers of Google's front end are left out.
        playback: How it is sent where a recording gave it; None for the usual way.
        unproven: Whether no recording of the live service shows how its method answers.
    """

    __slots__ = (
        "body", "compressible", "content_type", "damage", "delay_ms", "headers", "ignored", "miss",
        "plain", "playback", "source", "status", "unproven",
    )  # fmt: skip

    def __init__(self) -> None:
        self.status = 200
        self.source: Source = "state"
        self.content_type = JSON
        self.headers: tuple[Header, ...] = ()
        self.body = b""
        self.ignored: tuple[str, ...] = ()
        self.miss: Miss | None = None
        self.delay_ms: float = 0.0
        self.damage: Damage | None = None
        self.compressible = True
        self.plain = False
        self.playback: Playable | None = None
        self.unproven = False


def error_response(error: ApiError, dialect: Dialect) -> Response:
    """The answer with an error to a request that reached no session."""
    response = Response()
    response.status, response.source = error.status, "none"
    response.body = encode(envelope(error, dialect), pretty=True)
    return response


def header_pairs(headers: Mapping[str, str]) -> tuple[Header, ...]:
    """Headers as bytes; names in lower case, line breaks dropped from values."""
    return tuple([(_sent_name(name), _one_line(value)) for name, value in headers.items()])


@lru_cache(4096)
def _sent_name(name: str) -> bytes:
    return name.lower().encode("latin-1", "replace")


def diagnostic_headers(response: Response) -> tuple[Header, ...]:
    """What the headers of an answer say of how it came about.

    `X-Mock-Ignored` names the parameters that were accepted and not used; `X-Mock-Miss` says whose
    fault it is that nothing was found, the nearest thing that is there, and in what it differs.
    """
    headers: tuple[Header, ...] = ()
    ignored, miss = ", ".join(response.ignored), response.miss
    if len(ignored) > _LONGEST_HEADER:
        ignored = ignored[:_LONGEST_HEADER] + ", ..."
    if ignored:
        headers += ((b"x-mock-ignored", _one_line(ignored)),)
    if miss is not None:
        near = f"; nearest={miss.nearest[:_LONGEST_HEADER]}" if miss.nearest else ""
        fields = (
            ",".join(miss.differs) if miss.blame == "replay_miss" else ""
        )  # elsewhere sentences
        differs = f"; differs={fields[:_LONGEST_HEADER]}" if fields else ""
        headers += ((b"x-mock-miss", _one_line(miss.blame + near + differs)),)
    return headers


_MOST_PLANS = 20


def plan_headers(plans: list[str]) -> tuple[Header, ...]:
    """`X-Mock-Plan` for each list that was made, or one that says there was none."""
    several = plans[:_MOST_PLANS] or ["no list was made"]
    return tuple((b"x-mock-plan", _one_line(each[:_LONGEST_HEADER])) for each in several)


def _one_line(value: str) -> bytes:
    return " ".join(value.split()).encode("latin-1", "backslashreplace")


def break_json(body: bytes) -> bytes:
    """A body that is no JSON any more: its second half is missing, and what is open stays open.

    >>> break_json(b'{"kind": "example"}')
    b'{"kind": {'
    """
    return body[: len(body) // 2] + b"{"
