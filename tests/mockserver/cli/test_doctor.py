import json
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mockserver.cli import machine
from mockserver.cli.machine import (
    Finding,
    look_at_certificates,
    look_at_clients,
    look_at_extras,
    look_at_installation,
    look_at_isolation,
    look_at_ports,
    look_at_proxies,
)
from mockserver.cli.main import app
from mockserver.errors import MockServerError
from mockserver.fronts.authorities import KeptAuthority

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)

SESSION = {"MOCK_SESSION": "s1", "MOCK_SERVER_URL": "http://127.0.0.1:8765"}
DIRECT = {"NO_PROXY": "localhost,127.0.0.1"}


def proxies(url: str) -> dict[str, str]:
    return {"HTTPS_PROXY": url, "https_proxy": url}


def levels(found: Iterator[Finding]) -> dict[str, str]:
    return {each.text: each.level for each in found if each.level != "ok"}


@pytest.mark.parametrize(
    ("environ", "level", "told"),
    [
        ({}, "ok", "no proxy variables"),
        (proxies("http://s1:x@127.0.0.1:1") | SESSION | DIRECT, "ok", "the session s1"),
        (proxies("http://proxy.example.com:3128") | DIRECT, "note", "at proxy.example.com"),
        (proxies("proxy.example.com:3128") | DIRECT, "note", "at proxy.example.com"),
        (proxies("http://proxy.example.com") | SESSION | DIRECT, "problem", "pass the mock by"),
        (
            proxies("http://127.0.0.1:1") | SESSION | {"no_proxy": "127.0.0.1,.googleapis.com"},
            "problem",
            "lets .googleapis.com pass",
        ),
        (proxies("http://127.0.0.1:1") | SESSION, "warning", "to this machine go through"),
        ({"HTTPS_PROXY": "http://a", "https_proxy": "http://b"}, "problem", "different proxies"),
        ({"HTTPS_PROXY": "http://a"}, "warning", "gRPC and curl"),
    ],
)
def test_proxy_variables_are_held_against_each_other_and_the_session(
    environ: Mapping[str, str], level: str, told: str
) -> None:
    assert [each.level for each in look_at_proxies(environ) if told in each.text] == [level]


def test_each_server_makes_its_authority_in_the_home_folder(tmp_path: Path) -> None:
    (found,) = look_at_certificates({"UNDERSTUDY_HOME": str(tmp_path / "a" / "b")}, NOW)
    assert (found.level, "each server makes its authority" in found.text) == ("ok", True)


def kept(tmp_path: Path) -> dict[str, str]:
    return {"UNDERSTUDY_HOME": str(tmp_path / "home"), "MOCKSERVER_CA": str(tmp_path)}


@pytest.mark.parametrize(("days", "level"), [(0, "ok"), (350, "warning"), (370, "problem")])
def test_an_authority_that_is_kept_is_told_before_it_ends(
    tmp_path: Path, days: int, level: str
) -> None:
    KeptAuthority(tmp_path, lambda: NOW).prepare()
    _, found = look_at_certificates(kept(tmp_path), NOW + timedelta(days=days))
    assert found.level == level
    assert bool(found.mend) == (level != "ok")


def test_one_that_is_not_there_yet_will_be_made(tmp_path: Path) -> None:
    _, found = look_at_certificates(kept(tmp_path), NOW)
    assert (found.level, "the first server makes one" in found.text) == ("ok", True)


def test_one_that_no_server_uses_is_noted(tmp_path: Path) -> None:
    KeptAuthority(tmp_path, lambda: NOW).prepare()
    _, found = look_at_certificates({"UNDERSTUDY_HOME": str(tmp_path)}, NOW)
    assert (found.level, f"--ca {tmp_path}" in found.mend) == ("note", True)


