"""The TLS front against plain HTTP: the same requests of the same session, on kept connections."""

import contextlib
import socket
import ssl
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.servers import free_port, get, mock_server, post
from tests.benchmarks.suites import write_suite

HOST = "admin.googleapis.com"
LIST = "/s/bench/admin/directory/v1/customer/my_customer/orgunits?type=all"
ROUNDS = 7
CONNECTIONS = 16
COUNT = 4000


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        suite = write_suite(Path(folder) / "few", cases=1)
        tls_port, proxy_port = free_port(), free_port()
        options = ("--tls-port", str(tls_port), "--proxy-port", str(proxy_port))
        with mock_server(suite, *options) as (port, _):
            files = post(port, "/_mock/sessions", {"id": "bench"})["env"]
            assert isinstance(files, dict)
            trust = ssl.create_default_context(cafile=files["NODE_EXTRA_CA_CERTS"])
            assert get(port, "/_mock/health")
            ways = {"TLS listener": tls_port, "proxy": proxy_port}
            for name, front in ways.items():
                yield _against_plain(name, port, front, trust)


def _against_plain(name: str, port: int, front: int, trust: ssl.SSLContext) -> Figure:
    ours, theirs = [], []
    for _ in range(ROUNDS):
        with contextlib.ExitStack() as opened:
            secured = [
                opened.enter_context(_secured(front, trust, proxied=name == "proxy"))
                for _ in range(CONNECTIONS)
            ]
            ours.append(_per_second(secured))
        with contextlib.ExitStack() as opened:
            plain = [
                opened.enter_context(socket.create_connection(("127.0.0.1", port)))
                for _ in range(CONNECTIONS)
            ]
            theirs.append(_per_second(plain))
    return Figure(f"{name} / plain HTTP, requests/s", ratio(ours, theirs), 0.5, at_least=True)


def _secured(port: int, trust: ssl.SSLContext, *, proxied: bool) -> ssl.SSLSocket:
    connection = socket.create_connection(("127.0.0.1", port))
    if proxied:
        connection.sendall(f"CONNECT {HOST}:443 HTTP/1.1\r\n\r\n".encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")
    return trust.wrap_socket(connection, server_hostname=HOST)


def _per_second(connections: list[socket.socket] | list[ssl.SSLSocket]) -> float:
    """Requests per second; one question a connection at a time, asked and read in turn."""
    request = f"GET {LIST} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
    for connection in connections:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    size = _ask(connections[0], request)
    started = time.perf_counter()
    for _ in range(COUNT // len(connections)):
        for connection in connections:
            connection.sendall(request)
        for connection in connections:
            _read(connection, size)
    return COUNT / (time.perf_counter() - started)


def _ask(connection: socket.socket, request: bytes) -> int:
    """The size of one whole answer."""
    connection.sendall(request)
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65_536)
    head = data[: data.index(b"\r\n\r\n") + 4]
    assert head.startswith(b"HTTP/1.1 200 "), head
    start = head.lower().index(b"content-length:") + 15
    size = len(head) + int(head[start:].split(b"\r\n", 1)[0])
    _read(connection, size - len(data))
    return size


def _read(connection: socket.socket, missing: int) -> None:
    while missing:
        missing -= len(connection.recv(65_536))
