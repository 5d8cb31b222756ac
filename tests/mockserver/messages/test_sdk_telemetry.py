"""Which requests are telemetry of SDKs."""

import pytest

from mockserver.messages.sdk_telemetry import INTAKES, is_telemetry, is_telemetry_host


@pytest.mark.parametrize(
    ("host", "path", "is_told"),
    [
        ("api.openai.com", "/v1/traces/ingest", True),
        ("api.openai.com", "/v1/responses", False),
        ("api.smith.langchain.com", "/runs/multipart", True),
        ("o4.ingest.sentry.io", "/api/4/envelope/", True),
        ("ingest.sentry.io.example.com", "/api/4/envelope/", False),
        ("us.i.posthog.com", "/api/projects", False),
        ("api.example.com", "/v1/traces/ingest", False),
    ],
)
def test_telemetry_is_known_by_host_and_path(host: str, path: str, is_told: bool) -> None:
    assert is_telemetry(host, path) is is_told


def test_every_intake_is_found() -> None:
    for intake in INTAKES:
        for host in (name.replace("*", "o4") for name in intake.hosts):
            assert is_telemetry_host(host)
            assert all(is_telemetry(host, path) for path in intake.paths)
