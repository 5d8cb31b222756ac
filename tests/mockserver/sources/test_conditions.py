"""Requests under a condition."""

from pathlib import Path

import httpx

from mockserver.http.application import Application
from tests.mockserver.conftest import DIRECTORY, UNITS
from tests.mockserver.sources.test_emulation import application, client_of, entries

UNIT = f"{UNITS}/Eng"


async def tag_of(client: httpx.AsyncClient) -> str:
    return str((await client.get(UNIT)).headers["etag"])


async def test_what_the_caller_has_already_is_not_sent_again(client: httpx.AsyncClient) -> None:
    tag = await tag_of(client)
    same = await client.get(UNIT, headers={"if-none-match": f'"other", W/{tag}'})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    other = await client.get(UNIT, headers={"if-none-match": '"other"'})
    assert other.status_code == 200


async def test_a_write_goes_through_while_the_resource_is_as_the_caller_says(
    client: httpx.AsyncClient,
) -> None:
    tag = await tag_of(client)
    changed = await client.patch(UNIT, json={"description": "a"}, headers={"if-match": tag})
    assert changed.status_code == 200
    stale = await client.patch(UNIT, json={"description": "b"}, headers={"if-match": tag})
    assert stale.status_code == 412
    error = stale.json()["error"]["errors"][0]
    assert (error["reason"], error["location"]) == ("conditionNotMet", "If-Match")
    assert (await client.get(UNIT)).json()["description"] == "a"
    anyhow = await client.patch(UNIT, json={"description": "c"}, headers={"if-match": "*"})
    assert anyhow.status_code == 200


async def test_a_write_only_if_it_is_not_there_is_refused_when_it_is(
    client: httpx.AsyncClient,
) -> None:
    refused = await client.put(UNIT, json={"name": "E"}, headers={"if-none-match": "*"})
    assert refused.status_code == 412
    assert (await client.delete(f"{UNITS}/Eng", headers={"if-match": '"x"'})).status_code == 412


async def test_the_method_itself_says_that_nothing_is_there(client: httpx.AsyncClient) -> None:
    answer = await client.patch(f"{UNITS}/No", json={}, headers={"if-match": '"x"'})
    assert answer.status_code == 404
    assert answer.headers["x-mock-ignored"] == "If-Match"


async def test_a_condition_on_a_method_without_a_get_is_told_as_ignored(
    client: httpx.AsyncClient, app: Application
) -> None:
    path = f"{DIRECTORY}/users/nobody@example.com/photos/thumbnail"
    await client.delete(path, headers={"if-match": '"x"'})
    await client.post(
        UNITS, json={"name": "N", "parentOrgUnitPath": "/"}, headers={"if-match": "a"}
    )
    assert entries(app)[-1]["status"] == 200


async def test_enums_come_as_numbers_when_they_are_asked_for(suite: Path) -> None:
    entry = {
        "logName": "projects/p/logs/app",
        "timestamp": "2026-02-28T00:00:00Z",
        "severity": "ERROR",
        "textPayload": "x",
        "insertId": "1",
        "resource": {"type": "global", "labels": {}},
    }
    app = application(suite, overrides=[{"logEntries": [entry]}])
    body = {"resourceNames": ["projects/p"]}
    path = "/logging.googleapis.com/v2/entries:list"
    async with client_of(app) as client:
        named = (await client.post(path, json=body)).json()["entries"]
        query = {"$alt": "json;enum-encoding=int"}
        numbered = (await client.post(path, json=body, params=query)).json()["entries"]
    assert (named[0]["severity"], numbered[0]["severity"]) == ("ERROR", 500)
