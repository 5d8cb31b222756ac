"""One call on its way through a session: what it asked, and what came of it."""

from collections.abc import Mapping
from functools import lru_cache
from time import perf_counter

import orjson

from mockserver.googleapi import (
    ApiError,
    Dialect,
    Mask,
    Method,
    PageAnswer,
    System,
    apply_mask,
    encode,
    envelope,
    parse_mask,
    with_enum_numbers,
)
from mockserver.model import JsonObject
from mockserver.redaction.fields import REDACTED, redact_body
from mockserver.routing import Route
from mockserver.sessions.faults import Damage
from mockserver.sessions.journal import Entry
from mockserver.sessions.session import Session
from mockserver.sources.memo import AnswerMemo, IdentityMemo
from mockserver.sources.replies import HTML, JSON, Header, header_pairs
from mockserver.state import World

_AS_IT_IS = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_LARGEST_KEPT = 64 * 1024
_ENCODED: IdentityMemo[tuple[Method, bool, bytes]] = IdentityMemo(128)
"""Answers as bytes; handlers hand out what they hold, and nobody changes it in place."""

_ASSEMBLED: AnswerMemo[tuple[Method, bool, bytes]] = AnswerMemo(128)
"""The same for answers that are put together anew each time, of rows as they are held."""

_ERROR_FORMS: Mapping[str, Dialect] = {"1": "legacy", "2": "one_platform"}
"""What `$.xgafv` asks for."""


class Exchange(Entry):
    """What one call asked, and what came of it so far; in the end it is its own journal entry.

    Attributes:
        session: Where it is asked.
        route: What it means.
        content_type: The type of the response body.
        headers: Further response headers.
        system: The request's system parameters.
        mask: The part of the answer that was asked for, or None.
        delay_ms: How long the answer is held back.
        compressible: Whether the body may be compressed.
        damage: What happens to the answer on the wire, or None.
        late: The world as this call sees it, where that is not as it is; or None.
        failed_inside: The error of a call made on behalf of this one, and how that API says it.
        redacted: Whether the request body holds no secrets any more.
    """

    content_type: bytes = JSON
    headers: tuple[Header, ...] = ()
    system: System | None = None
    mask: Mask | None = None
    delay_ms: float = 0.0
    compressible: bool = True
    damage: Damage | None = None
    late: World | None = None
    failed_inside: tuple[ApiError, Dialect] | None = None
    redacted: bool = False

    def __init__(self, session: Session, route: Route, client: bytes = b"") -> None:
        self._started = perf_counter()
        self.session = session
        self.route = route
        self.seq = session.journal.reserve()
        self.method_id = route.method_id
        self.http_method = route.verb
        self.path = route.sent
        self.host = route.host
        self.client = client

    def select(self) -> None:
        """Read the field mask, before anything is done that the answer could not tell of.

        Raises:
            ApiError: 400: the mask names what the answer cannot have.
        """
        method, system = self.route.method, self.system
        if method is not None and system is not None and system.fields:
            self.mask = parse_mask(system.fields, method, self.route.dialect)

    def answer(self, payload: JsonObject | None, *, etag: bytes = b"") -> None:
        """Answer with a JSON object, with 204 for None, with 304 for what the caller has already.

        Args:
            payload: What the handler answered.
            etag: The request's `If-None-Match`.
        """
        method = self.route.method
        if payload is None:
            self.status = 204
            return
        tag = payload.get("etag")
        if isinstance(tag, str) and tag:
            self.headers += ((b"etag", quoted(tag)),)
            if etag and has_tag(etag, tag):
                self.status = 304
                return
        if self.system is not None and self.system.enum_encoding_int and method is not None:
            payload = with_enum_numbers(payload, method)
        if method is None:
            self.response = orjson.dumps(payload, option=_AS_IT_IS)
        elif self.mask is not None:
            selected = apply_mask(self.mask, payload)
            self.response = encode(selected, pretty=self.pretty, method=method)
        else:
            self.response = _encoded(payload, method, pretty=self.pretty)

    def refuse(self, error: ApiError) -> None:
        """Answer with an error: in the form that was asked for, else in the dialect of its API."""
        self.status = error.status
        self.headers += header_pairs(error.headers)
        self.miss = error.miss
        if isinstance(error, PageAnswer):
            self.content_type, self.response = HTML, error.html.encode()
            return
        dialect = self.route.dialect
        if self.failed_inside is not None and self.failed_inside[0] is error:
            dialect = self.failed_inside[1]
        form = self.system.xgafv if self.system else ""
        body = envelope(error, _ERROR_FORMS.get(form, dialect))
        self.response = encode(body, pretty=self.pretty)

    @property
    def pretty(self) -> bool:
        """Whether the answer is indented, which is what Google does unless told not to."""
        return self.system.pretty_print if self.system else True

    def redact(self) -> None:
        """Take the secrets out of what the journal keeps of the request body."""
        if self.body is not None and not self.redacted:
            self.body = redact_body(self.body)
        self.redacted = True

    def finish(self) -> bytes:
        """Record the entry in the session's journal, without its secrets; the response body."""
        session, response = self.session, self.response
        self.at = session.clock.now()
        self.after_close = session.closed
        self.redact()
        if self.route.confidential:
            self.response = _without_tokens(response)
        # a traceback holds on to every frame, a world to its tables
        self.failed_inside = self.late = None
        self.duration_ms = (perf_counter() - self._started) * 1000 + self.delay_ms
        session.journal.record(self)
        return response


def _encoded(payload: JsonObject, method: Method, *, pretty: bool) -> bytes:
    """An answer as bytes; one of the very rows that a handler has given before is not redone."""
    found = _ENCODED.get(payload) or _ASSEMBLED.get(payload)
    if found is not None and found[0] is method and found[1] == pretty:
        return found[2]
    text = encode(payload, pretty=pretty, method=method)
    if len(text) <= _LARGEST_KEPT:
        _ENCODED.keep(payload, (method, pretty, text))
        _ASSEMBLED.keep(payload, (method, pretty, text))
    return text


def _without_tokens(response: bytes) -> bytes:
    """An answer that holds credentials, as the journal may keep it."""
    try:
        return orjson.dumps(redact_body(orjson.loads(response)), option=_AS_IT_IS)
    except orjson.JSONDecodeError:
        return REDACTED.encode() if response.startswith(b"eyJ") else response


def has_tag(header: bytes, tag: str) -> bool:
    """Whether a list of entity tags has one; weak and strong are the same, quotes do not count.

    >>> has_tag(b'W/"a", "b"', '"a"'), has_tag(b"*", "x"), has_tag(b'"a"', "b")
    (True, True, False)
    """
    listed = [_bare(each) for each in header.decode("latin-1").split(",")]
    return "*" in listed or _bare(tag) in listed


@lru_cache(4096)
def quoted(tag: str) -> bytes:
    """An entity tag as a header says it.

    >>> quoted("abc"), quoted('"abc"')
    (b'"abc"', b'"abc"')
    """
    return f'"{_bare(tag)}"'.encode("latin-1", "replace")


def _bare(tag: str) -> str:
    return tag.strip().removeprefix("W/").strip('"')
