import json
import os
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest
from typer.testing import CliRunner
from typing_extensions import override

from mockserver import client as module
from mockserver.cli.blocks import (
    CredentialsOption,
    check_options,
    with_credentials,
    with_default_credentials,
    write_private,
)
from mockserver.cli.main import app as command
from mockserver.errors import MockServerError, ServerUnavailableError, SessionError
from mockserver.http.application import Application
from mockserver.model import CREDENTIAL_KINDS, CredentialKind, SessionInfo, SessionSpec
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
    assert {line[0] for line in lines} == {"export"}
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


PROXY = {"HTTPS_PROXY": "http://s1:x@127.0.0.1:3128"}


class Server:
    """What hands out credentials, and how it was asked."""

    async def credentials(self, session: str, kind: str, *, endpoint: str) -> dict[str, str]:
        return {"session": session, "kind": kind, "endpoint": endpoint}


def info(env: dict[str, str]) -> SessionInfo:
    return SessionInfo(id="s1", token="t", base_url="http://127.0.0.1/s/s1", env=env)


def test_every_kind_can_be_asked_for() -> None:
    assert (
        tuple(kind.value for kind in CredentialsOption)
        == CREDENTIAL_KINDS
        == get_args(CredentialKind)
    )


@pytest.mark.parametrize(("env", "endpoint"), [({}, "server"), (PROXY, "google")])
async def test_a_file_is_written_and_named(
    tmp_path: Path, env: dict[str, str], endpoint: str
) -> None:
    out, server = tmp_path / "key.json", Server()
    made: Any = await with_credentials(server, info(env), CredentialsOption.SERVICE_ACCOUNT, out)  # type: ignore[arg-type]
    assert made.env == {**env, "GOOGLE_APPLICATION_CREDENTIALS": str(out)}
    asked = {"session": "s1", "kind": "service_account", "endpoint": endpoint}
    assert json.loads(out.read_text(encoding="utf-8")) == asked


async def test_by_default_the_file_is_kept_beside_the_certificates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path))
    folder = tmp_path / "credentials"
    folder.mkdir()
    for number in range(502):
        old = folder / f"s{number}.json"
        old.write_text("{}", encoding="utf-8")
        os.utime(old, (number, number))

    class Project(Server):
        @override
        async def credentials(self, session: str, kind: str, *, endpoint: str) -> dict[str, str]:
            asked = await super().credentials(session, kind, endpoint=endpoint)
            return {**asked, "quota_project_id": "p"}

    made: Any = await with_default_credentials(Project(), info(PROXY))  # type: ignore[arg-type]
    file = folder / "s1.json"
    assert made.env == {
        **PROXY, "GOOGLE_APPLICATION_CREDENTIALS": str(file), "GOOGLE_CLOUD_PROJECT": "p",
    }  # fmt: skip
    assert json.loads(file.read_text(encoding="utf-8"))["kind"] == "authorized_user"
    left = {path.name for path in folder.iterdir()}
    assert (len(left), "s0.json" in left, "s501.json" in left) == (501, False, True)


async def test_a_machine_is_led_to_by_variables() -> None:
    made: Any = await with_credentials(Server(), info({"A": "1"}), CredentialsOption.METADATA, None)  # type: ignore[arg-type]
    assert made.env["A"] == "1"
    assert made.env["kind"] == "metadata"


def test_only_the_owner_can_read_the_file(tmp_path: Path) -> None:
    out = tmp_path / "key.json"
    out.write_text("old", encoding="utf-8")
    out.chmod(0o644)
    assert write_private(out, {"a": 1}) == str(out)
    assert out.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["key.json"]


@pytest.mark.parametrize("out", ["missing/key.json", "folder"])
def test_a_file_that_cannot_be_written_is_told(tmp_path: Path, out: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(MockServerError, match="cannot write"):
        write_private(tmp_path / out, {})
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize(
    ("kind", "out", "says"),
    [
        (None, Path("a"), "say which credentials"),
        (CredentialsOption.METADATA, Path("a"), "not a file"),
        (CredentialsOption.SERVICE_ACCOUNT, None, "--output FILE"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    kind: CredentialsOption | None, out: Path | None, says: str
) -> None:
    with pytest.raises(MockServerError, match=says):
        check_options(kind, out)


@pytest.mark.parametrize(
    ("kind", "out"),
    [
        (None, None),
        (CredentialsOption.METADATA, None),
        (CredentialsOption.AUTHORIZED_USER, Path("a")),
    ],
)
def test_others_do(kind: CredentialsOption | None, out: Path | None) -> None:
    check_options(kind, out)
