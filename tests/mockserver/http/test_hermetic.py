"""A process that replays reaches nothing outside this machine."""

import subprocess
import sys

import pytest

from mockserver.http.hermetic import connections

SCRIPT = """
import socket, sys
from mockserver.http.hermetic import connections, forbid_connections
forbid_connections(); forbid_connections()
listener = socket.create_server(("127.0.0.1", 0))
socket.create_connection(listener.getsockname()).close()
for attempt in (
    lambda: socket.create_connection(("192.0.2.1", 80), timeout=1),
    lambda: socket.getaddrinfo("api.example.com", 443),
    lambda: socket.getaddrinfo(b"api.example.com", 443),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"", ("192.0.2.1", 53)),
):
    try:
        attempt()
    except ConnectionRefusedError as error:
        print(error)
socket.getaddrinfo("localhost", 1)
try:
    socket.socket(socket.AF_UNIX).connect("/nowhere/at/all")
except FileNotFoundError:
    pass
print(connections())
"""


@pytest.fixture(scope="module")
def said() -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_what_would_leave_this_machine_is_refused(said: list[str]) -> None:
    refused = [line.partition(":")[0] for line in said[:-1]]
    assert refused == ["192.0.2.1", "api.example.com", "api.example.com", "192.0.2.1"]


def test_what_was_tried_is_counted(said: list[str]) -> None:
    assert said[-1] == "{'opened': 2, 'refused': 4}"


def test_elsewhere_nothing_is_counted() -> None:
    assert connections() is None
