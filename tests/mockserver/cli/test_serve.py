import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from mockserver.cli.main import app
from mockserver.cli.serve import prepare_fronts
from mockserver.cli.serve_options import ReplayOptions, SessionOptions, TransportOptions
from mockserver.errors import MockServerError
from mockserver.fronts.grpc import GrpcListener
from mockserver.fronts.interception import InterceptionFront, InterceptionOptions
from mockserver.http import server
from mockserver.model import SessionSpec
from mockserver.settings import Settings
from tests.patience import PATIENCE_S
from tests.tapes import recorded, written
from tests.warm import programs

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


def test_without_options_it_serves_this_machine_alone(
    served: list[Settings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path))  # a server beside it takes the name
    result = run()
    (settings,) = served
    assert replace(settings, interception=None) == Settings(default=SessionSpec())
    assert settings.interception is not None
    settings.interception.prepare()
    assert settings.interception.certificate.is_file()
    assert settings.interception.certificate.parent.name == "127.0.0.1-8765"
    assert result.output == f"understudy ready at http://127.0.0.1:1/False (pid {os.getpid()})\n"


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


@pytest.mark.slow
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
        rf"understudy ready at http://127.0.0.1:\d+ \(pid {server.pid}, proxy on port \d+\)\n", line
    )
    assert (server.returncode, rest, errors) == (0, "", "")


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("ports", "no_proxy", "wanted", "insists"),
    [
        ((None, None), False, InterceptionOptions(0, None), False),
        ((None, None), True, InterceptionOptions(None, None), True),
        ((3128, None), False, InterceptionOptions(3128, None), True),
        ((None, 443), False, InterceptionOptions(0, 443), True),
    ],
    ids=["default", "without", "port", "tls"],
)
def test_the_proxy_is_there_unless_it_is_left_out(
    ports: tuple[int | None, int | None], no_proxy: bool, wanted: InterceptionOptions, insists: bool
) -> None:
    options = TransportOptions(proxy_port=ports[0], tls_port=ports[1], no_proxy=no_proxy)
    assert options.interception() == (wanted, insists)


def test_hosts_are_named_on_both_sides() -> None:
    wanted, _ = TransportOptions(emulate=["a.example"], tunnel=["b.example"]).interception()
    assert (wanted.emulate, wanted.tunnel) == (("a.example",), ("b.example",))


def test_a_proxy_cannot_be_asked_for_and_left_out() -> None:
    with pytest.raises(MockServerError, match="--no-proxy leaves it out"):
        TransportOptions(proxy_port=1, no_proxy=True).interception()


@pytest.mark.parametrize("option", ["tunnel", "emulate"])
def test_hosts_of_the_proxy_are_not_named_without_it(option: str) -> None:
    hosts: Any = {option: ["a"]}
    with pytest.raises(MockServerError, match="--no-proxy leaves it out"):
        TransportOptions(**hosts, no_proxy=True).interception()


async def test_ports_of_several_processes_are_taken_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "home"))
    options = TransportOptions(no_proxy=True, tls_port=0, grpc_port=0)
    made = prepare_fronts(options, shared=True)
    front, grpc = made.fronts
    assert isinstance(front, InterceptionFront)
    assert isinstance(grpc, GrpcListener)
    settings = Settings()
    assert made.bind is not None
    made.bind(settings)
    taken = dict(settings.fronts)
    made.bind(settings)
    assert settings.fronts == taken
    assert list(taken) == ["tls", "grpc"]
    await front.stop()
    await grpc.stop()


def test_the_grpc_listener_stands_beside_the_proxy_or_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "home"))
    both = prepare_fronts(TransportOptions(proxy_port=0))
    assert [type(front) for front in both.fronts] == [InterceptionFront, GrpcListener]
    assert both.interception is not None
    assert prepare_fronts(TransportOptions(no_proxy=True)).fronts == ()
    (alone,) = prepare_fronts(TransportOptions(no_proxy=True, grpc_port=0)).fronts
    assert isinstance(alone, GrpcListener)


def test_without_a_place_for_its_authority_the_proxy_is_left_out_unless_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "file" / "home"))
    assert prepare_fronts(TransportOptions()).fronts == ()
    assert "understudy: no proxy: " in capsys.readouterr().err
    with pytest.raises(MockServerError):
        prepare_fronts(TransportOptions(proxy_port=0))
    with pytest.raises(MockServerError):
        prepare_fronts(TransportOptions(ca=tmp_path / "file"))


