"""Requests by which SDKs tell their makers how they are used: no program depends on the answers."""

from functools import lru_cache
from typing import NamedTuple


class TelemetryIntake(NamedTuple):
    """Where one SDK, or one service for telemetry, takes it.

    Attributes:
        hosts: Its hosts; `*.` stands for any subdomain.
        paths: What the paths begin with.
    """

    hosts: tuple[str, ...]
    paths: tuple[str, ...]


INTAKES = (
    # OpenAI Agents SDK: traces are on unless a variable turns them off
    TelemetryIntake(("api.openai.com",), ("/v1/traces/ingest",)),
    # LangSmith, of LangChain and LangGraph
    TelemetryIntake(
        ("api.smith.langchain.com", "eu.api.smith.langchain.com"), ("/runs", "/info", "/feedback")
    ),
    # Logfire, of Pydantic AI
    TelemetryIntake(
        ("logfire-api.pydantic.dev", "logfire-us.pydantic.dev", "logfire-eu.pydantic.dev"),
        ("/v1/traces", "/v1/metrics", "/v1/logs", "/v1/info"),
    ),
    TelemetryIntake(("telemetry.crewai.com",), ("/v1/traces",)),
    TelemetryIntake(
        ("cloud.langfuse.com", "us.cloud.langfuse.com"),
        ("/api/public/ingestion", "/api/public/otel"),
    ),
    TelemetryIntake(("api.traceloop.com",), ("/v1/traces", "/v1/metrics")),
    # what Claude Code tells of itself
    TelemetryIntake(("api.anthropic.com",), ("/api/event_logging",)),
    TelemetryIntake(("statsig.anthropic.com",), ("/",)),
    # PostHog: Chroma, CrewAI, mem0 and others
    TelemetryIntake(
        ("us.i.posthog.com", "eu.i.posthog.com", "app.posthog.com"),
        ("/batch", "/capture", "/decide", "/e/", "/flags", "/i/v0/e"),
    ),
    TelemetryIntake(
        ("*.ingest.sentry.io", "*.ingest.us.sentry.io", "*.ingest.de.sentry.io"), ("/api/",)
    ),
    TelemetryIntake(("huggingface.co",), ("/api/telemetry",)),
    TelemetryIntake(("telemetry.nextjs.org", "telemetry.vercel.com"), ("/",)),
)  # fmt: skip
"""What is known of SDKs' telemetry, from their sources. One intake a line."""

TELEMETRY_HOSTS = frozenset(host for each in INTAKES for host in each.hosts)
"""All their hosts, and globs of them."""

_PATHS: dict[str, tuple[str, ...]] = {
    host: each.paths for each in INTAKES for host in each.hosts if not host.startswith("*")
}
_SUBDOMAINS = {
    host[1:]: each.paths for each in INTAKES for host in each.hosts if host.startswith("*")
}  # fmt: skip


@lru_cache(256)
def is_telemetry_host(host: str) -> bool:
    """Whether some SDK sends telemetry to a host, in lower case and without its port."""
    return host in _PATHS or any(host.endswith(name) for name in _SUBDOMAINS)


def is_telemetry(host: str, path: str) -> bool:
    """Whether a request is an SDK's telemetry.

    Args:
        host: Its host, in lower case and without the port.
        path: Its path.

    >>> is_telemetry("api.openai.com", "/v1/traces/ingest")
    True
    >>> is_telemetry("api.openai.com", "/v1/chat/completions")
    False
    """
    paths = _PATHS.get(host)
    if paths is None:
        found = (known for name, known in _SUBDOMAINS.items() if host.endswith(name))
        paths = next(found, ())
    return path.startswith(paths)
