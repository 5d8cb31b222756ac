from dataclasses import replace
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from mockserver.http import metrics
from mockserver.http.application import Application
from mockserver.sessions.journal import Entry
from mockserver.settings import Settings
from tests.mockserver.conftest import NOW, UNITS

SERVER = "http://127.0.0.1:8765"


def samples(text: str) -> dict[tuple[str, ...], float]:
    """Values by name and labels in the order of their names, buckets left out."""
    return {
        (one.name, *(value for _, value in sorted(one.labels.items()))): one.value
        for family in text_string_to_metric_families(text)
        for one in family.samples
        if not one.name.endswith(("_bucket", "_created"))
    }


async def test_requests_are_counted_by_api_method_status_and_source(suite: Any) -> None:
    application = Application(Settings(fixtures=suite, metrics=True), real=lambda: NOW)
    transport = httpx.ASGITransport(app=application)
    async with httpx.AsyncClient(transport=transport, base_url=SERVER) as client:
        opened = (await client.post("/_mock/sessions", json={"id": "secret-session"})).json()
        for path in (UNITS, UNITS, f"{UNITS}/nowhere"):
            await client.get(f"/s/secret-session{path}")
        await client.post(
            "/_mock/sessions/secret-session/faults",
            json={"method": "directory.orgunits.list", "status": 503, "times": 1},
        )
        await client.get(f"/s/secret-session{UNITS}")
        page = await client.get("/_mock/metrics")
    assert opened["id"] == "secret-session"
    assert page.headers["content-type"].startswith("text/plain; version=")
    found = samples(page.text)
    listed = ("understudy_requests_total", "directory", "directory.orgunits.list")
    assert found[(*listed, "state", "200")] == 2
    assert found[(*listed, "fault", "503")] == 1
    assert found["understudy_faults_total", "directory"] == 1
    assert found["understudy_misses_total", "fixture_gap"] == 1
    assert found["understudy_request_duration_seconds_count", "directory"] == 4
    assert found["understudy_sessions",] == 1
    assert found["understudy_journal_entries",] == 4
    assert found["understudy_journal_bytes",] > 0
    assert "secret-session" not in page.text
    assert "nowhere" not in page.text


async def test_nothing_watches_a_server_without_metrics(suite: Any) -> None:
    application = Application(Settings(fixtures=suite), real=lambda: NOW)
    assert application.sessions.observer is None
    transport = httpx.ASGITransport(app=application)
    async with httpx.AsyncClient(transport=transport, base_url=SERVER) as client:
        answer = await client.get("/_mock/metrics")
    assert answer.status_code == 404
    assert answer.json()["error"]["hint"] == "start it with --metrics"


async def test_metrics_are_for_who_bears_the_control_token(suite: Any) -> None:
    settings = replace(Settings(fixtures=suite, metrics=True), token="s3cret")
    transport = httpx.ASGITransport(app=Application(settings, real=lambda: NOW))
    async with httpx.AsyncClient(transport=transport, base_url=SERVER) as client:
        assert (await client.get("/_mock/metrics")).status_code == 401
        bearer = {"authorization": "Bearer s3cret"}
        assert (await client.get("/_mock/metrics", headers=bearer)).status_code == 200


def test_names_that_clients_make_up_are_one_label(
    suite: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "_MOST_METHODS", 3)
    application = Application(Settings(fixtures=suite), real=lambda: NOW)
    counted = metrics.RequestMetrics(application.sessions)
    seen: list[str] = []
    application.sessions.observe(lambda _session, entry: seen.append(entry.method_id))
    for number in range(10):
        entry = Entry()
        entry.method_id = f"tools.made_up_{number}"
        assert application.sessions.observer is not None
        application.sessions.observer("s", entry)
    found = samples(counted.page()[1].decode())
    requests = {key: value for key, value in found.items() if key[0] == "understudy_requests_total"}
    assert len(requests) == 4
    assert requests["understudy_requests_total", "other", "other", "state", "200"] == 7
    assert len(seen) == 10, "several may watch"