def test_an_authority_that_is_kept_is_of_no_use_without_tls(tmp_path: Path) -> None:
    with pytest.raises(MockServerError, match="--ca is for the proxy and the TLS listener"):
        prepare_fronts(TransportOptions(no_proxy=True, ca=tmp_path))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--repeats", "last"], "about the cassettes of the default session"),
        (["--strict"], "about the cassettes"),
        (["--synthesis", "--no-made-up"], "makes answers up and --no-made-up does not"),
        (["--cassette", "TAPE", "--pace", "0", "--no-default"], "about the cassettes"),
        (["--cassette", "TAPE", "--tunnel", "x.example.com"], "replays go nowhere"),
        (["--cassette", "missing.yaml"], "missing.yaml: no such cassette"),
        (["--cassette", "TAPE", "--cassette", "OTHER"], "have the same name"),
        (["--cassette", "TAPE", "--repeats", "twice"], "--repeats 'twice'"),
    ],
    ids=["repeats", "strict", "made up", "no default", "tunnel", "missing", "same name",
         "unknown repeats"],
)  # fmt: skip
def test_options_that_do_not_go_together_are_refused(
    tmp_path: Path, arguments: list[str], says: str
) -> None:
    files = {
        "TAPE": written(tmp_path, [recorded()]),
        "OTHER": written(tmp_path / "b", [recorded()]),
    }
    given = [str(files.get(word, word)) for word in arguments]
    with pytest.raises(MockServerError) as error:
        run("--port", "0", *given)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("cassettes", "fixtures", "given", "sources"),
    [
        (True, None, "", ["cassette"]),
        (True, None, "no_made_up", ["cassette"]),
        (True, None, "synthesis", ["cassette", "synthesis"]),
        (True, Path("f"), "", None),
        (True, Path("f"), "synthesis", ["stub", "cassette", "state", "synthesis"]),
        (True, Path("f"), "no_made_up", ["stub", "cassette", "state"]),
        (False, None, "", None),
        (False, None, "synthesis", ["stub", "state", "synthesis"]),
        (False, None, "no_made_up", ["stub", "state"]),
    ],
)
def test_who_answers_beside_cassettes(
    cassettes: bool, fixtures: Path | None, given: str, sources: list[str] | None
) -> None:
    session = SessionOptions(
        fixtures=fixtures, synthesis=given == "synthesis", no_made_up=given == "no_made_up"
    )
    assert session.sources(replays=cassettes) == sources


@pytest.mark.parametrize(
    ("repeats", "match", "strict", "expected"),
    [
        (None, None, False, (None, None, None)),
        (None, "method, path", True, ("once", "strict", ["method", "path"])),
        ("last", None, True, ("last", "strict", None)),
    ],
)
def test_a_strict_replay_repeats_nothing_unless_told(
    repeats: str | None, match: str | None, strict: bool, expected: tuple[object, ...]
) -> None:
    played = ReplayOptions(
        cassette=[Path("a.yaml")], repeats=repeats, match=match, exact=strict, strict=strict
    ).session_options()
    assert played["cassettes"] == ["a"]
    assert (played["repeats"], played["barriers"], played["match"]) == expected
    assert played["exact"] is (strict or None)


@pytest.mark.slow
@pytest.mark.parametrize("asked", [("/v1/units",), ("/v1/units", "/v1/units")])
def test_a_strict_replay_tells_what_is_left_and_what_was_missing(
    tmp_path: Path, asked: tuple[str, ...]
) -> None:
    file = written(tmp_path, [recorded(), *(recorded(path=f"/v1/{n}") for n in range(21))])
    command = [str(programs() / "mockserver"), "serve", "--port", "0", "--no-proxy"]
    command += ["--cassette", str(file), "--strict"]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[3]
        for path in asked:
            with suppress(urllib.error.HTTPError):
                urllib.request.urlopen(url + path, timeout=PATIENCE_S)
        os.kill(server.pid, signal.SIGTERM)
        _, said = server.communicate(timeout=PATIENCE_S)
    assert server.returncode == 1
    assert "unused GET https://api.example.com/v1/0 (#2 of tape.yaml)" in said
    assert "and 1 more" in said
    assert f"{len(asked) - 1} without a recording, 21 unused" in said
    assert ("no recording of GET api.example.com/v1/units" in said) is (len(asked) > 1)
