import json
import shlex
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from mockserver import client as module
from mockserver.cli.main import app as command
from mockserver.errors import MockServerError, ServerUnavailableError, SessionError
from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.settings import Settings

NOW = datetime(2026, 3, 2, tzinfo=UTC)
URL = "http://127.0.0.1:8765"


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Application:
    """A server on a suite with one case, which is what every client meets."""
    (tmp_path / "base").mkdir()
    (tmp_path / "EC-001").mkdir()
    (tmp_path / "EC-001" / "overrides.json").write_text("{}")
    settings = Settings(fixtures=tmp_path, token="s3cret", default=SessionSpec())
    app = Application(settings, real=lambda: NOW)

    def made(url: str, token: str) -> httpx.AsyncClient:
        headers = {"authorization": f"Bearer {token}"}
        return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=url, headers=headers)

    monkeypatch.setattr(module, "_client", made)
    monkeypatch.setenv("MOCKSERVER_TOKEN", "s3cret")
    return app


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(command, ["env", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_a_new_session_is_opened_on_a_case(app: Application) -> None:
    lines = [shlex.split(line) for line in printed("--case", "EC-001").splitlines()]
    assert [line[0] for line in lines] == ["export"] * 5
    session = app.sessions.all()[-1]
    assert ["export", f"MOCK_SESSION={session.id}"] in lines
    assert ["export", f"GOOGLE_API_BASE_URL={URL}/s/{session.id}"] in lines
    assert session.spec.case == "EC-001"


def test_a_session_that_is_open_already_is_named(app: Application) -> None:
    lines = printed("--session", "default", "--format", "dotenv").splitlines()
    assert f'TOOLS_BASE_URL="{URL}/s/default/tools"' in lines
    assert len(app.sessions) == 1


def test_the_block_can_be_json(app: Application) -> None:
    block = json.loads(printed("--format", "json"))
    assert block["GOOGLE_OAUTH_ACCESS_TOKEN"] == app.sessions.all()[-1].token


def test_credentials_of_the_session_are_part_of_it(app: Application, tmp_path: Path) -> None:
    out = tmp_path / "key.json"
    form = ("--session", "default", "--format", "json")
    block = json.loads(printed(*form, "--credentials", "service_account", "--out", str(out)))
    assert block["GOOGLE_APPLICATION_CREDENTIALS"] == str(out)
    assert json.loads(out.read_text())["token_uri"].startswith(f"{URL}/s/default/")
    machine = json.loads(printed(*form, "--credentials", "metadata"))
    assert machine["GCE_METADATA_HOST"] == URL.removeprefix("http://")
    assert len(app.sessions) == 1


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize(
    ("arguments", "kind", "says"),
    [
        (("--session", "a", "--case", "b"), MockServerError, "choose one"),
        (("--session", "nope"), SessionError, "no session 'nope'"),
        (("--case", "EC-01"), SessionError, "did you mean 'EC-001'"),
        (("--token", "other"), ServerUnavailableError, "needs its token"),
        (("--check",), MockServerError, "go together"),
        (("true",), MockServerError, "go together"),
        (("--check", "true"), MockServerError, "has no proxy"),
    ],
    ids=["both", "session", "case", "token", "no command", "no check", "no proxy"],
)
def test_what_cannot_be_is_told(
    arguments: tuple[str, ...], kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind, match=says):
        printed(*arguments)


def test_a_session_that_is_closed_is_of_no_use(app: Application) -> None:
    app.sessions.close("default")
    with pytest.raises(SessionError, match="session 'default' is closed"):
        printed("--session", "default")
