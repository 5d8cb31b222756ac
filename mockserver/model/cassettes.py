"""One request with its response as recorded, and the interactions of one capture."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

from mockserver.model.values import JsonObject

Header = tuple[str, str]
"""Name and value as sent; a name that came twice is there twice."""

ResponseEnd = Literal["complete", "reset", "timeout", "short"]
"""How a response ended: whole, broken off, given up waiting for, or below its Content-Length."""

CASSETTE_VERSION = 1
"""The version of vcrpy's layout, the only one there is."""

LARGEST_TEXT = 4 * 1024 * 1024
"""Bytes of a body in a cassette; a larger one has a file of its own."""
LARGEST_BYTES = 1024 * 1024
"""The same of a body that is no text."""


class Chunk(NamedTuple):
    """One piece of a streamed body.

    Attributes:
        at_ms: When it came, in milliseconds after the head of the response.
        size: How many bytes it has.
    """

    at_ms: float
    size: int


@dataclass(frozen=True, slots=True)
class BodyFile:
    """A body that is kept in a file of its own beside the cassette.

    Attributes:
        digest: SHA-256 of its content, 64 hexadecimal digits in lower case.
        size: Its bytes.
        folder: Where it is; says nothing about what it is.
    """

    digest: str
    size: int
    folder: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request.

    Attributes:
        method: The HTTP method, upper case.
        url: The whole URL, `https://host[:port]/path?query`, not decoded.
        headers: In the order they were sent.
        body: The content, without transfer and content coding; empty where `file` has it.
        coding: How `body` was coded on the wire, see `RecordedResponse.coding`.
        file: Where the content is, when it is not in `body`.
    """

    method: str
    url: str
    headers: tuple[Header, ...] = ()
    body: bytes = b""
    coding: str = ""
    file: BodyFile | None = None


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """A response.

    Attributes:
        status: The HTTP status.
        reason: The phrase beside it, or an empty string.
        headers: In the order they came; without `Content-Encoding` where `coding` is set.
        body: The content, without transfer coding, and without content coding where `coding` is
            set; empty where `file` has it.
        coding: The recipe by which `body` was coded on the wire, as
            `mockserver.messages.content_coding.encoded` takes it (`gzip`,
            `gzip;level=6;head=...`, `br`); empty where `body` is as it came.
        chunks: The pieces that a streamed body came in; their sizes add up to that of `body`. Empty
            where it came at once.
        ended: How it ended.
        file: Where the content is, when it is not in `body`.
    """

    status: int
    reason: str = ""
    headers: tuple[Header, ...] = ()
    body: bytes = b""
    coding: str = ""
    chunks: tuple[Chunk, ...] = ()
    ended: ResponseEnd = "complete"
    file: BodyFile | None = None


@dataclass(frozen=True, slots=True)
class Interaction:
    """One request with its response.

    Attributes:
        request: What was asked.
        response: What came back.
        recorded_at: RFC 3339, UTC; empty where a foreign cassette does not say.
        duration_ms: From the request's last byte to the response's last, in milliseconds.
        method_id: The Discovery id or full gRPC method where it is known, else empty.
        review: What is in question about it, until somebody answers: mappings of part, kind,
            field, shape and form.
    """

    request: RecordedRequest
    response: RecordedResponse
    recorded_at: str = ""
    duration_ms: float = 0.0
    method_id: str = ""
    review: tuple[JsonObject, ...] = ()


MatchPart = Literal["method", "host", "path", "query", "headers", "body"]
MATCH_PARTS: tuple[MatchPart, ...] = get_args(MatchPart)
_WITH_FIELDS = frozenset({"query", "headers", "body"})


@dataclass(frozen=True, slots=True)
class Match:
    """What two requests must have in common to be the same one.

    Attributes:
        parts: What is compared; of headers only those that ask for something.
        ignore: JSON pointers of what does not count, below `/query`, `/headers` or `/body`; `*` is
            every item.
        null_is_absent: Whether a member that is null is as good as none.
        any_order: JSON pointers of arrays, or of query fields, whose order does not count.
        varies: JSON pointers of what a program makes anew in each run, as two recordings of it
            told: a request that differs there is answered as a near one, and not at all where only
            the same requests are.
    """

    parts: tuple[MatchPart, ...] = MATCH_PARTS
    ignore: tuple[str, ...] = ()
    null_is_absent: bool = False
    any_order: tuple[str, ...] = ()
    varies: tuple[str, ...] = ()


def pointer_path(pointer: str) -> tuple[str, ...]:
    """The names that a JSON pointer leads by.

    Raises:
        ValueError: It does not begin at a part that has fields, or leads to all of it.

    >>> pointer_path("/body/items/*/a~1b")
    ('body', 'items', '*', 'a/b')
    """
    first, *names = pointer.split("/")
    path = tuple(name.replace("~1", "/").replace("~0", "~") for name in names)
    if first or len(path) < 2 or path[0] not in _WITH_FIELDS:
        raise ValueError(f"{pointer!r} leads to no field: begin with /query/, /headers/ or /body/")
    return path


@dataclass(frozen=True, slots=True)
class CassetteInfo:
    """What a cassette says about itself.

    Attributes:
        recorded_at: RFC 3339, UTC: when the capture began; empty where it does not say.
        recorded_by: `mockserver <version>`, or what a foreign file names.
        key_id: Which redaction key made its pseudonyms; empty where nothing was redacted.
        upstream: `https://host[/prefix]` that a reverse proxy stood before; empty otherwise.
        revisions: Revision of the Discovery document of each API in it, by `name:version`.
        plan: The plan it was made by, as written; empty without one.
        extra: What else a file says; kept as it is.
        match: How its requests are compared; None for all that counts.
    """

    recorded_at: str = ""
    recorded_by: str = ""
    key_id: str = ""
    upstream: str = ""
    revisions: dict[str, str] = field(default_factory=dict)
    plan: JsonObject = field(default_factory=dict)
    extra: JsonObject = field(default_factory=dict)
    match: Match | None = None

    @property
    def states_values(self) -> bool:
        """Whether values are in clear in it that a redactor would replace."""
        return self.extra.get(STATED_VALUES) == "clear"


STATED_VALUES = "stated_values"
"""The member of `extra` that is `clear` where values that a suite states were not replaced."""


@dataclass(frozen=True, slots=True)
class Cassette:
    """The interactions of one capture, in the order they were recorded.

    Attributes:
        name: The file's name without folder, for messages.
        interactions: In order.
        info: What it says about itself.
    """

    name: str
    interactions: tuple[Interaction, ...]
    info: CassetteInfo = field(default_factory=CassetteInfo)
