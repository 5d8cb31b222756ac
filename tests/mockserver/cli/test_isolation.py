import asyncio
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mockserver.cli.env_check import Isolation, isolation, isolation_problem
from tests.patience import settle

OBSTACLE = isolation_problem("127.0.0.1")
needs_namespaces = pytest.mark.skipif(bool(OBSTACLE), reason=OBSTACLE or "none")


def test_a_server_elsewhere_cannot_be_led_in() -> None:
    assert "not on this machine's loopback" in isolation_problem("192.0.2.1")


@pytest.mark.parametrize(
    ("done", "says"),
    [(1, "allows no namespaces"), (0, ""), (None, "does not work")],
)
def test_what_stands_in_the_way_is_told(
    monkeypatch: pytest.MonkeyPatch, done: int | None, says: str
) -> None:
    def tried(command: list[str], **how: Any) -> subprocess.CompletedProcess[bytes]:
        if done is None:
            raise subprocess.TimeoutExpired(command, 1)
        return subprocess.CompletedProcess(command, done)

    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/unshare")
    monkeypatch.setattr(subprocess, "run", tried)
    assert says in isolation_problem("localhost")
    assert bool(isolation_problem("localhost")) is bool(says)


def test_without_the_command_there_is_no_isolation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert isolation_problem("127.0.0.1") == "there is no `unshare` command"


def test_names_are_told_once_in_order(tmp_path: Path) -> None:
    found = Isolation((), tmp_path)
    assert found.looked_up() == ()
    (tmp_path / "looked-up").write_text("b.example.com\na.example.com\nb.example.com\n")
    assert found.looked_up() == ("b.example.com", "a.example.com")


@pytest.mark.enable_socket  # a socket file has no host to allow
async def test_the_port_of_a_server_that_is_gone_leads_nowhere() -> None:
    async with isolation("127.0.0.1", [1]) as inside:
        reader, writer = await asyncio.open_unix_connection(inside.folder / "1.sock")
        assert await reader.read() == b""
        writer.close()
        await writer.wait_closed()
    assert not inside.folder.exists()


SCRIPT = """
import socket, sys
try:
    socket.create_connection(("198.51.100.1", 443), 2)
except OSError as error:
    print(error.errno)
try:
    socket.getaddrinfo("api.example.com", 443)
except OSError as error:
    print("no name")
print(socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2).recv(100).decode())
"""


@needs_namespaces
async def test_inside_there_is_nothing_but_the_server() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"the server")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with isolation("127.0.0.1", [port]) as inside:
            process = await asyncio.create_subprocess_exec(
                *inside.prefix, sys.executable, "-c", SCRIPT, str(port),
                stdout=subprocess.PIPE, cwd=Path(__file__).parents[3],
            )  # fmt: skip
            output, _ = await process.communicate()
            assert output.decode().split("\n")[:3] == ["101", "no name", "the server"]
            assert inside.looked_up() == ("api.example.com",)
    await settle()
