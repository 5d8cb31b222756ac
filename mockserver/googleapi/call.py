"""The handler contract: what every transport hands to every emulated method."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from mockserver.googleapi.errors import ApiError
from mockserver.googleapi.masks import Mask
from mockserver.model import JsonObject, Profile
from mockserver.state import World


class Invoke(Protocol):
    """Calls another method of the same session, as the tool API does."""

    def __call__(
        self,
        method_id: str,
        params: JsonObject,
        body: JsonObject | None = None,
        media: "Media | None" = None,
    ) -> JsonObject:
        """Answer like the method itself; raises ApiError."""
        ...


class Conventions(Protocol):
    """What the conventions of a document make of a method."""

    def __call__(self, call: "Call") -> JsonObject | None:
        """Answer a call of it; raises ApiError."""
        ...

    def resource(self, method_id: str = "") -> object:
        """The `Resource` that it is about, or another method of its document."""
        ...


@dataclass(frozen=True, slots=True)
class Caller:
    """Who a request's credential says is asking.

    Attributes:
        token: The access token as sent, or an empty string.
        email: The account's e-mail address, or an empty string for an anonymous caller.
        scopes: OAuth scopes of the token.
    """

    token: str = ""
    email: str = ""
    scopes: tuple[str, ...] = ()


ANONYMOUS = Caller()


@dataclass(frozen=True, slots=True)
class Media:
    """What is uploaded beside a call's body, or downloaded.

    Attributes:
        content: The bytes.
        content_type: Their type, as sent.
    """

    content: bytes
    content_type: str = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Download(Media):
    """What is answered in place of JSON.

    Attributes:
        status: The status.
        headers: What is said beside the content.
    """

    status: int = 200
    headers: Mapping[str, str] = field(
        default_factory=lambda: {"content-disposition": "attachment"}
    )


MediaKey = tuple[str, tuple[tuple[str, str], ...]]
"""Where media are downloaded: a method id and its path parameters, in the order of their names."""


class Contents(Protocol):
    """The media of a session."""

    def get(self, key: MediaKey) -> Media | None:
        """The media that are downloaded there, or None."""
        ...

    def put(self, key: MediaKey, media: Media) -> None:
        """Keep media where they are downloaded."""
        ...


@dataclass(slots=True)
class Call:
    """One call of a method, whatever carried it.

    Parameters and body are apart because their names collide: `orgUnitPath` is a path parameter and
    a field of the body of `directory.orgunits.update`.

    Attributes:
        id: Discovery id, `directory.orgunits.list`.
        params: Path and query parameters, lowerCamel, decoded and validated: `repeated` ones are
            lists, numbers and booleans are numbers and booleans, 64-bit integers are strings.
            Absent means not sent. System parameters are not among them.
        body: The request body, lowerCamel, validated; empty when there is none. A null is a field
            to clear, in a PATCH or PUT of the older APIs.
        world: The session's state, clock and ids.
        version: The document's version, `directory_v1`, `v1beta1`.
        profile: How strictly the session holds requests to the documents.
        caller: Who asks.
        base_url: Where the caller reached this session, `http://127.0.0.1:8765/s/<id>`; for links
            in answers.
        invoke: Calls another method of the session.
        ignored: Names of parameters the handler accepted and did not use; journalled and sent as
            `X-Mock-Ignored`.
        media: What is uploaded with it, or None. The server keeps it for downloads.
        contents: The media of the session, or None where it keeps none.
        mask: What of the answer is asked for, or None for all; who answers leaves the choice to the
            transport, and may spare itself the rest.
        download: What is answered in place of JSON, or None; HTTP sends it.
        conversation: What the calls of one stream of requests share; its handlers' own.
        headers: The headers of its HTTP request, by lower-case name; empty where none carries it.
        is_download: Whether the media of what it reads are asked for.
        permits: Whether the caller has a permission on a resource, by their names; None where the
            session does not ask who may do what.
        conventions: What would answer without the API's own handler, of an API beside conventions.
    """

    id: str
    params: JsonObject
    body: JsonObject
    world: World
    version: str = ""
    profile: Profile = "google"
    caller: Caller = ANONYMOUS
    base_url: str = ""
    invoke: Invoke | None = None
    ignored: list[str] = field(default_factory=list)
    media: Media | None = None
    contents: Contents | None = None
    mask: Mask | None = None
    download: Download | None = None
    conversation: dict[str, Any] = field(default_factory=dict)
    headers: Mapping[bytes, bytes] = field(default_factory=dict)
    is_download: bool = False
    permits: Callable[[str, str], bool] | None = None
    conventions: Conventions | None = None

    def answer_by_conventions(self) -> JsonObject:
        """What the conventions of the document answer to the call as it is now; raises ApiError."""
        return self.known_conventions()(self) or {}

    def known_conventions(self) -> Conventions:
        """The conventions of its document; raises ApiError without a transport that has them."""
        if self.conventions is None:
            raise ApiError(500, f"{self.id} needs the conventions of its document.")
        return self.conventions

    def ask(
        self,
        method: str,
        params: JsonObject,
        body: JsonObject | None = None,
        media: Media | None = None,
    ) -> JsonObject:
        """Call another method of the session; a method without an answer answers `{}`.

        Raises:
            ApiError: What the method answers.
        """
        if self.invoke is None:
            raise ApiError(500, f"{self.id} needs a transport that can call {method}.")
        uploaded = () if media is None else (media,)
        return self.invoke(method, params, body, *uploaded) or {}


class LeftToConventionsError(Exception):
    """A handler beside conventions leaves a call to them."""


Handler = Callable[[Call], JsonObject | None]
"""Answers a call with a JSON object, or None where the method has no answer (204). Raises ApiError.

A handler checks everything before it writes anything, so that a refused call changes nothing. It
returns rows of the world as they are; nobody changes an answer in place.
"""
