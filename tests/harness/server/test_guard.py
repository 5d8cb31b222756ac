import socket
from urllib.parse import urlsplit

import httpx
import pytest

from harness.server.settings import MAX_BODY_BYTES
from tests.harness.server.conftest import Api
from tests.patience import PATIENCE_S

NAMED = {"authorization": "Bearer s3cret"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": "Basic s3cret"}, 401),
        (NAMED, 200),
        ({"authorization": "bearer s3cret", "host": "localhost:{port}"}, 200),
        ({**NAMED, "host": "evals.example.com:{port}"}, 200),
        ({**NAMED, "host": "evals.example.com"}, 403),
        ({**NAMED, "host": "rebound.example.net:{port}"}, 403),
        ({**NAMED, "origin": "http://127.0.0.1:{port}"}, 200),
        ({**NAMED, "origin": "http://127.0.0.1:3000"}, 403),
        ({**NAMED, "origin": "null"}, 403),
    ],
    ids=str,
)
def test_who_may_ask(idle: Api, headers: dict[str, str], status: int) -> None:
    told = {name: value.format(port=idle.port) for name, value in headers.items()}
    with httpx.Client(base_url=idle.base_url, trust_env=False) as client:
        answer = client.get("/api/eval/baselines", headers=told)
    assert answer.status_code == status
    assert "s3cret" not in answer.text
    if status == 401:
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("verb", "path"),
    [("POST", "/api/eval/suites"), ("POST", "/api/eval/run"), ("DELETE", "/api/eval/baselines/x")],
)
def test_a_form_is_refused_before_it_is_read(idle: Api, verb: str, path: str) -> None:
    answer = idle.request(verb, path, content="a=b", headers={"content-type": "text/plain"})
    assert answer.status_code == 415
    assert "application/json" in answer.json()["error"]["hint"]


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
    port = address.port or 0
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        host = b"Host: localhost:%d\r\nContent-Type: application/json\r\n" % port
        connection.sendall(b"POST /api/eval/suites HTTP/1.1\r\n" + host + headers)
        connection.sendall(b"Authorization: Bearer s3cret\r\n")
        connection.sendall(b"\r\n" + body)
        return connection.recv(65536)
