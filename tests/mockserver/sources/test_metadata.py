"""The metadata server over HTTP."""

import httpx
import pytest

from mockserver.http.application import Application

FLAVOR = {"Metadata-Flavor": "Google"}
ROOT = "/computeMetadata/v1"


@pytest.mark.parametrize(
    ("path", "content_type", "body"),
    [
        ("/", "application/text", "0.1/\ncomputeMetadata/\n"),
        (f"{ROOT}/project/project-id", "application/text", "example-com"),
        (
            f"{ROOT}/universe/?recursive=true",
            "application/json",
            '{"universeDomain":"googleapis.com"}',
        ),
    ],
)
async def test_values_are_answered_with_header_and_type(
    client: httpx.AsyncClient, path: str, content_type: str, body: str
) -> None:
    answer = await client.get(path, headers=FLAVOR)
    assert (answer.status_code, answer.text) == (200, body)
    assert answer.headers["content-type"] == content_type
    assert answer.headers["metadata-flavor"] == "Google"


@pytest.mark.parametrize("headers", [{}, {**FLAVOR, "X-Forwarded-For": "192.0.2.1"}])
async def test_without_its_header_and_through_a_proxy_nothing_is_told(
    client: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    answer = await client.get(f"{ROOT}/project/project-id", headers=headers)
    assert answer.status_code == 403
    assert answer.headers["content-type"].startswith("text/html")


async def test_the_top_is_that_of_the_server_itself_unless_metadata_is_meant(
    client: httpx.AsyncClient,
) -> None:
    assert (await client.get("/")).status_code == 404
    assert (await client.get("/", headers={"Host": "169.254.169.254"})).status_code == 200


async def test_a_folder_is_where_its_slash_is(client: httpx.AsyncClient) -> None:
    answer = await client.get(f"/s/default{ROOT}/project?alt=text", headers=FLAVOR)
    assert answer.status_code == 301
    assert answer.headers["location"] == "project/?alt=text"
    followed = await client.get(f"/s/default{ROOT}/project", headers=FLAVOR, follow_redirects=True)
    assert followed.text == "attributes/\nnumeric-project-id\nproject-id\n"


async def test_tokens_are_journalled_without_themselves(
    app: Application, client: httpx.AsyncClient
) -> None:
    account = f"{ROOT}/instance/service-accounts/default"
    token = (await client.get(f"{account}/token", headers=FLAVOR)).json()["access_token"]
    identity = (await client.get(f"{account}/identity?audience=a", headers=FLAVOR)).text
    journal = (await client.get("/_mock/sessions/default/journal")).text
    assert token not in journal
    assert identity.rpartition(".")[2] not in journal
    entries = app.sessions.get("default").journal.as_json("default")["entries"]
    assert [entry["method_id"] for entry in entries] == ["metadata.token", "metadata.identity"]


async def test_it_can_be_told_to_fail(client: httpx.AsyncClient) -> None:
    fault = {"method": "metadata.token", "status": 503}
    await client.post("/_mock/sessions/default/faults", json=fault)
    path = f"{ROOT}/instance/service-accounts/default/token"
    assert (await client.get(path, headers=FLAVOR)).status_code == 503


async def test_nothing_can_be_changed(client: httpx.AsyncClient) -> None:
    assert (await client.put(f"{ROOT}/project/project-id", headers=FLAVOR)).status_code == 404
