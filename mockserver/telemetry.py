"""Spans of our own for OpenTelemetry, sent by OTLP over HTTP where the environment says."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mockserver.errors import UserError, require_extra

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def open_tracing(service: str, version: str, environ: Mapping[str, str]) -> "TracerProvider":
    """What makes spans, and sends them from a thread of its own; shut it down at the end.

    Args:
        service: The name of the service, unless `OTEL_SERVICE_NAME` says another.
        version: Its version.
        environ: The variables of this process.

    Raises:
        MissingExtraError: The extra `otel` is not installed.
        UserError: No variable says where spans go.
    """
    exporter = "opentelemetry.exporter.otlp.proto.http"
    require_extra(
        "otel",
        "--otel needs",
        {"opentelemetry.sdk": "opentelemetry-sdk"} | {exporter: exporter.replace(".", "-")},
    )
    if not any(environ.get(name) for name in ENDPOINTS):
        raise UserError(
            "--otel: no variable says where spans go",
            hint=f"{ENDPOINTS[0]}=http://localhost:4318",
        )
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    name = environ.get("OTEL_SERVICE_NAME") or service
    resource = Resource.create({"service.name": name, "service.version": version})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
