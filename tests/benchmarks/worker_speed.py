"""Two processes behind one port against one, by processor time: cores of others do not matter."""

import base64
import contextlib
import os
import socket
import ssl
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from tests.acceptance.shared_sessions import children
from tests.benchmarks.figures import Figure
from tests.benchmarks.servers import mock_server, post
from tests.benchmarks.suites import write_suite

HOST = "admin.googleapis.com"
PATH = "/admin/directory/v1/customer/my_customer/orgunits?type=all"
ROUNDS = 5
NAMES = [f"s{number:03d}" for number in range(16)]
REQUESTS = 200
"""Of each session, over one kept connection, in each round."""

Connect = Callable[[str], socket.socket]
"""Connects to a server in the name of a session."""

_TICKS = os.sysconf("SC_CLK_TCK")


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        suite = write_suite(Path(folder) / "suite", cases=1)
        with (
            mock_server(suite, "--no-proxy", "--quiet", "--http-protocol", "uvicorn") as plain,
            mock_server(suite, "--quiet", "--state-dir", f"{folder}/one") as one,
            mock_server(suite, "--quiet", "--workers", "2") as two,
        ):
            servers = (plain, one, two)
            for port, _ in servers:
                for name in NAMES:
                    post(port, "/_mock/sessions", {"id": name})
            spent: list[list[float]] = [[], [], []]
            proxied: list[list[float]] = [[], []]
            for _ in range(ROUNDS):
                for (port, pid), times in zip(servers, spent, strict=True):
                    connect, path = partial(_plain, port), f"/s/{{}}/{HOST}{PATH}"
                    times.append(cpu_per_request(pid, connect, "127.0.0.1", path))
                for (port, pid), times in zip(servers[1:], proxied, strict=True):
                    times.append(cpu_per_request(pid, _proxy_of(port), HOST, PATH))
    pairs = list(zip(*spent, strict=True))
    yield Figure(
        "two workers / one, requests for a processor second",
        median(2 * each[1] / each[2] for each in pairs), 1.8, at_least=True,
    )  # fmt: skip
    yield Figure(
        "two workers / one, through the proxy and TLS",
        median(2 * one / two for one, two in zip(*proxied, strict=True)), 1.8, at_least=True,
    )  # fmt: skip
    yield Figure(
        "one worker / one process without log, CPU a request",
        median(each[1] / each[0] for each in pairs), 2.5,
    )  # fmt: skip


def _plain(port: int, _session: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _proxy_of(port: int) -> Connect:
    """Connects through the proxy of a server, over TLS."""
    variables = post(port, "/_mock/sessions", {})["env"]
    assert isinstance(variables, dict)
    at = urlsplit(variables["HTTPS_PROXY"]).port
    trust = ssl.create_default_context(cafile=variables["SSL_CERT_FILE"])

    def connect(session: str) -> socket.socket:
        connection = _plain(at or 0, session)
        user = base64.b64encode(f"{session}:x".encode()).decode()
        head = f"CONNECT {HOST}:443 HTTP/1.1\r\nProxy-Authorization: Basic {user}\r\n\r\n"
        connection.sendall(head.encode())
        connection.recv(4096)
        return trust.wrap_socket(connection, server_hostname=HOST)

    return connect


def cpu_per_request(pid: int, connect: Connect, host: str, path: str) -> float:
    """Microseconds of processor time that all processes of a server spend on a request.

    Args:
        pid: The server.
        connect: Connects to it.
        host: Which one is asked.
        path: What is asked; `{}` stands for the session.
    """
    with contextlib.ExitStack() as opened:
        asked = [
            (
                opened.enter_context(connect(name)),
                f"GET {path.format(name)} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode(),
            )
            for name in NAMES
        ]
        before = _cpu_s(pid)
        for _ in range(REQUESTS):
            for connection, request in asked:
                connection.sendall(request)
            for connection, _ in asked:
                _read_answer(connection)
        return (_cpu_s(pid) - before) / (REQUESTS * len(asked)) * 1e6


def _read_answer(connection: socket.socket) -> None:
    received = connection.recv(262_144)
    head, _, body = received.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200 "):
        raise ConnectionError(f"not the answer that was asked for: {received[:500]!r}")
    start = head.lower().index(b"content-length:") + 15
    missing = int(head[start:].split(b"\r\n", 1)[0]) - len(body)
    while missing > 0:
        missing -= len(connection.recv(262_144)) or missing


def _cpu_s(pid: int) -> float:
    total = 0
    for each in (pid, *children(pid)):
        fields = Path(f"/proc/{each}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / _TICKS
