"""Requests as a cassette would have recorded them: whole URL, plain body, headers in order."""

from functools import lru_cache
from typing import NamedTuple

from mockserver.asgi.requests import Request
from mockserver.cassettes.replay import Played
from mockserver.googleapi import Catalog
from mockserver.messages import decoded
from mockserver.model import Header, PlayedRecording, RecordedRequest
from mockserver.routing import Route
from mockserver.sessions.recordings import Known

_PRIVATE = frozenset({
    b"connection", b"host", b"keep-alive", b"proxy-authorization", b"proxy-connection", b"te",
    b"trailer", b"transfer-encoding", b"upgrade", b"x-mock-session",
})  # fmt: skip
"""Headers between a client and us; no upstream was sent them."""


_KEPT = 4096


class Place(NamedTuple):
    """Where a request would have gone.

    Attributes:
        url: The whole URL.
        origin: What of it the client does not name: `https://host[/prefix]`.
        base: What the client names instead; an empty string where it uses recorded addresses.
    """

    url: str
    origin: str
    base: str


class Told(NamedTuple):
    """Which recording answered.

    Attributes:
        recording: For the journal.
        said: In one line: `<cassette>#<number>`, and how it was found.
        headers: Of the answer.
    """

    recording: PlayedRecording
    said: str
    headers: tuple[tuple[bytes, bytes], ...]


def places_of(
    request: Request, known: Known, route: Route, link: str, catalog: Catalog
) -> tuple[Place, ...]:
    """Where a request would have gone, if the recordings know the place; likely ones first.

    Args:
        request: The request.
        known: What the recordings know.
        route: What it means to the emulated APIs.
        link: How the client reaches its session, without a slash at the end.
        catalog: Tells the hosts of emulated APIs.
    """
    query = f"?{request.query.decode('latin-1')}" if request.query else ""
    rest = request.path.decode("latin-1") + query
    named = request.host.decode("latin-1").lower()
    if named in known.hosts:
        origin = f"{request.scheme}://{named}"
        return (Place(origin + rest, origin, ""),)
    first, slash, below = rest[1:].partition("/")
    if first.lower() in known.hosts:
        origin = f"https://{first.lower()}"
        return (Place(f"{origin}{slash}{below}", origin, f"{link}/{first}"),)
    origin = f"https://{route.host}"
    of_api = (
        (Place(origin + route.path + query, origin, link),) if route.host in known.hosts else ()
    )
    if catalog.canonical(named) or catalog.canonical(first):
        return of_api
    found = tuple(Place(upstream + rest, upstream, link) for upstream in known.upstreams)
    if of_api or route.host or not known.only or found:
        return (*found, *of_api)
    origin = f"https://{known.only}"
    return (Place(origin + rest, origin, link),)


def recorded_request(request: Request, url: str, content: bytes) -> RecordedRequest:
    """A request as a cassette would have recorded it.

    Args:
        request: Its head.
        url: Where it would have gone.
        content: Its body.
    """
    headers: tuple[Header, ...] = tuple(
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, value in request.sent_headers
        if name not in _PRIVATE
    )
    headers, body, coding = decoded(headers, content)
    return RecordedRequest(request.sent_verb, url, headers, body, coding)


def told_of(played: Played) -> Told:
    """Which recording answered, for the journal and for whoever looks into the answer."""
    return _told(*played[1:])


@lru_cache(maxsize=_KEPT)
def _told(*found: str | int | bool) -> Told:
    recording = PlayedRecording(**dict(zip(PlayedRecording.model_fields, found, strict=True)))
    said = f"{recording.cassette}#{recording.number}"
    said += "; again" if recording.again else ""
    said += "; by-kind" if recording.by_kind else ""
    said += "; loosened" if recording.loosened else ""
    headers = [(b"x-mock-recording", said.encode("ascii", "backslashreplace"))]
    if recording.warning:
        warning = recording.warning.encode("ascii", "backslashreplace")
        headers.append((b"x-mock-warning", warning))
    return Told(recording, said, tuple(headers))
