"""What calls meet, through the whole application."""

from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from mockserver.http.application import Application
from mockserver.sessions.faults import Damage
from mockserver.sources.fault_application import damage_without_wire
from tests.mockserver.conftest import DIRECTORY, UNITS
from tests.mockserver.sources.test_emulation import application, client_of, entries

LIST = "directory.orgunits.list"
USERS = f"{DIRECTORY}/users"
NEW = {
    "primaryEmail": "new@example.com",
    "name": {"givenName": "New", "familyName": "User"},
    "password": "not-a-secret",
}


def with_faults(suite: Path, *faults: dict[str, Any], **spec: Any) -> Application:
    return application(suite, faults=faults, **spec)


async def statuses(client: httpx.AsyncClient, count: int, **how: Any) -> list[int]:
    return [(await client.get(UNITS, **how)).status_code for _ in range(count)]


async def test_the_third_call_fails_and_the_others_do_not(suite: Path) -> None:
    app = with_faults(suite, {"method": LIST, "status": 503, "calls": [3]})
    async with client_of(app) as client:
        assert await statuses(client, 4) == [200, 200, 503, 200]
    assert [(one.met, one.asked) for one in app.sessions.get("default").faults.report()] == [(1, 4)]


async def test_a_rate_is_refused_with_its_own_figures_until_time_passes(suite: Path) -> None:
    rate = {"per_minute": 30, "burst": 2, "per": "session"}
    app = with_faults(suite, {"method": LIST, "rate": rate})
    async with client_of(app) as client:
        assert await statuses(client, 3) == [200, 200, 429]
        refused = (await client.get(UNITS)).json()["error"]
        app.sessions.get("default").clock.advance(timedelta(seconds=2))
        assert await statuses(client, 2) == [200, 429]
    assert refused["errors"][0]["reason"] == "rateLimitExceeded"
    assert "limit 'Queries per minute' of service" in refused["message"]
    (info,) = refused["details"]
    assert info["metadata"]["quota_limit"] == "DefaultRequestsPerMinutePerProject"
    assert info["metadata"]["quota_limit_value"] == "30"


async def test_each_user_has_a_rate_and_quota_user_names_one(suite: Path) -> None:
    app = with_faults(suite, {"method": LIST, "rate": {"per_minute": 1}})
    async with client_of(app) as client:
        found = [
            (await client.get(UNITS, params={"quotaUser": user})).status_code for user in "aab"
        ]
    assert found == [200, 429, 200]


async def test_the_older_apis_may_say_a_rate_with_403(suite: Path) -> None:
    fault = {
        "method": LIST,
        "rate": {"per_minute": 1},
        "status": 403,
        "reason": "userRateLimitExceeded",
    }
    async with client_of(with_faults(suite, fault)) as client:
        assert await statuses(client, 2) == [200, 403]


async def test_tokens_expire_in_the_middle_and_a_new_one_works(suite: Path) -> None:
    app = with_faults(suite, {"method": LIST, "kind": "expire_token", "calls": [2]})
    session = app.sessions.get("default")
    bearer = {"authorization": f"Bearer {session.token}"}
    async with client_of(app) as client:
        assert await statuses(client, 3, headers=bearer) == [200, 401, 401]
        assert await statuses(client, 1) == [200]  # nobody asks for a token here
    assert [entry["fault"] for entry in entries(app)[1:3]] == [LIST, ""]


async def test_a_caller_without_a_token_is_refused_when_tokens_expire(suite: Path) -> None:
    app = with_faults(suite, {"method": LIST, "kind": "expire_token"})
    async with client_of(app) as client:
        assert await statuses(client, 2) == [401, 200]


async def test_a_stale_page_token_is_refused_in_the_words_of_the_method(suite: Path) -> None:
    app = with_faults(suite, {"method": "directory.users.list", "kind": "stale_page_token"})
    async with client_of(app) as client:
        for name in ("a", "b"):
            await client.post(USERS, json={**NEW, "primaryEmail": f"{name}@example.com"})
        asked = {"customer": "my_customer", "maxResults": "1"}
        first = (await client.get(USERS, params=asked)).json()
        stale = await client.get(USERS, params={**asked, "pageToken": first["nextPageToken"]})
    assert stale.status_code == 400
    assert [entry["fault"] for entry in entries(app)[2:]] == ["", "directory.users.list"]
    assert entries(app)[-1]["params"]["pageToken"] == first["nextPageToken"]


async def test_a_new_user_is_not_there_yet_for_some_calls(suite: Path) -> None:
    late = {
        "method": "directory.users.[gm]*",
        "propagation": {"reads": 2, "collections": ["users"]},
    }
    app = with_faults(suite, late)
    async with client_of(app) as client:
        assert (await client.post(USERS, json=NEW)).status_code == 200
        found = [await client.get(f"{USERS}/new@example.com") for _ in range(3)]
        listed = await client.get(USERS, params={"customer": "my_customer"})
    assert [answer.status_code for answer in found] == [404, 404, 200]
    assert len(listed.json()["users"]) == 1
    (report,) = app.sessions.get("default").faults.report()
    assert (report.met, report.asked) == (2, 3)


async def test_a_change_is_seen_after_some_session_time(suite: Path) -> None:
    app = with_faults(suite, {"method": "directory.orgunits.list", "propagation": {"after_s": 60}})
    async with client_of(app) as client:
        await client.post(UNITS, json={"name": "New", "parentOrgUnitPath": "/"})
        before = (await client.get(UNITS)).json()["organizationUnits"]
        app.sessions.get("default").clock.advance(timedelta(seconds=60))
        after = (await client.get(UNITS)).json()["organizationUnits"]
    assert [unit["name"] for unit in before] == ["Eng"]
    assert {unit["name"] for unit in after} == {"Eng", "New"}


async def test_without_a_wire_a_reset_is_an_error_of_the_transport(suite: Path) -> None:
    app = with_faults(suite, {"method": LIST, "kind": "reset", "times": 1})
    async with client_of(app) as client:
        with pytest.raises(ConnectionResetError):
            await client.get(UNITS)
        assert await statuses(client, 1) == [200]
    assert [(entry["status"], entry["source"]) for entry in entries(app)] == [
        (503, "fault"),
        (200, "state"),
    ]


@pytest.mark.parametrize("kind", ["reset", "truncate", "malformed"])
async def test_a_tool_whose_api_call_is_damaged_gets_an_error(suite: Path, kind: str) -> None:
    app = with_faults(suite, {"method": LIST, "kind": kind, "times": 1})
    async with client_of(app) as client:
        answer = await client.post("/tools/listOrgUnits", json={})
    assert answer.status_code == 503
    assert "The connection failed" in answer.text


def test_a_pause_comes_on_top_of_a_delay_where_there_is_no_wire() -> None:
    damage = Damage("slow_first_byte", "faults[0]", pause_ms=7)
    response = SimpleNamespace(delay_ms=20, damage=damage)
    exchange: Any = SimpleNamespace(response=response)
    assert damage_without_wire(exchange) is None
    assert (response.delay_ms, response.damage) == (27, None)
