"""Requests that spans of HTTP clients hold whole; pure.

The conventions of OpenTelemetry name method, address and status. Bodies are told by Logfire, under
`http.request.body.text` or `http.request.body.form`, and under `http.response.body.text`: in a span
of its own below that of the request, as it is read later.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from pydantic_core import to_json

from mockserver.model import Json
from mockserver.traces.spans import Span

_METHODS = ("http.request.method", "http.method")
_ADDRESSES = ("url.full", "http.url")
_STATUSES = ("http.response.status_code", "http.status_code")
_SENT, _FORM, _ANSWERED = (
    "http.request.body.text", "http.request.body.form", "http.response.body.text"
)  # fmt: skip
_WITHOUT_BODY = frozenset({204, 205, 304})

BODIES_SETTING = "logfire.instrument_httpx(capture_all=True)"
"""What makes spans of HTTP clients hold bodies."""

Pairs = tuple[tuple[str, str], ...]


class TracedRequest(NamedTuple):
    """A request and its answer.

    Attributes:
        method: Upper case.
        url: The whole address.
        sent_headers: Those that were kept.
        sent: The body as a text.
        status: That of the answer.
        headers: Those of the answer that were kept.
        answer: Its body as a text; None where it is not told.
        start_ns: Nanoseconds since 1970; 0 where it is not told.
        duration_ms: Until the answer was read.
    """

    method: str
    url: str
    sent_headers: Pairs
    sent: str
    status: int
    headers: Pairs
    answer: str | None
    start_ns: int
    duration_ms: float


def traced_requests(spans: Sequence[Span]) -> Iterator[TracedRequest]:
    """The requests that the spans of a trace tell of.

    Args:
        spans: In the order of their beginnings.

    Yields:
        Each, also those whose answers are not told.
    """
    readings: dict[str, Span] = {}
    for span in spans:
        if _ANSWERED in span.attributes:
            readings.setdefault(span.parent, span)
    for span in spans:
        method, url, status = (span.first(*names) for names in (_METHODS, _ADDRESSES, _STATUSES))
        if not (isinstance(method, str) and isinstance(url, str) and isinstance(status, int)):
            continue
        if urlsplit(url).scheme not in {"http", "https"} or "http.route" in span.attributes:
            continue
        reading = span if _ANSWERED in span.attributes else readings.get(span.id, span)
        told = reading.attributes.get(_ANSWERED)
        is_empty = method.upper() == "HEAD" or status in _WITHOUT_BODY
        yield TracedRequest(
            method.upper(),
            url,
            _headers(span, "request"),
            _sent(span),
            status,
            _headers(span, "response"),
            _text(told) if told is not None else "" if is_empty else None,
            span.start_ns,
            max(0, reading.end_ns - span.start_ns) / 1_000_000,
        )


def _sent(span: Span) -> str:
    form = span.attributes.get(_FORM)
    if isinstance(form, dict):
        return urlencode(form, doseq=True)
    return _text(span.attributes.get(_SENT, ""))


def _text(value: Json) -> str:
    """A body as it was; exports may have read JSON in it."""
    return value if isinstance(value, str) else to_json(value).decode()


def _headers(span: Span, of: str) -> Pairs:
    start = f"http.{of}.header."
    return tuple(
        (name.removeprefix(start).replace("_", "-"), str(value))
        for name, held in span.attributes.items()
        if name.startswith(start)
        for value in (held if isinstance(held, list | tuple) else [held])
    )
