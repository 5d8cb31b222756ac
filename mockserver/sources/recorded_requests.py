"""Requests as a cassette would have recorded them, and as it is asked for them."""

from collections import OrderedDict
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl

import orjson

from mockserver.asgi.requests import Request
from mockserver.cassettes.matching import COUNTED_HEADERS, is_model_path
from mockserver.cassettes.replay import KeyedRequest, PlayedMatch
from mockserver.googleapi import ApiError, Catalog
from mockserver.messages import decode_body, is_form, is_json, media_type, restore_links, split_url
from mockserver.model import Header, JsonObject, PlayedRecording, RecordedRequest
from mockserver.redaction.journal_redaction import redact_journal_body, redact_journal_params
from mockserver.routing import Route
from mockserver.sessions.recordings import KnownAddresses, Replay
from mockserver.sources.bodies import parse_form
from mockserver.storage import MODELS

_PRIVATE = frozenset({
    b"connection", b"host", b"keep-alive", b"proxy-authorization", b"proxy-connection", b"te",
    b"trailer", b"transfer-encoding", b"upgrade", b"x-mock-session",
})  # fmt: skip
"""Headers between a client and us; no upstream was sent them."""


_KEPT = 16_384


class RecordedAddress(NamedTuple):
    """Where a request would have gone.

    Attributes:
        url: The whole URL.
        origin: What of it the client does not name: `https://host[/prefix]`.
        base: What the client names instead; an empty string where it uses recorded addresses.
    """

    url: str
    origin: str
    base: str


class RecordingLabel(NamedTuple):
    """Which recording answered.

    Attributes:
        recording: For the journal.
        said: In one line: `<cassette>#<number>`, and how it was found.
        headers: Of the answer.
    """

    recording: PlayedRecording
    said: str
    headers: tuple[tuple[bytes, bytes], ...]


def addresses_of(
    request: Request, known: KnownAddresses, route: Route, link: str, catalog: Catalog
) -> tuple[RecordedAddress, ...]:
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
        return (RecordedAddress(origin + rest, origin, ""),)
    first, slash, below = rest[1:].partition("/")
    if first.lower() in known.hosts:
        origin = f"https://{first.lower()}"
        return (RecordedAddress(f"{origin}{slash}{below}", origin, f"{link}/{first}"),)
    if known.models and (of_model := _model_address(request, known, link)):
        return (of_model,)
    origin = f"https://{route.host}"
    of_api = (
        (RecordedAddress(origin + route.path + query, origin, link),)
        if route.host in known.hosts
        else ()
    )
    if catalog.canonical(named) or catalog.canonical(first):
        return of_api
    found = tuple(RecordedAddress(upstream + rest, upstream, link) for upstream in known.upstreams)
    if of_api or route.host or not known.only or found:
        return (*found, *of_api)
    origin = f"https://{known.only}"
    return (RecordedAddress(origin + rest, origin, link),)


def _model_address(request: Request, known: KnownAddresses, link: str) -> RecordedAddress | None:
    """Where a request of a client of models would have gone, whatever its base URL is.

    `/models/<provider>/path`, to which the environment of the session leads, is the provider's own
    host; elsewhere the path tells.
    """
    path = request.path.decode("latin-1")
    query = f"?{request.query.decode('latin-1')}" if request.query else ""
    first, _, rest = path[1:].partition("/")
    provider, slash, below = rest.partition("/")
    if first == MODELS and provider in known.models and slash:
        from mockserver.models.calls import host_of

        origin = f"https://{host_of(provider)}"
        return RecordedAddress(f"{origin}/{below}{query}", origin, f"{link}/{first}/{provider}")
    named = request.host.decode("latin-1").lower()
    url = f"{request.scheme}://{named}{path}{query}"
    if not is_model_path(RecordedRequest(request.sent_verb, url)):
        return None
    return RecordedAddress(url, f"{request.scheme}://{named}", "")


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
    headers, body, coding = decode_body(headers, content)
    return RecordedRequest(request.sent_verb, url, headers, body, coding)


