import os
import socket
import sys
from pathlib import Path

import pytest

from harness.agents.agent_server import ServerCommand, _address, agent_server
from harness.errors import HarnessError, InfrastructureError
from tests.ports import free_port

LISTEN = (
    "import signal, socket, sys, time;"
    "print('up', flush=True);"
    "s = socket.create_server(('127.0.0.1', int(sys.argv[1])));"
    "time.sleep(600)"
)
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN);" + LISTEN


@pytest.fixture
def port() -> int:
    return free_port()


def command(code: str, port: int, folder: Path, **settings: float) -> ServerCommand:
    return ServerCommand(
        f'{sys.executable} -c "{code}" {port}',
        f"http://127.0.0.1:{port}/api/chat",
        env={"PATH": os.environ["PATH"]},
        log=folder / "agent.log",
        **settings,
    )


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def test_a_log_that_cannot_be_written_is_told(port: int, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HarnessError, match=r"cannot write .*agent\.log"):
        async with agent_server(command(LISTEN, port, tmp_path / "file")):
            raise AssertionError


async def test_a_server_is_up_inside_the_block_and_gone_after(port: int, tmp_path: Path) -> None:
    """CEP-12, CEP-21: the agent's server is started, waited for, and stopped."""
    async with agent_server(command(LISTEN, port, tmp_path)):
        assert listens(port)
    assert not listens(port)
    assert (tmp_path / "agent.log").read_text(encoding="utf-8") == "up\n"


async def test_a_server_that_ignores_sigterm_is_killed(port: int, tmp_path: Path) -> None:
    async with agent_server(command(STUBBORN, port, tmp_path, grace_s=0.2)):
        assert listens(port)
    assert not listens(port)


async def test_a_server_that_crashes_is_told_with_the_end_of_its_output(
    port: int, tmp_path: Path
) -> None:
    with pytest.raises(InfrastructureError, match=r"ended with 3:\nno config"):
        async with agent_server(
            command("import sys; print('no config'); sys.exit(3)", port, tmp_path)
        ):
            raise AssertionError


async def test_a_server_that_never_listens_is_given_up(port: int, tmp_path: Path) -> None:
    slow = command("import time; time.sleep(600)", port, tmp_path, wait_s=0.3)
    with pytest.raises(InfrastructureError, match="did not listen"):
        async with agent_server(slow):
            raise AssertionError


async def test_a_port_that_is_taken_is_not_mistaken_for_our_server(
    port: int, tmp_path: Path
) -> None:
    taken = socket.create_server(("127.0.0.1", port))
    with taken, pytest.raises(InfrastructureError, match="EVAL_MANAGE_SERVER=0"):
        async with agent_server(command(LISTEN, port, tmp_path)):
            raise AssertionError


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://a.test/chat", ("a.test", 80)),
        ("https://a.test", ("a.test", 443)),
        ("https://a.test:8443/x", ("a.test", 8443)),
        ("ws://a.test:1", ("a.test", 1)),
    ],
)
def test_a_server_is_awaited_where_its_url_leads(url: str, address: tuple[str, int]) -> None:
    assert _address(url) == address


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (ServerCommand("x", "http:///chat"), "names no host"),
        (ServerCommand("x", "ws://a.test/chat"), "names no host and port"),
        (ServerCommand("x", "http://127.0.0.1:99999/"), "names no host"),
        (ServerCommand("'x", "http://127.0.0.1:1/"), "cannot split"),
        (ServerCommand("", "http://127.0.0.1:1/"), "empty"),
        (ServerCommand("./no-such-program", "http://127.0.0.1:1/"), "cannot start"),
    ],
    ids=["no-host", "no-scheme", "no-port", "quotes", "empty", "missing"],
)
async def test_a_command_that_cannot_be_run_is_refused(start: ServerCommand, message: str) -> None:
    with pytest.raises(HarnessError, match=message):
        async with agent_server(start):
            raise AssertionError
