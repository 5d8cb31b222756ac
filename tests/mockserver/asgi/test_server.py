"""Servers wait for no client for ever, and stop in time."""

import asyncio
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from typing import Any

import pytest
import uvicorn
from typing_extensions import override
from uvicorn import Config
from uvicorn.server import ServerState

from mockserver.asgi.requests import CONNECTION
from mockserver.asgi.server import (
    HEAD_S,
    IDLE_S,
    MAX_HEAD_BYTES,
    SILENCE_S,
    DeadlineProtocol,
    HttpProtocol,
    HttpServer,
)
from tests.patience import PATIENCE_S


class Transport(asyncio.Transport):
    """One that keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written, self.closed, self.unread = b"", False, 0

    @override
    def write(self, data: Any) -> None:
        self.written += bytes(data)

    @override
    def close(self) -> None:
        self.closed = True

    @override
    def is_closing(self) -> bool:
        return self.closed

    @override
    def get_write_buffer_size(self) -> int:
        return self.unread

    @override
    def pause_reading(self) -> None: ...

    @override
    def resume_reading(self) -> None: ...


async def hang(scope: Any, receive: Any, send: Any) -> None:
    await asyncio.Event().wait()


@pytest.fixture
async def connection() -> DeadlineProtocol:
    made = DeadlineProtocol(Config(hang, log_config=None), ServerState(), {})
    made.connection_made(Transport())
    return made


HEAD = b"POST / HTTP/1.1\r\nContent-Length: 999999\r\n\r\n"


@pytest.mark.parametrize(
    ("sent", "more", "patience"),
    [
        (b"", b"", HEAD_S),
        (b"GET / HT", b"TP/1.1\r\nX: y", HEAD_S),
        (HEAD + b"ab", b"c", SILENCE_S),
    ],
    ids=["nothing", "a dripping head", "a dripping body"],
)
async def test_a_client_that_is_waited_for_is_overdue_in_time(
    connection: DeadlineProtocol, sent: bytes, more: bytes, patience: float
) -> None:
    if sent:
        connection.data_received(sent)
    assert not connection.overdue(100)
    if more:
        connection.data_received(more)
    assert not connection.overdue(100 + patience)
    assert connection.overdue(101 + patience)


async def test_a_body_that_goes_on_coming_is_waited_for(connection: DeadlineProtocol) -> None:
    connection.data_received(HEAD)
    for minute in range(5):
        assert not connection.overdue(100 + minute * (SILENCE_S + 1))
        connection.data_received(b"x" * 2000)


async def test_who_does_not_read_the_answer_is_overdue(connection: DeadlineProtocol) -> None:
    connection.transport.unread = 5  # type: ignore[attr-defined]
    assert not connection.overdue(100)
    assert connection.overdue(101 + SILENCE_S)


async def test_a_head_that_never_ends_is_refused(connection: DeadlineProtocol) -> None:
    connection.data_received(b"GET / HTTP/1.1\r\n")
    for _ in range(MAX_HEAD_BYTES // 1000 + 1):
        connection.data_received(b"A: b\r\n" * 200)
    assert b"431" in connection.transport.written  # type: ignore[attr-defined]
    assert connection.transport.is_closing()


async def test_trailers_are_let_go(connection: DeadlineProtocol) -> None:
    connection.data_received(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    connection.data_received(b"0\r\n" + b"Authorization: one\r\n" * 1000)
    assert connection.scope["headers"] == [(b"transfer-encoding", b"chunked")]
    assert not connection.headers


async def test_trailers_that_never_end_are_refused(connection: DeadlineProtocol) -> None:
    connection.data_received(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n")
    for _ in range(MAX_HEAD_BYTES // 1000 + 1):
        assert not connection.transport.is_closing()
        connection.data_received(b"A: b\r\n" * 167)
    assert b"400" in connection.transport.written  # type: ignore[attr-defined]
    assert connection.transport.is_closing()


async def test_requests_sent_ahead_end_with_their_connection(connection: DeadlineProtocol) -> None:
    connection.data_received(b"GET / HTTP/1.1\r\n\r\n" * 3)
    first = connection._running
    assert first is not None
    assert len(connection.pipeline) == 2
    connection.connection_lost(None)
    assert first.disconnected
    assert not connection.pipeline


STUCK = """
import signal, sys, threading, time
from mockserver.asgi.server import HttpServer

