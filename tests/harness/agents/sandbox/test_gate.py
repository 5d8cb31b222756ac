import asyncio
import json
import socket

import pytest

from harness.agents import AgentUnreachableError
from harness.agents.sandbox import entry
from harness.agents.sandbox.gate import open_gate, reachable_ports
from tests.patience import PATIENCE_S


@pytest.mark.parametrize(
    ("block", "ports"),
    [
        ({}, ()),
        ({"A": "http://127.0.0.1:81/s/x", "B": "http://x:x@localhost:82"}, (81, 82)),
        ({"A": "http://[::1]:83", "B": "127.0.0.1,localhost", "C": "127.0.0.1:84"}, (83, 84)),
        ({"A": "http://example.com:85", "B": "x127.0.0.1:86"}, ()),
    ],
)
def test_the_ports_are_those_that_the_session_names(
    block: dict[str, str], ports: tuple[int, ...]
) -> None:
    assert reachable_ports(block) == ports


def test_a_server_elsewhere_cannot_be_reached() -> None:
    with pytest.raises(AgentUnreachableError, match=r"not '192\.0\.2\.1'"):
        reachable_ports({"MOCK_SERVER_URL": "http://192.0.2.1:80"})


@pytest.mark.usefixtures("unix_sockets")
async def test_only_ports_that_were_named_are_led_and_only_the_first_is_let_in(port: int) -> None:
    async with open_gate((port,)) as gate:
        gate.variables = {"A": "1"}
        with socket.socket(socket.AF_UNIX) as inside:
            inside.connect(str(gate.folder / "gate"))
            led, other = (socket.create_server(("127.0.0.1", 0)) for _ in range(2))
            addresses = [each.getsockname() for each in (led, other)]
            entry.hand_over(inside, [(port, led), (port + 1, other)])
            line = await asyncio.to_thread(inside.recv, 100)
            assert json.loads(line) == {"A": "1"}
            async with asyncio.timeout(PATIENCE_S):
                reader, writer = await asyncio.open_connection(*addresses[0])
                writer.write(b"GET / HTTP/1.1\r\n\r\n")
                assert (await reader.read()).endswith(b"ok")
                writer.close()
                reader, writer = await asyncio.open_connection(*addresses[1])
                assert await reader.read() == b""
                writer.close()
            assert gate.entered
            with socket.socket(socket.AF_UNIX) as second, pytest.raises(ConnectionRefusedError):
                second.connect(str(gate.folder / "gate"))
    assert not gate.folder.exists()
