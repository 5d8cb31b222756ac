"""SDKs as their users have them, led to a session in this process."""

from pathlib import Path
from typing import Any, cast

import google.auth
import pytest
from google.auth.transport.requests import AuthorizedSession
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError
from openai import APITimeoutError, OpenAI, PermissionDeniedError

from mockserver.testing.mocks import Mock, mock
from tests.mockserver.conftest import write_suite

UNITS = "https://admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"
CHAT = {
    "id": "chat.create",
    "method": "POST",
    "url": "api.openai.com/v1/chat/completions",
    "body": {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": "Hello."},
            }
        ],
    },
}

SHORT_S = 0.05
"""Much less than an answer takes that does not come."""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite")


@pytest.mark.slow
def test_the_google_client_with_default_credentials_writes_and_reads(suite: Path) -> None:
    with mock(suite) as world:
        directory = build("admin", "directory_v1")
        body = {"name": "Field", "parentOrgUnitPath": "/"}
        directory.orgunits().insert(customerId="my_customer", body=body).execute()
        listed = directory.orgunits().list(customerId="my_customer", type="all").execute()
        with pytest.raises(HttpError, match="404"):
            directory.users().get(userKey="nobody@example.com").execute()
        directory.close()
    assert "Field" in {unit["name"] for unit in listed["organizationUnits"]}
    assert next(iter(world.diff["orgUnits"]["added"].values()))["name"] == "Field"
    assert world.requests[0].method_id == "oauth2.token"


def test_authorized_sessions_of_google_auth_are_led(suite: Path) -> None:
    with mock(suite) as world:
        credentials, project = google.auth.default(
            scopes=["https://www.googleapis.com/auth/admin.directory.orgunit"]
        )
        with cast("Any", AuthorizedSession)(credentials) as session:
            assert session.get(UNITS).status_code == 200
    assert project
    assert [one.method_id for one in world.requests] == ["oauth2.token", "directory.orgunits.list"]


def openai_mock(**options: Any) -> Mock:
    return mock(overrides=[{"http": [CHAT]}], **options)


def ask_model(**options: Any) -> str | None:
    with OpenAI(api_key="k", max_retries=0, **options) as client:
        answer = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "Hi"}]
        )
    return answer.choices[0].message.content


def test_a_model_client_is_answered_by_a_stub() -> None:
    with openai_mock() as world:
        assert ask_model() == "Hello."
    assert world.requests[0].body == {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


def test_a_delay_is_the_model_clients_own_timeout() -> None:
    fault = {"method": "chat.create", "latency_ms": 60_000}
    with openai_mock(faults=[fault]), pytest.raises(APITimeoutError):
        ask_model(timeout=SHORT_S)


def test_an_unknown_model_host_says_what_would_serve_it() -> None:
    with (
        mock(),
        pytest.raises(PermissionDeniedError, match=r"api\.openai\.com is not emulated"),
    ):
        ask_model()
