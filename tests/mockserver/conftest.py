"""A server on a small suite, asked in process: the real application, no socket."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.settings import Settings

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
DIRECTORY = "/admin.googleapis.com/admin/directory/v1"
UNITS = f"{DIRECTORY}/customer/my_customer/orgunits"

SNAPSHOT: dict[str, Any] = {
    "capturedAt": "2026-03-01T00:00:00Z",
    "customer": {
        "id": "C01example",
        "customerDomain": "example.com",
        "customerEmail": "admin@example.com",
    },
    "orgUnits": [
        {"orgUnitId": "id:03ph8a2z1", "orgUnitPath": "/", "name": "example.com"},
        {
            "orgUnitId": "id:03ph8a2z2",
            "orgUnitPath": "/Eng",
            "name": "Eng",
            "parentOrgUnitId": "id:03ph8a2z1",
        },
        {
            "orgUnitId": "id:03ph8a2z3",
            "orgUnitPath": "/Eng/Sub Team",
            "name": "Sub Team",
            "parentOrgUnitId": "id:03ph8a2z2",
        },
    ],
}


def write_suite(folder: Path, **more: Any) -> Path:
    """A suite with one case, EC-001, that has no org unit but the root."""
    (folder / "base").mkdir(parents=True)
    (folder / "base" / "tenant.json").write_text(json.dumps({**SNAPSHOT, **more}), encoding="utf-8")
    (folder / "EC-001").mkdir()
    (folder / "EC-001" / "overrides.json").write_text(
        json.dumps({"orgUnits": SNAPSHOT["orgUnits"][:1]}), encoding="utf-8"
    )
    return folder


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite")


@pytest.fixture
def app(suite: Path) -> Application:
    settings = Settings(fixtures=suite, default=SessionSpec())
    return Application(settings, real=lambda: NOW)


@pytest.fixture
async def client(app: Application) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app, raise_app_exceptions=True)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as client:
        yield client
