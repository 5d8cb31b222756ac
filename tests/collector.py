"""A collector of OpenTelemetry: takes spans by OTLP over HTTP, and decodes them."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from typing_extensions import override


class Span(NamedTuple):
    """A span that came; ids in hexadecimal digits, duration in milliseconds."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    attributes: dict[str, Any]
    duration_ms: float
    failed: bool


@contextmanager
def collector() -> Iterator[tuple[str, list[Span]]]:
    """Its endpoint, and the spans that have come."""
    spans: list[Span] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                content = gzip.decompress(content)
            if self.path == "/v1/traces":
                spans.extend(_decoded(content))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        @override
        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", spans
    finally:
        server.shutdown()
        server.server_close()


def _decoded(content: bytes) -> Iterator[Span]:
    message: Any = ExportTraceServiceRequest.FromString(content)
    for resource in message.resource_spans:
        service = _attributes(resource.resource.attributes)["service.name"]
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield Span(
                    service,
                    span.name,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    _attributes(span.attributes),
                    (span.end_time_unix_nano - span.start_time_unix_nano) / 1e6,
                    failed=span.status.code == span.status.STATUS_CODE_ERROR,
                )


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}