def label_of(played: PlayedMatch) -> RecordingLabel:
    """Which recording answered, for the journal and for whoever looks into the answer."""
    return _make_label(*played[1:])


@lru_cache(maxsize=_KEPT)
def _make_label(*found: str | int | bool) -> RecordingLabel:
    recording = PlayedRecording(**dict(zip(PlayedRecording.model_fields, found, strict=True)))
    said = f"{recording.cassette}#{recording.number}"
    said += "; again" if recording.again else ""
    said += "; by-kind" if recording.by_kind else ""
    said += "; loosened" if recording.loosened else ""
    said += "; timeless" if recording.timeless else ""
    said += f"; near: {recording.varied}" if recording.varied else ""
    headers = [(b"x-mock-recording", said.encode("ascii", "backslashreplace"))]
    if recording.warning:
        warning = recording.warning.encode("ascii", "backslashreplace")
        headers.append((b"x-mock-warning", warning))
    return RecordingLabel(recording, said, tuple(headers))


_READINGS_KEPT = 4096
LONGEST_KEPT = 4096
"""Requests with longer bodies are read anew each time, so that what is kept stays small."""

_COUNTED = frozenset(name.encode() for name in COUNTED_HEADERS) | {
    b"content-type", b"content-encoding", b"x-http-method-override",
}  # fmt: skip
"""Headers by which requests differ; the others change with each client and each call."""

_Key = tuple[str, str, tuple[tuple[bytes, bytes], ...], bytes]


class ParsedRequest(NamedTuple):
    """A request as the recordings are asked for it, and as the journal keeps it.

    Attributes:
        keyed: The request without its secrets, and what it is looked up by.
        path: For the journal, without secrets.
        params: For the journal.
        body: For the journal; None where it is neither a JSON object nor a form.
    """

    keyed: KeyedRequest
    path: str
    params: JsonObject
    body: JsonObject | None


def counted_headers(request: Request) -> tuple[tuple[bytes, bytes], ...]:
    """The headers of a request that tell it from others."""
    if _COUNTED.isdisjoint(request.headers):
        return ()
    return tuple([pair for pair in request.sent_headers if pair[0] in _COUNTED])


class RequestParser:
    """Reads requests; those that come again are looked up."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, ParsedRequest] = OrderedDict()

    def parse(
        self,
        request: Request,
        content: bytes,
        place: RecordedAddress,
        *,
        route: Route,
        replay: Replay,
    ) -> ParsedRequest:
        """Read a request.

        Args:
            request: Its head.
            content: Its body.
            place: Where it would have gone.
            route: What it means.
            replay: Knows how secrets are taken out.
        """
        key = (place.url, request.sent_verb, counted_headers(request), content)
        found = self._kept.get(key)
        if found is None:
            sent = recorded_request(request, place.url, content)
            if place.base:
                sent = restore_links(sent, place.base, place.origin)
            found = _read(sent, route, replay)
            if len(content) <= LONGEST_KEPT:
                if len(self._kept) >= _READINGS_KEPT:
                    self._kept.popitem(last=False)
                self._kept[key] = found
        return found


def _read(request: RecordedRequest, route: Route, replay: Replay) -> ParsedRequest:
    clean = replay.redactor.redact_request(request)
    url = split_url(clean.url)
    query = dict(parse_qsl(url.query[1:], keep_blank_values=True))
    params = redact_journal_params(replay.redactor.redact_params({**route.captures, **query}))
    return ParsedRequest(replay.keyer.fresh(clean, request), url.path or "/", params, _body(clean))


def _body(request: RecordedRequest) -> JsonObject | None:
    media = media_type(request.headers)
    found: object = None
    with suppress(ApiError, orjson.JSONDecodeError):
        if is_form(media):
            found = parse_form(request.body)
        elif request.body and (is_json(media) or not media):
            found = orjson.loads(request.body)
    return redact_journal_body(found) if isinstance(found, dict) else None
