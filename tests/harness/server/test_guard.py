import socket
from urllib.parse import urlsplit

import httpx
import pytest

from harness.server.settings import MAX_BODY_BYTES
from tests.harness.server.conftest import Api


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": "Basic s3cret"}, 401),
        ({"authorization": "Bearer s3cret"}, 200),
        ({"authorization": "bearer s3cret", "host": "localhost"}, 200),
        ({"authorization": "Bearer s3cret", "host": "evals.example.com"}, 200),
        ({"authorization": "Bearer s3cret", "host": "rebound.example.net"}, 403),
        ({"authorization": "Bearer s3cret", "host": "[::1"}, 403),
        ({"authorization": "Bearer s3cret", "origin": "https://example.net"}, 403),
        ({"authorization": "Bearer s3cret", "origin": "http://203.0.113.9"}, 403),
        ({"authorization": "Bearer s3cret", "origin": "null"}, 403),
        ({"authorization": "Bearer s3cret", "origin": "http://127.0.0.1:8770"}, 200),
    ],
    ids=str,
)
def test_who_may_ask(idle: Api, headers: dict[str, str], status: int) -> None:
    with httpx.Client(base_url=idle.base_url, trust_env=False) as client:
        answer = client.get("/api/eval/baselines", headers=headers)
    assert answer.status_code == status
    assert "s3cret" not in answer.text
    if status == 401:
        assert answer.headers["www-authenticate"] == "Bearer"


def test_a_body_of_100_mb_is_refused_without_being_read(idle: Api) -> None:
    answer = _raw(idle, b"Content-Length: 104857600\r\n", b"")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"longer than 1 MiB" in answer


def test_a_body_that_does_not_say_how_long_it_is_is_read_up_to_the_limit(idle: Api) -> None:
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    body = chunk * (MAX_BODY_BYTES // 0x10000 + 1)
    answer = _raw(idle, b"Transfer-Encoding: chunked\r\n", body)
    assert answer.startswith(b"HTTP/1.1 413 ")


def _raw(idle: Api, headers: bytes, body: bytes) -> bytes:
    """The answer to a request whose body never ends."""
    address = urlsplit(str(idle.base_url))
    with socket.create_connection(("127.0.0.1", address.port or 0), timeout=10) as connection:
        connection.sendall(b"POST /api/eval/suites HTTP/1.1\r\nHost: localhost\r\n" + headers)
        connection.sendall(b"Authorization: Bearer s3cret\r\n")
        connection.sendall(b"\r\n" + body)
        return connection.recv(65536)
