"""`mockserver env --credentials`."""

import json
import os
from pathlib import Path
from typing import Any, get_args

import pytest
from typing_extensions import override

from mockserver.cli.blocks import (
    CredentialsOption,
    check_options,
    with_credentials,
    with_default_credentials,
    write_private,
)
from mockserver.errors import MockServerError
from mockserver.model import CREDENTIAL_KINDS, CredentialKind, SessionInfo

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
        (CredentialsOption.SERVICE_ACCOUNT, None, "--out FILE"),
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
