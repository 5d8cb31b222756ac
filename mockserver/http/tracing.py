"""A span for each request that a session was asked, in the trace of a client that sent one."""

import asyncio
import os
from typing import TYPE_CHECKING, Any

from mockserver import __version__
from mockserver.sessions.journal import Entry
from mockserver.state import RealTime
from mockserver.telemetry import open_tracing

if TYPE_CHECKING:
    import uvicorn
    from opentelemetry.context import Context

    from mockserver.http.application import Application

_FAILED = 500


class RequestTracing:
    """Makes spans of the journal entries of all sessions; what they say is in the journal.

    Args:
        real: Real time; the clocks of sessions may stand still.

    Raises:
        MissingExtraError: The extra `otel` is not installed.
        UserError: No variable says where spans go.
    """

    def __init__(self, real: RealTime) -> None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._real = real
        self._provider = open_tracing("mockserver", __version__, os.environ)
        self._tracer = self._provider.get_tracer("understudy.mockserver", __version__)
        self._propagator = TraceContextTextMapPropagator()

    async def start(self, application: "Application", _server: "uvicorn.Server") -> None:
        """Begin to follow the sessions of a server."""
        application.sessions.observe(self.note)

    async def stop(self) -> None:
        """Send what is left."""
        await asyncio.to_thread(self._provider.shutdown)

    def note(self, session: str, entry: Entry) -> None:
        """Make a span of an entry, which then names its trace; it is sent later."""
        from opentelemetry.trace import SpanKind, StatusCode, format_span_id, format_trace_id

        end = int(self._real().timestamp() * 1_000_000) * 1000
        span = self._tracer.start_span(
            entry.method_id or entry.http_method,
            context=self._client_context(entry.trace),
            kind=SpanKind.SERVER,
            start_time=end - int(entry.duration_ms * 1_000_000),
            attributes=_attributes(session, entry),
        )
        if entry.status >= _FAILED:
            span.set_status(StatusCode.ERROR)
        made = span.get_span_context()
        trace, own = format_trace_id(made.trace_id), format_span_id(made.span_id)
        entry.trace = f"00-{trace}-{own}-{int(made.trace_flags):02x}".encode()
        span.end(end)

    def _client_context(self, traceparent: bytes) -> "Context":
        return self._propagator.extract({"traceparent": traceparent.decode("latin-1")})


def _attributes(session: str, entry: Entry) -> dict[str, Any]:
    found: dict[str, Any] = {
        "http.request.method": entry.http_method,
        "server.address": entry.host,
        "url.path": entry.path,
        "understudy.method": entry.method_id,
        "understudy.session": session,
        "understudy.fault": entry.fault,
        "understudy.blame": "" if entry.miss is None else entry.miss.blame,
        "understudy.source": entry.source,
    }
    shown = {
        name: text.encode("utf-8", "backslashreplace").decode()
        for name, text in found.items()
        if text
    }
    return {**shown, "http.response.status_code": entry.status}
