"""The spans that a session was sent: each once, in any order, bounded."""

from collections.abc import Sequence

import orjson

from mockserver.model import Json, JsonObject
from mockserver.redaction.journal_redaction import REDACTED, redact_journal_body
from mockserver.traces import Span

MOST_SPANS = 10_000
MOST_BYTES = 16 * 1024 * 1024
"""As much as a session holds; bytes as they were sent."""


class SessionSpans:
    """The spans of one session; what comes once there is no room is rejected.

    Attributes:
        received: How many are held.
        repeated: How many came again.
        rejected: How many there was no room for.
        held_bytes: How many bytes they were sent in.
    """

    __slots__ = ("_spans", "held_bytes", "received", "rejected", "repeated")

    def __init__(self) -> None:
        self._spans: dict[tuple[str, str], Span] = {}
        self.received = self.repeated = self.rejected = self.held_bytes = 0

    def add(self, span: Span, size: int) -> bool:
        """Keep a span, unless it is there; whether there was room for it.

        Args:
            span: The span.
            size: How many bytes it was sent in.
        """
        key = span.trace, span.id
        if key in self._spans:
            self.repeated += 1
            return True
        if self.received >= MOST_SPANS or self.held_bytes + size > MOST_BYTES:
            self.rejected += 1
            return False
        self._spans[key] = span
        self.received += 1
        self.held_bytes += size
        return True

    def ordered(self) -> list[Span]:
        """The spans by the time at which they began; of one moment, the ones that came first."""
        return sorted(self._spans.values(), key=lambda span: span.start_ns)

    def as_json(self, spans: Sequence[Span] | None = None) -> JsonObject:
        """The spans, or some of them, in the shape of `mockserver.model.SpanReport`.

        Credentials in attributes are replaced, also in texts that are JSON.
        """
        chosen = self.ordered() if spans is None else spans
        return {
            "spans": [_redacted(span.as_json()) for span in chosen],
            "received": self.received,
            "repeated": self.repeated,
            "rejected": self.rejected,
        }


def _redacted(span: JsonObject) -> JsonObject:
    span["attributes"] = _redacted_attributes(span["attributes"])
    span["resource"] = _redacted_attributes(span["resource"])
    span["events"] = [
        {**event, "attributes": _redacted_attributes(event["attributes"])}
        for event in span["events"]
    ]
    return span


def _redacted_attributes(attributes: JsonObject) -> JsonObject:
    return {name: _redacted_value(name, value) for name, value in attributes.items()}


def _redacted_value(name: str, value: Json) -> Json:
    last = name.rpartition(".")[2]
    if redact_journal_body({last: value})[last] == REDACTED:
        return REDACTED
    if isinstance(value, str) and value[:1] in {"{", "["}:
        try:
            held = orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
        clean = redact_journal_body(held)
        return value if clean == held else orjson.dumps(clean).decode()
    return redact_journal_body(value)
