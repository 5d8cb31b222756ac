"""The real Google client against a real server: only its endpoint is changed."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from mockserver.client import MockServer
from mockserver.model import JsonObject, SessionInfo, SessionSpec
from tests.mockserver.apis.directory.conftest import RAW
from tests.mockserver.apis.oauth.conftest import jwt
from tests.mockserver.apis.reports.conftest import EVENTS

MINE = {"customerId": "my_customer"}


class Sessions:
    """A server, and sessions on it."""

    def __init__(self, runner: asyncio.Runner, server: MockServer) -> None:
        self._runner = runner
        self._server = server
        self._clients: list[Any] = []

    def open(self, **spec: Any) -> SessionInfo:
        return self._runner.run(self._server.open(SessionSpec(**spec)))

    def client(self, session: SessionInfo, version: str, **how: Any) -> Any:
        endpoint = f"{session.base_url}/admin.googleapis.com/"
        how = how or {"client_options": {"api_endpoint": endpoint}}
        credentials = Credentials(token=session.token)  # type: ignore[no-untyped-call]
        self._clients.append(build("admin", version, credentials=credentials, **how))
        return self._clients[-1]

    def close(self) -> None:
        for client in self._clients:
            client.close()
        self._runner.run(self._server.close())


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sessions]:
    folder = tmp_path_factory.mktemp("suite")
    (folder / "base").mkdir()
    snapshot = {**RAW, "capturedAt": "2026-03-02T09:00:00Z", "auditEvents": {"items": EVENTS}}
    (folder / "base" / "tenant.json").write_bytes(orjson.dumps(snapshot))
    with asyncio.Runner() as runner:
        server = runner.run(MockServer.start(Path(folder)))
        opened = Sessions(runner, server)
        yield opened
        opened.close()


def failure(request: Any) -> tuple[int, str, str]:
    with pytest.raises(HttpError) as caught:
        request.execute()
    error = orjson.loads(caught.value.content)["error"]
    return error["code"], error["errors"][0]["reason"], error["message"]


def test_org_units_are_listed_made_moved_and_deleted(sessions: Sessions) -> None:
    units = sessions.client(sessions.open(), "directory_v1").orgunits()
    assert units.get(**MINE, orgUnitPath="/").execute()["name"] == "Example"
    made = units.insert(**MINE, body={"name": "Sub team", "parentOrgUnitPath": "/Eng"}).execute()
    assert units.get(**MINE, orgUnitPath="Eng/Sub team").execute() == made
    moved = {"parentOrgUnitPath": "/Sales"}
    units.update(**MINE, orgUnitPath=made["orgUnitId"], body=moved).execute()
    found = units.list(**MINE, orgUnitPath="/Sales", type="all").execute()["organizationUnits"]
    assert [unit["orgUnitPath"] for unit in found] == ["/Sales/Sub team"]
    assert units.delete(**MINE, orgUnitPath="Sales/Sub team").execute() == ""
    assert "organizationUnits" not in units.list(**MINE, orgUnitPath="/Sales").execute()


def test_refusals_are_those_that_clients_know(sessions: Sessions) -> None:
    directory = sessions.client(sessions.open(), "directory_v1")
    units = directory.orgunits()
    taken = {"name": "eng", "parentOrgUnitPath": "/"}
    assert failure(units.get(**MINE, orgUnitPath="No")) == (404, "notFound", "Org unit not found")
    assert failure(units.insert(**MINE, body=taken)) == (409, "duplicate", "Entity already exists.")
    assert failure(units.list(customerId="C0other"))[:2] == (403, "forbidden")
    missing = (404, "notFound", "Resource Not Found: userKey")
    assert failure(directory.users().get(userKey="eve@example.com")) == missing
    cycle = directory.members().insert(groupKey="01sre", body={"email": "all@example.com"})
    assert failure(cycle) == (412, "conditionNotMet", "Cyclic memberships not allowed")


def test_users_are_paged_two_at_a_time(sessions: Sessions) -> None:
    users = sessions.client(sessions.open(), "directory_v1").users()
    found, pages = [], 0
    request = users.list(customer="my_customer", maxResults=2, orderBy="email")
    while request is not None:
        page = request.execute()
        found += [user["primaryEmail"].partition("@")[0] for user in page["users"]]
        request, pages = users.list_next(request, page), pages + 1
    assert (found, pages) == (["ann", "bo", "cy", "dee"], 2)


def test_a_new_user_becomes_an_administrator_and_leaves(sessions: Sessions) -> None:
    users = sessions.client(sessions.open(), "directory_v1").users()
    body = {
        "primaryEmail": "eve@example.com",
        "name": {"givenName": "Eve", "familyName": "Stone"},
        "password": "s3cret-enough",
    }
    users.insert(body=body).execute()
    users.makeAdmin(userKey="eve@example.com", body={"status": True}).execute()
    assert users.get(userKey="eve@example.com").execute()["isAdmin"] is True
    users.delete(userKey="eve@example.com").execute()
    assert failure(users.get(userKey="eve@example.com"))[0] == 404


def test_activities_of_the_last_week_are_of_the_last_week_by_this_clock(sessions: Sessions) -> None:
    activities = sessions.client(sessions.open(), "reports_v1").activities()
    now = datetime.now(UTC)
    query: JsonObject = {"userKey": "all", "applicationName": "chrome"}
    week = (now - timedelta(days=7)).isoformat()
    items = activities.list(**query, startTime=week).execute()["items"]
    assert [item["actor"]["email"][:2] for item in items] == ["bo", "bo", "an"]
    assert all(week <= item["id"]["time"] < now.isoformat() for item in items)
    future = (now + timedelta(days=1)).isoformat()
    assert failure(activities.list(**query, startTime=future))[:2] == (400, "invalid")


def test_sessions_do_not_see_each_other(sessions: Sessions) -> None:
    one, other = (
        sessions.client(sessions.open(seed=7), "directory_v1").orgunits() for _ in range(2)
    )
    body = {"name": "Ops", "parentOrgUnitPath": "/"}
    first = one.insert(**MINE, body=body).execute()
    assert failure(other.get(**MINE, orgUnitPath="Ops"))[0] == 404
    assert other.insert(**MINE, body=body).execute() == first


def test_a_client_can_be_built_from_the_servers_own_document(sessions: Sessions) -> None:
    session = sessions.open()
    url = f"{session.base_url}/{{api}}.googleapis.com/$discovery/rest?version={{apiVersion}}"
    how = {"discoveryServiceUrl": url, "static_discovery": False}
    directory = sessions.client(session, "directory_v1", **how)
    assert len(directory.orgunits().list(**MINE, type="all").execute()["organizationUnits"]) == 3


def test_a_service_accounts_token_names_its_session_and_user(sessions: Sessions) -> None:
    session = sessions.open()
    now = int(datetime.now(UTC).timestamp())
    oauth = f"{session.base_url}/oauth2.googleapis.com"
    assertion = jwt(sub="ann@example.com", aud=f"{oauth}/token", iat=now, exp=now + 3600)
    form = {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion}
    token = httpx.post(f"{oauth}/token", data=form).json()["access_token"]
    server = session.base_url.removesuffix(f"/s/{session.id}")
    asked = httpx.get(
        f"{server}/openidconnect.googleapis.com/v1/userinfo",
        headers={"Authorization": f"Bearer {token}"},
    )
    assert asked.json()["email"] == "ann@example.com"
    info = httpx.get(f"{oauth}/tokeninfo", params={"access_token": "ya29.foreign"})
    assert info.status_code == 400
    assert info.json() == {"error": "invalid_token", "error_description": "Invalid Value"}