def test_files_that_are_missing_or_broken_are_problems(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("x", encoding="utf-8")
    environ = {**kept(tmp_path), "SSL_CERT_FILE": str(tmp_path / "gone.pem")}
    _, broken, missing = look_at_certificates(environ, NOW)
    assert (broken.level, missing.level) == ("problem", "problem")
    assert "cannot be read" in broken.text
    assert missing.mend.startswith("unset SSL_CERT_FILE")


def test_a_folder_that_cannot_be_written_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockserver.cli.machine.os.access", lambda *_: False)
    (found,) = look_at_certificates({"UNDERSTUDY_HOME": str(tmp_path / "new")}, NOW)
    assert (found.level, "cannot be written" in found.text) == ("problem", True)


def test_without_a_home_there_is_nowhere_to_keep_an_authority(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", homeless)
    (found,) = look_at_certificates({}, NOW)
    assert (found.level, "UNDERSTUDY_HOME" in found.mend) == ("problem", True)


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        (found,) = look_at_ports({port: "understudy serve"})
    assert found.level == "warning"
    assert f"{port} is not free for understudy serve" in found.text
    (free,) = look_at_ports({port: "understudy serve"})
    assert free.level == "ok"


def program(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.mark.parametrize(
    ("clients", "told"),
    [
        ('{"httplib2": "1", "requests": "2"}', {"httplib2 without PySocks": "problem"}),
        ('{"httplib2": "1", "pysocks": "2"}', {}),
        ('{"aiohttp": "3"}', {"trust_env": "note"}),
        ("{}", {"none of the HTTP clients": "note"}),
        ("Traceback", {"none of the HTTP clients": "note"}),
    ],
)
def test_clients_that_pass_the_mock_by_are_told(
    tmp_path: Path, clients: str, told: dict[str, str]
) -> None:
    program(tmp_path, "python3", f"echo '{clients}'")
    found = levels(look_at_clients({"PATH": str(tmp_path)}))
    assert len(found) == len(told)
    for text, level in told.items():
        assert [each for name, each in found.items() if text in name] == [level]


@pytest.mark.slow
def test_an_old_node_and_programs_that_hang_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "python3", "echo '{}'")
    program(tmp_path, "node", "echo v20.1.0")
    program(tmp_path, "curl", "exec sleep 60")
    monkeypatch.setattr(machine, "_PATIENCE_S", 2)
    texts = [each.text for each in look_at_clients({"PATH": f"{tmp_path}:/bin:/usr/bin"})]
    assert {"node v20.1.0", "Node 20 does not read proxy variables by itself", "curl ?"} <= set(
        texts
    )


def test_extras_that_are_missing_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "EXTRAS", {"testing": ("pytest",), "gone": ("no-such-package",)})
    assert [each.text for each in look_at_extras()] == ["installed: testing", "not installed: gone"]


def test_an_installation_without_documents_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(each.level == "ok" for each in look_at_installation())

    def missing() -> None:
        raise MockServerError("no documents", hint="install them")

    monkeypatch.setattr("mockserver.googleapi.installed_documents", missing)
    assert [each.mend for each in look_at_installation()] == ["", "install them"]


@pytest.mark.parametrize(("why", "level"), [("", "ok"), ("no such kernel", "note")])
def test_isolation_says_why_it_is_not_there(
    monkeypatch: pytest.MonkeyPatch, why: str, level: str
) -> None:
    monkeypatch.setattr("mockserver.cli.env_check.isolation_problem", lambda _: why)
    found, _ = look_at_isolation()
    assert found.level == level
    assert why in found.text


@pytest.mark.parametrize("broken", [False, True])
def test_the_command_fails_where_there_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, broken: bool
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    if broken:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone.pem"))
    shown = CliRunner().invoke(app, ["doctor"])
    assert shown.exit_code == int(broken), shown.output
    assert f"{int(broken)} problems" in shown.output
    found = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).output)
    assert {each["topic"] for each in found} >= {"install", "proxy", "certificates", "ports"}


@pytest.mark.slow
def test_a_server_tells_what_it_waits_for() -> None:
    server = subprocess.Popen(
        (sys.executable, "-m", "mockserver", "serve", "--port", "0", "--workers", "2"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stdout is not None
    url = server.stdout.readline().split("ready at ")[1].split()[0]
    try:
        told = CliRunner().invoke(app, ["doctor", "--server", url])
        assert told.exit_code == 0
        assert "waits for nothing\n0 waits were given up\ntasks\n" in told.output
        found = CliRunner().invoke(app, ["doctor", "--server", url, "--json"]).output
        assert {"pid", "waits", "overdue", "tasks"} == set(json.loads(found))
        server.send_signal(signal.SIGUSR1)
    finally:
        server.terminate()
        _, log = server.communicate()
    assert server.returncode == 0
    refused = CliRunner().invoke(app, ["doctor", "--server", url])
    assert isinstance(refused.exception, MockServerError)
    assert log.count("0 waits were given up") == 2
