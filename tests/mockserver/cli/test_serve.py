import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from mockserver.cli.main import app
from mockserver.errors import MockServerError
from mockserver.http import server
from mockserver.model import SessionSpec
from mockserver.settings import Settings
from tests.patience import PATIENCE_S

started: list[str] = []
"""The fronts of the server that was started last."""


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """What the server would have been started with."""
    found: list[Settings] = []

    def note(
        settings: Settings,
        *,
        ready: Callable[[str], None],
        until_eof: bool,
        fronts: Sequence[server.Front],
    ) -> None:
        found.append(settings)
        started[:] = [type(front).__name__ for front in fronts]
        ready(f"http://127.0.0.1:1/{until_eof}")

    monkeypatch.setattr(server, "serve", note)
    return found


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["serve", *arguments], catch_exceptions=False)


def test_without_options_it_serves_this_machine_alone(served: list[Settings]) -> None:
    result = run()
    (settings,) = served
    assert replace(settings, interception=None) == Settings(default=SessionSpec())
    assert settings.interception is not None
    assert settings.interception.certificate.is_file()
    assert result.output == f"mockserver ready at http://127.0.0.1:1/False (pid {os.getpid()})\n"


def test_options_reach_the_server(served: list[Settings]) -> None:
    text = (
        "--fixtures f --case EC-1 --host 0.0.0.0 --port 1 --clock frozen --profile strict --seed 7 "
        "--auth token --token t --allow-host Mock.example.com --journal-bytes 70000 "
        "--max-sessions 3 --until-eof --no-proxy"
    )
    result = run(*text.split())
    (settings,) = served
    assert settings == Settings(
        fixtures=Path("f"),
        host="0.0.0.0",
        port=1,
        token="t",
        allowed_hosts=("mock.example.com",),
        default=SessionSpec(case="EC-1", clock="frozen", profile="strict", seed=7, auth="token"),
        journal_bytes=70_000,
        max_sessions=3,
    )
    assert settings.token == "t"
    assert "True" in result.output


def test_the_default_session_can_be_left_out(served: list[Settings]) -> None:
    run("--no-default")
    assert served[0].default is None


def test_on_another_address_a_token_is_made_up_and_told_once(served: list[Settings]) -> None:
    result = run("--host", "0.0.0.0")
    assert len(served[0].token) >= 24
    assert result.stderr.count(served[0].token) == 1
    assert served[0].token not in result.stdout


def test_a_token_is_the_first_line_of_its_file(served: list[Settings], tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("s3cret-token\nnothing of this\n")
    result = run("--token-file", str(file), "--token", "another")
    assert served[0].token == "s3cret-token"
    assert "s3cret" not in result.output


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("content", [b"", b"\n", b"two words\n", b"\xff\xfe\n", b"a\tb\n"])
def test_a_file_that_does_not_begin_with_a_token_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    with pytest.raises(MockServerError, match="does not begin with a token"):
        run("--token-file", str(file))


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--token-file", "/no/such/file"), "cannot read --token-file '/no/such/file'"),
        (("--no-default", "--case", "a"), "choose one"),
        (("--clock", "noon"), "--clock 'noon'"),
        (("--profile", "harsh"), "--profile 'harsh'"),
        (("--auth", "all"), "--auth 'all'"),
    ],
)
def test_what_cannot_be_is_told(arguments: tuple[str, ...], says: str) -> None:
    with pytest.raises(MockServerError, match=says):
        run(*arguments)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_process_says_one_line_and_ends_with_0_when_told_to(number: int) -> None:
    command = [sys.executable, "-m", "mockserver", "serve", "--port", "0"]
    streams: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **streams) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        server.send_signal(number)
        rest, errors = server.communicate(timeout=PATIENCE_S)
    assert re.fullmatch(
        rf"mockserver ready at http://127.0.0.1:\d+ \(pid {server.pid}, proxy on port \d+\)\n", line
    )
    assert (server.returncode, rest, errors) == (0, "", "")


def test_a_port_in_use_is_exit_code_3(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "mockserver", "serve", "--port", port]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith(f"mockserver: port {port} on 127.0.0.1 is in use")
    assert done.stderr.count("\n") == 1


def test_a_hermetic_server_lets_nothing_through() -> None:
    result = CliRunner().invoke(app, ["serve", "--hermetic", "--tunnel", "api.example.com"])
    assert isinstance(result.exception, MockServerError)
    assert "--hermetic lets nothing out" in str(result.exception)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (("registry.json",), "has no base/*.json: sessions start from nothing"),
        (("users.json", "registry.json"), "of registry.json, users.json nothing is served"),
        (("base/users.json",), ""),
        (("fixtures/base/users.json",), ""),
    ],
)
def test_a_folder_without_a_base_is_told(
    files: tuple[str, ...], told: str, tmp_path: Path, served: list[Settings]
) -> None:
    for name in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    result = run("--fixtures", str(tmp_path))
    assert told in result.stderr
    assert bool(result.stderr) is bool(told)
    assert [each.fixtures for each in served] == [tmp_path]


@pytest.mark.parametrize(
    ("arguments", "is_logged"),
    [
        ((), False),  # nobody watches
        (("--log-format", "text"), True),
        (("--log-format", "json"), True),
        (("--log-format", "json", "--quiet"), False),
    ],
)
@pytest.mark.usefixtures("served")
def test_requests_are_written_for_who_watches(arguments: tuple[str, ...], is_logged: bool) -> None:
    assert run(*arguments).exit_code == 0
    assert ("RequestLog" in started) is is_logged


def test_a_suite_is_watched_where_there_is_one(served: list[Settings]) -> None:
    assert run("--watch", "--fixtures", "f").exit_code == 0
    assert served[0].watch
    assert "SuiteWatch" in started
    result = CliRunner().invoke(app, ["serve", "--watch"])
    assert isinstance(result.exception, MockServerError)
    assert "--fixtures" in str(result.exception)
