"""One call on its way through a session: what it asked, and what came of it."""

from collections.abc import Mapping
from time import perf_counter

import orjson

from mockserver.googleapi import ApiError, Dialect, System, apply_mask, encode, envelope, parse_mask
from mockserver.model import JsonObject, Miss, Source
from mockserver.server.journal import Row
from mockserver.server.replies import JSON, Header, header_pairs
from mockserver.server.routes import Route
from mockserver.server.secrets import redact_body, redact_path
from mockserver.server.sessions import Session

_NOTHING: JsonObject = {}
_AS_IT_IS = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_ERROR_FORMS: Mapping[str, Dialect] = {"1": "legacy", "2": "one_platform"}
"""What `$.xgafv` asks for."""


class Exchange:
    """What one call asked, and what came of it so far; then its journal entry.

    Attributes:
        session: Where it is asked.
        route: What it means.
        path: As sent, or as it would be sent.
        seq: Its number in the journal.
        params: Parameters for the journal, secrets replaced.
        body: The request body for the journal, or None.
        status: The HTTP status.
        response: The response body.
        content_type: Its type.
        source: Who answered.
        headers: Further response headers.
        ignored: Parameters that were accepted and not used.
        miss: Set when nothing could answer.
        fault: Origin of the fault that answered.
        dialect: How errors are said; a nested call that fails hands its own on.
        system: The request's system parameters.
        delay_ms: How long the answer is held back.
        request_bytes: Size of the request body.
        failed_inside: The error of a call made on behalf of this one, and how that API says it.
    """

    __slots__ = (
        "body", "content_type", "delay_ms", "dialect", "failed_inside", "fault", "headers",
        "ignored",
        "miss", "params", "path", "request_bytes", "response", "route", "seq", "session", "source",
        "started", "status", "system",
    )  # fmt: skip

    def __init__(self, session: Session, route: Route, path: str) -> None:
        self.started = perf_counter()
        self.session = session
        self.route = route
        self.path = path
        self.seq = session.journal.reserve()
        self.params: JsonObject = _NOTHING
        self.body: JsonObject | None = None
        self.status = 200
        self.response = b""
        self.content_type = JSON
        self.source: Source = "state"
        self.headers: tuple[Header, ...] = ()
        self.ignored: tuple[str, ...] = ()
        self.miss: Miss | None = None
        self.fault = ""
        self.dialect: Dialect = route.dialect
        self.system: System | None = None
        self.delay_ms = 0.0
        self.request_bytes = 0
        self.failed_inside: tuple[ApiError, Dialect] | None = None

    def answer(self, payload: JsonObject | None, *, etag: bytes = b"") -> None:
        """Answer with a JSON object, with 204 for None, with 304 for what the caller has already.

        Args:
            payload: What the handler answered.
            etag: The request's `If-None-Match`.

        Raises:
            ApiError: 400: the field mask names what the answer cannot have.
        """
        if payload is None:
            self.status = 204
            return
        if etag and payload.get("etag", "").encode() == etag:
            self.status = 304
            return
        if self.system is not None and self.system.fields and self.route.method is not None:
            selected = parse_mask(self.system.fields, self.route.method, self.dialect)
            payload = apply_mask(selected, payload)
        if self.route.method is None:
            self.response = orjson.dumps(payload, option=_AS_IT_IS)
        else:
            self.response = encode(payload, pretty=self.pretty, method=self.route.method)

    def refuse(self, error: ApiError) -> None:
        """Answer with an error in the API's dialect."""
        self.status = error.status
        self.headers += header_pairs(error.headers)
        self.miss = error.miss
        form = self.system.xgafv if self.system else ""
        dialect = _ERROR_FORMS.get(form, self.dialect)
        self.response = encode(envelope(error, dialect), pretty=self.pretty)

    @property
    def pretty(self) -> bool:
        """Whether the answer is indented, which is what Google does unless told not to."""
        return self.system.pretty_print if self.system else True

    def row(self, *, verb: str, client: str, parent: int | None = None) -> Row:
        """The journal entry of the finished exchange."""
        session, route = self.session, self.route
        return Row(
            self.seq,
            session.clock.now(),
            route.method_id,
            verb,
            redact_path(self.path),
            route.host,
            self.params,
            None if self.body is None else redact_body(self.body),
            self.status,
            self.source,
            (perf_counter() - self.started) * 1000,
            client,
            _without_tokens(self.response) if route.dialect == "oauth" else self.response,
            len(self.response),
            self.request_bytes,
            parent,
            self.miss,
            self.fault,
            self.ignored,
            session.closed,
        )


def _without_tokens(response: bytes) -> bytes:
    """An OAuth answer as the journal may keep it."""
    try:
        return orjson.dumps(redact_body(orjson.loads(response)), option=_AS_IT_IS)
    except orjson.JSONDecodeError:
        return response
