"""The server under uvicorn: bound, announced, stopped."""

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from mockserver.errors import MockServerError, ServerUnavailableError
from mockserver.http import server as module
from mockserver.http.server import SafeFormatter, log_safely, real_time, serve
from mockserver.model import SessionSpec
from mockserver.settings import Settings


@pytest.fixture(autouse=True)
def _collector(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves this process's own garbage collector alone."""
    quiet = SimpleNamespace(enable=int, freeze=int, set_threshold=lambda *_: None)
    monkeypatch.setattr(module, "gc", quiet)


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def ask_and_stop(answers: list[Any]) -> Any:
    """What to do once the server is ready: ask it from another thread, then send the signal."""

    def ask(url: str) -> None:
        with httpx.Client(trust_env=False) as client:
            answers.append((url, client.get(f"{url}/_mock/health").json()))
        os.kill(os.getpid(), signal.SIGTERM)

    return lambda url: threading.Thread(target=ask, args=(url,)).start()


def test_it_answers_once_it_is_ready_and_ends_when_it_is_told_to(suite: Path) -> None:
    before, answers = signal.getsignal(signal.SIGTERM), list[Any]()
    serve(
        Settings(fixtures=suite, port=0, default=SessionSpec()),
        ready=ask_and_stop(answers),
    )
    ((url, health),) = answers
    assert url.startswith("http://127.0.0.1:")
    assert (health["status"], health["sessions"]) == ("ok", 1)
    assert signal.getsignal(signal.SIGTERM) is before


def test_it_ends_when_its_standard_input_does(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    with os.fdopen(read) as source:
        monkeypatch.setattr(sys, "__stdin__", source)
        os.write(write, b"still here")
        serve(Settings(port=0), ready=lambda _: os.close(write), until_eof=True)


def test_it_ends_at_once_where_there_is_no_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "__stdin__", None)
    serve(Settings(port=0), ready=lambda _: None, until_eof=True)


def test_a_port_in_use_is_told_with_what_to_do(taken: int) -> None:
    with pytest.raises(ServerUnavailableError, match=f"port {taken} on 127.0.0.1 is in use") as no:
        serve(Settings(port=taken), ready=print)
    assert "--port" in no.value.hint
    assert no.value.exit_code == 3


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid", "fe80::bad"])
def test_an_address_that_is_not_ours_is_told(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def unbound(self: Any, address: Any) -> None:
        raise OSError(99, "Cannot assign requested address")

    monkeypatch.setattr(socket.socket, "bind", unbound)
    with pytest.raises(ServerUnavailableError, match=f"cannot listen on {host}:8765: Cannot"):
        serve(Settings(host=host), ready=print)


def test_a_suite_that_cannot_be_served_is_told_and_the_port_is_free_again(tmp_path: Path) -> None:
    with pytest.raises(MockServerError):
        serve(Settings(fixtures=tmp_path / "nothing", port=0), ready=print)


def test_real_time_has_a_zone() -> None:
    assert real_time().tzinfo is not None


class Recorder:
    """A front that notes what is asked of it."""

    def __init__(self, name: str, notes: list[str], fails: MockServerError | None = None) -> None:
        self._name, self._notes, self._fails = name, notes, fails

    async def start(self, application: Any, server: Any) -> None:
        self._notes.append(f"{self._name} starts with {len(application.sessions)} session")
        if self._fails is not None:
            raise self._fails

    async def stop(self) -> None:
        self._notes.append(f"{self._name} stops")


def test_fronts_start_before_it_is_ready_and_stop_in_the_opposite_order(suite: Path) -> None:
    notes, answers = list[str](), list[Any]()
    ask = ask_and_stop(answers)

    def ready(url: str) -> None:
        notes.append("ready")
        ask(url)

    serve(
        Settings(fixtures=suite, port=0, default=SessionSpec()),
        ready=ready,
        fronts=[Recorder("a", notes), Recorder("b", notes)],
    )
    starts = ["a starts with 1 session", "b starts with 1 session"]
    assert notes == [*starts, "ready", "b stops", "a stops"]


def test_a_front_that_cannot_start_ends_the_server_before_it_is_ready(suite: Path) -> None:
    notes, ready = list[str](), list[str]()
    broken = Recorder("a", notes, ServerUnavailableError("port 1 is in use"))
    with pytest.raises(ServerUnavailableError, match="port 1 is in use"):
        serve(Settings(fixtures=suite, port=0), ready=ready.append, fronts=[broken])
    assert (notes, ready) == (["a starts with 0 session", "a stops"], [])


PROGRAM = """
import logging
from mockserver.http.server import log_safely
log_safely()
try:
    raise KeyError("Bearer ya29.abcdefghijklmnop of ann@corp.io")
except KeyError:
    logging.getLogger("any").exception("GET /v1?access_token=hunter2hunter2 failed")
"""


@pytest.mark.slow
def test_a_server_never_logs_a_secret_that_an_exception_quotes() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stderr.startswith("ERROR: GET /v1?access_token=redacted-")
    assert "Traceback" in done.stderr
    for secret in ("hunter2", "abcdefghijklmnop", "ann@", "corp.io"):
        assert secret not in done.stderr


WITHOUT_DESCRIPTORS = """
import asyncio, concurrent.futures.thread, contextlib, logging, os, resource
from mockserver.http.server import log_safely

async def main():
    taken = []
    with contextlib.suppress(OSError):
        while True:
            taken.append(os.open("/dev/null", os.O_RDONLY))
    logging.getLogger("any").warning("no descriptors are left")
    await asyncio.sleep(0.3)
    for one in taken:
        os.close(one)

log_safely()
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
asyncio.run(main())
"""


@pytest.mark.slow
def test_that_no_file_can_be_opened_is_told_once_one_can() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_DESCRIPTORS], capture_output=True, text=True
    )
    assert done.stderr == "WARNING: no descriptors are left\n"


def test_what_holds_no_secret_is_told_as_it_is() -> None:
    record = logging.LogRecord("x", logging.WARNING, "", 1, "%s ends early", ("a.yaml",), None)
    assert SafeFormatter().format(record) == "WARNING: a.yaml ends early"


def test_a_process_with_a_handler_of_its_own_is_left_alone() -> None:
    before = list(logging.getLogger().handlers)
    log_safely()
    assert logging.getLogger().handlers == before
