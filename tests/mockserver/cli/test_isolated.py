import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.cli import isolated_network
from mockserver.cli.isolated_network import LOOKED_UP, NameServer, asked_name, no_such_name, run
from tests.patience import PATIENCE_S

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
    assert isinstance(asked_name(data), str)
