"""A process of its own: ready, told apart from one that fails, and stopped."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from mockserver import process as module
from mockserver.errors import ServerUnavailableError
from mockserver.process import ServerProcess
from tests.patience import PATIENCE_S

READY = "print('understudy ready at http://127.0.0.1:1 (pid 1)', flush=True); "
WAIT = "import sys; sys.stdin.read()"
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); "


async def spawn(code: str, log: Path | None = None) -> ServerProcess:
    return await ServerProcess.spawn([sys.executable, "-c", code], log)


async def test_it_is_ready_when_it_says_so_and_stops_when_told(tmp_path: Path) -> None:
    server = await spawn(READY + WAIT, tmp_path / "log")
    assert await server.ready_url() == "http://127.0.0.1:1"
    assert server.tail() == ""
    await server.stop()
    await server.stop()


async def test_one_that_ends_early_shows_the_end_of_its_log(tmp_path: Path) -> None:
    code = "import sys; sys.stderr.write('x' * 5000 + 'no such suite'); sys.exit(3)"
    server = await spawn(code, tmp_path / "log")
    with pytest.raises(ServerUnavailableError, match="ended with status 3") as caught:
        await server.ready_url()
    assert str(caught.value).endswith("no such suite")
    assert len(str(caught.value)) < 2200
    await server.stop()


async def test_one_that_says_nothing_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "READY_WITHIN_S", 0.05)
    server = await spawn(WAIT)
    with pytest.raises(ServerUnavailableError, match="was not ready within"):
        await server.ready_url()
    assert server.log.exists()
    await server.stop()
    assert not server.log.exists()
    assert server.tail() == server.last_line() == ""


@pytest.mark.slow
async def test_one_that_says_something_else_and_stays_is_not_waited_for_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "READY_WITHIN_S", 0.5)
    server = await spawn("print('hello', flush=True); " + WAIT)
    with pytest.raises(ServerUnavailableError, match="was not ready within"):
        await server.ready_url()
    await server.stop()


async def test_one_that_does_not_listen_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_STOP_WITHIN_S", 0.1)
    server = await spawn(DEAF + READY + "import time; time.sleep(600)")
    await server.ready_url()
    async with asyncio.timeout(PATIENCE_S):
        await server.stop()


async def test_messages_are_added_to_a_log_that_is_there(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    server = await spawn("import sys; sys.stderr.write('after')", log)
    with pytest.raises(ServerUnavailableError):
        await server.ready_url()
    assert log.read_text() == "before\nafter"
    assert server.last_line() == "; the last line of its log: after"
    await server.stop()


async def test_what_it_is_told_first_comes_through_its_standard_input(tmp_path: Path) -> None:
    code = "import sys; print('ready at', sys.stdin.readline().strip(), flush=True); " + WAIT
    server = await ServerProcess.spawn(
        [sys.executable, "-c", code], tmp_path / "log", stdin=b"s3cret\n"
    )
    assert await server.ready_url() == "s3cret"
    await server.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can do it")
def test_a_process_that_forbids_it_is_not_inspected() -> None:
    """The kernel then keeps memory, environment and descriptors from processes of the same user."""
    code = (
        "import ctypes; from mockserver.process import forbid_inspection;"
        "asked = lambda: ctypes.CDLL(None).prctl(3); before = asked(); forbid_inspection();"
        "print(before, asked())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "0"]
