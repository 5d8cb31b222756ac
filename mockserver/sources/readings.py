"""Requests as recordings are asked for them and as the journal keeps them; read once, kept."""

from contextlib import suppress
from typing import NamedTuple
from urllib.parse import parse_qsl

import orjson

from mockserver.asgi.requests import Request
from mockserver.cassettes.matching import COUNTED_HEADERS
from mockserver.cassettes.replay import Keyed
from mockserver.googleapi import ApiError
from mockserver.messages import is_form, is_json, media_type, restored, split_url
from mockserver.model import JsonObject, RecordedRequest
from mockserver.redaction.fields import redact_body, redact_params
from mockserver.routing import Route
from mockserver.sessions.recordings import Replay
from mockserver.sources.bodies import parse_form
from mockserver.sources.recorded import Place, recorded_request

_KEPT = 4096
LONGEST_KEPT = 4096
"""Requests with longer bodies are read anew each time, so that what is kept stays small."""

_COUNTED = frozenset(name.encode() for name in COUNTED_HEADERS) | {
    b"content-type", b"content-encoding", b"x-http-method-override",
}  # fmt: skip
"""Headers by which requests differ; the others change with each client and each call."""

_Key = tuple[str, str, tuple[tuple[bytes, bytes], ...], bytes]


class Reading(NamedTuple):
    """A request as the recordings are asked for it, and as the journal keeps it.

    Attributes:
        keyed: The request without its secrets, and what it is looked up by.
        path: For the journal, without secrets.
        params: For the journal.
        body: For the journal; None where it is neither a JSON object nor a form.
    """

    keyed: Keyed
    path: str
    params: JsonObject
    body: JsonObject | None


def counted_headers(request: Request) -> tuple[tuple[bytes, bytes], ...]:
    """The headers of a request that tell it from others."""
    if _COUNTED.isdisjoint(request.headers):
        return ()
    return tuple([pair for pair in request.sent_headers if pair[0] in _COUNTED])


class Readings:
    """Reads requests; those that come again are looked up."""

    def __init__(self) -> None:
        self._kept: dict[_Key, Reading] = {}

    def of(
        self, asked: tuple[Request, bytes], place: Place, route: Route, replay: Replay
    ) -> Reading:
        """Read a request.

        Args:
            asked: Its head and its body.
            place: Where it would have gone.
            route: What it means.
            replay: Knows how secrets are taken out.
        """
        request, content = asked
        key = (place.url, request.sent_verb, counted_headers(request), content)
        found = self._kept.get(key)
        if found is None:
            found = _read(_sent(request, content, place), route, replay)
            if len(content) <= LONGEST_KEPT:
                if len(self._kept) >= _KEPT:
                    del self._kept[next(iter(self._kept))]
                self._kept[key] = found
        return found


def _sent(request: Request, content: bytes, place: Place) -> RecordedRequest:
    sent = recorded_request(request, place.url, content)
    return restored(sent, place.base, place.origin) if place.base else sent


def _read(request: RecordedRequest, route: Route, replay: Replay) -> Reading:
    clean = replay.redactor.request(request)
    url = split_url(clean.url)
    query = dict(parse_qsl(url.query[1:], keep_blank_values=True))
    params = redact_params(replay.redactor.params({**route.captures, **query}))
    return Reading(replay.keyer.fresh(clean, request), url.path or "/", params, _body(clean))


def _body(request: RecordedRequest) -> JsonObject | None:
    media = media_type(request.headers)
    found: object = None
    with suppress(ApiError, orjson.JSONDecodeError):
        if is_form(media):
            found = parse_form(request.body)
        elif request.body and (is_json(media) or not media):
            found = orjson.loads(request.body)
    return redact_body(found) if isinstance(found, dict) else None
