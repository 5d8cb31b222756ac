import io
import json
from typing import Any

import httpx
import pytest

from mockserver.errors import MissingExtraError, UserError
from mockserver.http.application import Application
from mockserver.http.request_log import RequestLog
from mockserver.http.server import Front
from mockserver.http.tracing import RequestTracing
from mockserver.settings import Settings
from mockserver.telemetry import open_tracing
from tests.collector import collector
from tests.mockserver.conftest import NOW, UNITS

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


@pytest.mark.slow
async def test_each_request_is_a_span_of_the_trace_of_its_client(
    suite: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    application = Application(Settings(fixtures=suite), real=lambda: NOW)
    transport = httpx.ASGITransport(app=application)
    log = io.StringIO()
    with collector() as (endpoint, spans):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        fronts: list[Front] = [RequestTracing(lambda: NOW), RequestLog(log, "json", lambda: NOW)]
        server: Any = None
        for front in fronts:
            await front.start(application, server)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1:8765"
        ) as client:
            await client.post("/_mock/sessions", json={"id": "a"})
            sent = {"traceparent": f"00-{TRACE}-{PARENT}-01", "authorization": "Bearer hush"}
            await client.get(f"/s/a{UNITS}", headers=sent)
            await client.get(f"/s/a{UNITS}/nowhere", headers={"traceparent": "nonsense"})
        for front in reversed(fronts):
            await front.stop()
    listed, missed = spans
    assert (listed.service, listed.name) == ("mockserver", "directory.orgunits.list")
    assert (listed.trace, listed.parent) == (TRACE, PARENT)
    assert listed.attributes["understudy.session"] == "a"
    assert listed.attributes["http.response.status_code"] == 200
    assert listed.duration_ms > 0
    assert missed.trace != TRACE
    assert missed.parent == ""
    assert missed.attributes["understudy.blame"] == "fixture_gap"
    assert "hush" not in repr(spans)
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [line["trace_id"] for line in lines] == [listed.trace, missed.trace]


def test_what_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="OTEL_EXPORTER_OTLP_ENDPOINT"):
        open_tracing("mockserver", "1", {})
    monkeypatch.setattr("mockserver.errors.find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match=r"understudy\[otel\]"):
        open_tracing("mockserver", "1", {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"})