stuck = threading.Event()

async def app(scope, receive, send):
    stuck.set()
    while True:
        pass

server = HttpServer(app, port=0, log_level="warning")
server.stop_s = 0.5

def go():
    while not server.started:
        time.sleep(0.01)
    import socket
    with socket.create_connection(server.servers[0].sockets[0].getsockname()) as one:
        one.sendall(b"GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
        stuck.wait()
        signal.raise_signal(signal.SIGTERM)
        time.sleep(60)

threading.Thread(target=go, daemon=True).start()
server.run()
"""


@pytest.mark.slow
def test_a_signal_ends_a_server_whose_loop_is_held() -> None:
    ended = subprocess.run([sys.executable, "-c", STUCK], capture_output=True, timeout=PATIENCE_S)
    assert ended.returncode == 1, ended.stderr
    assert b"not stopped within" in ended.stderr


LINGER = struct.pack("ii", 1, 0)


class AbortedTransport(asyncio.Transport):
    """Notes how it was ended."""

    def __init__(self, own: socket.socket | None) -> None:
        super().__init__({"socket": own, "sockname": ("127.0.0.1", 1), "peername": None})
        self.ended: list[str] = []

    @override
    def abort(self) -> None:
        self.ended.append("abort")

    @override
    def close(self) -> None:
        self.ended.append("close")

    @override
    def is_closing(self) -> bool:
        return bool(self.ended)

    @override
    def write(self, data: Any) -> None:
        raise AssertionError("nothing is to be written")

    @override
    def pause_reading(self) -> None:
        pass

    @override
    def resume_reading(self) -> None:
        pass


@pytest.fixture
async def protocol() -> HttpProtocol:
    async def silent(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.Event().wait()

    config = uvicorn.Config(silent, lifespan="off", log_level="critical")
    config.load()
    return HttpProtocol(config, ServerState(), {})


async def test_a_scope_says_how_its_connection_can_be_ended(protocol: HttpProtocol) -> None:
    transport = AbortedTransport(None)
    protocol.connection_made(transport)
    protocol.data_received(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
    assert protocol.scope["state"][CONNECTION] is protocol
    protocol.cut()
    assert transport.ended == ["close"]
    for task in protocol.tasks:
        task.cancel()


async def test_a_reset_leaves_nothing_to_be_sent(protocol: HttpProtocol) -> None:
    with socket.socket() as own:
        transport = AbortedTransport(own)
        protocol.connection_made(transport)
        protocol.reset()
        assert transport.ended == ["abort"]
        assert own.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8) == LINGER


async def test_a_connection_that_is_gone_is_reset_all_the_same(protocol: HttpProtocol) -> None:
    own = socket.socket()
    transport = AbortedTransport(own)
    protocol.connection_made(transport)
    own.close()
    protocol.reset()
    assert transport.ended == ["abort"]


async def silent(_scope: Any, _receive: Any, _send: Any) -> None:
    raise AssertionError("nobody asks")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_is_not_raised_again(number: signal.Signals) -> None:
    server, before = HttpServer(silent), signal.getsignal(number)
    with server.capture_signals():
        os.kill(os.getpid(), number)
    assert server.should_exit
    assert server._stopped.is_set(), "or a watch would end this whole process a little later"
    assert signal.getsignal(number) is before
    assert threading.current_thread() is threading.main_thread()


def test_agents_may_think_between_two_requests() -> None:
    assert HttpServer(silent).config.timeout_keep_alive == IDLE_S


def test_it_says_nothing_of_itself() -> None:
    config = HttpServer(silent, log_level="critical", date_header=False).config
    assert (config.server_header, config.date_header, config.access_log) == (False, False, False)


_TWICE = """
import signal, uvicorn
from mockserver.asgi.server import DeadlineServer

server = DeadlineServer(uvicorn.Config("none"))
signal.signal(signal.SIGALRM, server.handle_exit)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
for _ in range(20_000):
    server.handle_exit(signal.SIGTERM, None)
    server._captured_signals.clear()
signal.setitimer(signal.ITIMER_REAL, 0)
"""


def test_signals_that_come_within_each_other_do_not_wait_for_each_other() -> None:
    done = subprocess.run([sys.executable, "-c", _TWICE], timeout=PATIENCE_S, check=False)
    assert done.returncode == 0
