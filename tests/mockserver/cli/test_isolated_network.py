import asyncio
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.cli import blocks, isolated_network
from mockserver.cli.env_check import Isolation, isolation, isolation_problem
from mockserver.cli.isolated_network import (
    LOOKED_UP,
    NameServer,
    no_such_name,
    queried_name,
    run,
)
from tests.patience import PATIENCE_S, settle

QUERY = b"\x12\x34\x01\0\0\1\0\0\0\0\0\0\3api\7example\3com\0\0\1\0\1"


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Namespaces are left out: what is tried here is done on this machine's own loopback."""

    async def nothing(folder: Path) -> None:
        return None

    monkeypatch.setattr(isolated_network, "_loopback_up", lambda: None)
    monkeypatch.setattr(isolated_network, "_answer_names", nothing)


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize(
    ("command", "status"),
    [
        (("true",), 0),
        (("sh", "-c", "exit 3"), 3),
        (("sh", "-c", "kill -9 $$"), 137),
        (("no-such",), 127),
    ],
    ids=["good", "bad", "killed", "unknown"],
)
async def test_the_status_is_the_commands(
    tmp_path: Path, command: tuple[str, ...], status: int
) -> None:
    assert await run(tmp_path, command) == status


@pytest.mark.enable_socket  # a socket file has no host to allow
@pytest.mark.usefixtures("outside")
async def test_a_port_leads_out_through_its_socket_file(
    tmp_path: Path, unused_tcp_port: int
) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"from outside\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_unix_server(answer, tmp_path / f"{unused_tcp_port}.sock"):
        out = tmp_path / "out"
        command = ["bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{unused_tcp_port}; cat <&3 > {out}"]
        assert await run(tmp_path, command) == 0
    assert out.read_text() == "from outside\n"


async def test_names_are_noted_once_and_do_not_exist(tmp_path: Path) -> None:
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(
        lambda: NameServer(tmp_path / LOOKED_UP), local_addr=("127.0.0.1", 0)
    )
    answers: asyncio.Queue[bytes] = asyncio.Queue()

    class Client(asyncio.DatagramProtocol):
        def datagram_received(self, data: bytes, addr: Any) -> None:  # type: ignore[explicit-override]
            answers.put_nowait(data)

    client, _ = await loop.create_datagram_endpoint(
        Client, remote_addr=transport.get_extra_info("sockname")
    )
    for _ in range(2):
        client.sendto(QUERY)
        async with asyncio.timeout(PATIENCE_S):
            assert await answers.get() == no_such_name(QUERY)
    client.close()
    transport.close()
    assert (tmp_path / LOOKED_UP).read_text() == "api.example.com\n"


def test_the_answer_repeats_the_question() -> None:
    answer = no_such_name(QUERY)
    assert answer[:2] == QUERY[:2]
    assert (answer[2] >> 7, answer[3] & 0xF) == (1, 3)
    assert answer[12:] == QUERY[12:]


@given(st.binary(max_size=60))
def test_any_query_has_a_name(data: bytes) -> None:
    assert isinstance(queried_name(data), str)


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


def python(folder: Path, script: str) -> dict[str, str]:
    """An environment whose Python answers as the script does."""
    file = folder / "python3"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return {"PATH": str(folder)}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("echo True False", True),
        ("echo True True", False),
        ("echo False False", False),
        ("exit 1", False),
        ("sleep 600", False),
    ],
)
def test_it_is_told_only_where_it_matters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, *, told: bool
) -> None:
    monkeypatch.setattr(blocks, "_PATIENCE_S", 0.2 if answer.startswith("sleep") else PATIENCE_S)
    found = blocks.pysocks_warning(python(tmp_path, answer.replace("sleep", "exec /bin/sleep")))
    assert ("pip install pysocks" in found) is told


def test_without_a_python_there_is_nothing_to_tell(tmp_path: Path) -> None:
    assert blocks.pysocks_warning({"PATH": str(tmp_path)}) == ""


def test_the_real_question_is_understood_by_python(tmp_path: Path) -> None:
    assert blocks.pysocks_warning(python(tmp_path, f'exec {sys.executable} "$@"')) == ""
    (tmp_path / "broken").write_text("not a program")
    assert blocks._run_python(str(tmp_path / "broken")) == ""
