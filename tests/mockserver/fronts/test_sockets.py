"""WebSockets of stubs through the proxy, for unchanged clients, with TLS and without."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from mockserver.client import MockServer
from mockserver.model import SessionInfo, SessionSpec
from tests.mockserver.conftest import write_suite
from tests.patience import PATIENCE_S

STUB = {
    "id": "live", "url": "https://realtime.example.com/live", "template": True, "socket": [
        {"send": {"type": "ready", "session": "{{ session.id }}"}},
        {"receive": {"type": "ask"}},
        {"send": "You asked {{ message.text }}"},
        {"close": 4000},
    ],
}  # fmt: skip
PYTHON = """
import sys
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import connect
try:
    with connect(sys.argv[1]) as socket:
        print(socket.recv())
        socket.send('{"type": "ask", "text": "why"}')
        print(socket.recv())
        socket.recv()
except ConnectionClosed as closed:
    print(closed.rcvd.code)
except InvalidHandshake as refused:
    print("refused:", refused)
"""
NODE = """
const socket = new WebSocket(process.argv[1]);
socket.onmessage = (event) => {
  console.log(event.data);
  if (event.data.includes("ready")) socket.send('{"type": "ask", "text": "why"}');
};
socket.onclose = (event) => console.log(event.code);
socket.onerror = (event) => { console.log("refused:", event.message); };
"""
HAS_SOCKETS = "typeof WebSocket === 'undefined' && process.exit(1)"


@cache
def node_command() -> list[str] | None:
    """Node with its own WebSocket, which older ones have behind a flag; None without."""
    for options in ([], ["--experimental-websocket"]):
        command = [shutil.which("node") or "", *options, "-e"]
        if command[0] and not subprocess.run(
            [*command, HAS_SOCKETS], capture_output=True, check=False
        ).returncode:  # fmt: skip
            return command
    return None


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionInfo]:
    suite = write_suite(tmp_path_factory.mktemp("sockets") / "suite", http=[STUB])
    with asyncio.Runner() as runner:
        server = runner.run(MockServer.start(suite, options=("--proxy-port", "0")))
        try:
            yield runner.run(server.open(SessionSpec(id="s1")))
        finally:
            runner.run(server.close())


def printed(client: str, url: str, session: SessionInfo, folder: Path) -> list[str]:
    command = [sys.executable, "-c", PYTHON]
    if client == "node":
        found = node_command()
        if found is None:
            pytest.skip("there is no Node with a WebSocket")
        command = [*found, NODE]
    done = subprocess.run(
        [*command, url], env={"PATH": os.environ["PATH"], **session.env}, cwd=folder,
        capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    return done.stdout.splitlines() or [done.stderr]


@pytest.mark.parametrize("scheme", ["ws", "wss"])
@pytest.mark.parametrize("client", ["websockets", pytest.param("node", marks=pytest.mark.slow)])
def test_a_client_converses_through_the_proxy(
    session: SessionInfo, tmp_path: Path, client: str, scheme: str
) -> None:
    said = printed(client, f"{scheme}://realtime.example.com/live", session, tmp_path)
    assert said == ['{"type":"ready","session":"s1"}', "You asked why", "4000"]


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("wss://realtime.example.com/other", "HTTP 404"),
        ("wss://other.example.com/live", "proxy rejected connection: HTTP 403"),
    ],
)
def test_what_no_stub_answers_is_refused(
    session: SessionInfo, tmp_path: Path, url: str, why: str
) -> None:
    [said] = printed("websockets", url, session, tmp_path)
    assert said.startswith("refused:")
    assert why in said
