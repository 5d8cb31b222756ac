import asyncio
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from mockserver.cli import env_check
from mockserver.cli.env_check import (
    ConnectionReport,
    check,
    exit_code,
    merge_environment,
    report_json,
    report_lines,
    sort_connections,
)
from mockserver.client import MockServer
from mockserver.errors import MockServerError
from mockserver.model import JournalEntry, Miss, SessionInfo, SessionSpec
from tests.mockserver.conftest import write_suite

UNITS = "https://admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"
NO = Miss(blame="not_emulated", reason="not emulated")


def entry(**fields: Any) -> JournalEntry:
    usual: dict[str, Any] = {
        "seq": 1, "at": "", "session": "s1", "method_id": "", "http_method": "GET", "path": "/",
        "status": 200, "source": "state", "duration_ms": 0.0,
    }  # fmt: skip
    return JournalEntry(**{**usual, **fields})


def test_a_journal_is_sorted_into_what_was_reached_refused_and_let_through() -> None:
    found = sort_connections(
        [
            entry(host="a.googleapis.com", method_id="a.b"),
            entry(host="a.googleapis.com", method_id="a.b"),
            entry(host="a.googleapis.com", method_id="a.c", parent=1),
            entry(path="/nope"),
            entry(http_method="CONNECT", path="x.example.com:443", miss=NO),
            entry(http_method="CONNECT", path="y.example.com:443"),
        ],
        ["z.example.com"],
    )
    assert found.reached == Counter(
        {("a.googleapis.com", "a.b"): 2, ("(this server)", "GET /nope"): 1}
    )
    assert found.refused == Counter({("x.example.com:443", "not emulated"): 1})
    assert found.tunnelled == Counter({"y.example.com:443": 1})
    lines = list(report_lines(found, 0))
    assert "  a.googleapis.com  a.b  2x" in lines
    assert lines[lines.index("escaped, and refused:") + 1].startswith("  x.example.com:443  1x")
    assert "  z.example.com" in lines


def test_answers_that_were_made_up_are_told_apart() -> None:
    shop = {"host": "shop.example.com", "source": "synthesis"}
    found = sort_connections(
        [
            entry(**shop, method_id="shop.search"),
            entry(**shop, method_id="shop.search"),
            entry(host="shop.example.com", method_id="shop.search"),
            entry(**shop, method_id="shop.inner", parent=1),
            entry(host="shop.example.com", method_id="shop.list"),
        ]
    )
    lines = list(report_lines(found, 0))
    assert "  shop.example.com  shop.search  3x  2 made up" in lines
    assert "  shop.example.com  shop.list  1x" in lines
    assert any(line.startswith("2 of 4 answers were made up") for line in lines)
    reached: Any = report_json(found, 0)["reached"]
    assert [each["made_up"] for each in reached] == [0, 2]


def test_a_connection_that_a_program_gave_up_as_it_ended_is_no_escape() -> None:
    hung_up = Miss(blame="infrastructure", reason="it hung up")
    gone = entry(http_method="CONNECT", host="a.googleapis.com", path="a:443", miss=hung_up)
    assert sort_connections([gone]).refused == Counter({("a:443", "it hung up"): 1})
    assert not sort_connections([entry(host="a.googleapis.com"), gone]).escaped


@pytest.mark.parametrize(
    ("found", "status", "code"),
    [
        (ConnectionReport(Counter(), Counter(), Counter()), 0, 0),
        (ConnectionReport(Counter(), Counter(), Counter({"x": 1})), 0, 0),
        (ConnectionReport(Counter(), Counter({("x", "y"): 1}), Counter()), 0, 1),
        (ConnectionReport(Counter(), Counter(), Counter(), ("x",)), 0, 1),
        (ConnectionReport(Counter(), Counter({("x", "y"): 1}), Counter()), 7, 7),
    ],
    ids=["nothing", "let through", "refused", "looked up", "failed"],
)
def test_the_exit_status_tells_of_escapes(found: ConnectionReport, status: int, code: int) -> None:
    assert exit_code(found, status) == code


def test_what_was_not_reached_or_not_seen_is_told() -> None:
    lines = list(
        report_lines(ConnectionReport(Counter(), Counter(), Counter(), unseen="no namespaces"), 0)
    )
    assert lines[1].startswith("nothing was reached")
    assert lines[2].endswith("not seen here: no namespaces")


@pytest.mark.parametrize(
    ("own", "options"),
    [({}, "--require=/p"), ({"NODE_OPTIONS": "--inspect"}, "--require=/p --inspect")],
)
def test_what_node_is_told_anyway_is_kept(own: dict[str, str], options: str) -> None:
    found = merge_environment({**own, "A": "1"}, {"NODE_OPTIONS": "--require=/p"})
    assert found == {"A": "1", "NODE_OPTIONS": options}


@pytest.fixture(scope="module")
def world(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[asyncio.Runner, MockServer, SessionInfo]]:
    suite = write_suite(tmp_path_factory.mktemp("check") / "suite")
    with asyncio.Runner() as runner:
        server = runner.run(MockServer.start(suite, options=()))
        yield runner, server, runner.run(server.open(SessionSpec()))
        runner.run(server.close())


World = tuple[asyncio.Runner, MockServer, SessionInfo]


@pytest.mark.parametrize("isolated", [True, False])
def test_a_command_is_run_and_watched(
    world: World, monkeypatch: pytest.MonkeyPatch, *, isolated: bool
) -> None:
    runner, server, info = world
    if not isolated:
        monkeypatch.setattr(env_check, "isolation_problem", lambda host: "not tried")
    script = f"curl -sSo /dev/null {UNITS}; curl -s https://api.example.com; exit 0"
    found, status = runner.run(check(server, info, ["sh", "-c", script]))
    assert status == 0
    assert found.reached == Counter({("admin.googleapis.com", "directory.orgunits.list"): 1})
    assert [authority for authority, _ in found.refused] == ["api.example.com:443"]
    assert found.looked_up == ()


@pytest.mark.slow
@pytest.mark.parametrize(("host", "code"), [("admin.googleapis.com", 0), ("api.example.com", 1)])
def test_the_command_line_reports_on_stderr_alone(world: World, host: str, code: int) -> None:
    _, server, info = world
    command = [sys.executable, "-m", "mockserver", "env", "--url", server.url, "--session", info.id]
    agent = ["sh", "-c", f"curl -s https://{host}/; echo done"]
    done = subprocess.run(
        [*command, "--check", *agent],
        env={**os.environ, "MOCKSERVER_TOKEN": server.token},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert done.stdout.endswith("done\n")
    assert host in done.stderr
    assert "understudy: the command ended with 0\n" in done.stderr


def test_a_command_that_is_not_there_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    runner, server, info = world
    monkeypatch.setattr(env_check, "isolation_problem", lambda host: "not tried")
    with pytest.raises(MockServerError, match=re.escape("cannot run no-such-command")):
        runner.run(check(server, info, ["no-such-command"]))


def test_a_server_without_a_proxy_sees_nothing(world: World) -> None:
    runner, server, info = world
    bare = info.model_copy(update={"env": {}})
    with pytest.raises(MockServerError, match="has no proxy"):
        runner.run(check(server, bare, ["true"]))
