"""A process that replays reaches nothing outside this machine."""

import subprocess
import sys
from contextlib import nullcontext

import pytest

from mockserver.http.hermetic import _Watch, connections

SCRIPT = """
import socket, sys
from mockserver.http.hermetic import _Watch, connections, forbid_connections
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


@pytest.mark.parametrize(
    ("event", "arguments", "opened", "refused"),
    [
        ("socket.connect", (None, ("127.0.0.1", 80)), 1, 0),
        ("socket.connect", (None, ("::1%lo", 80, 0, 1)), 1, 0),
        ("socket.connect", (None, "/a/socket"), 1, 0),
        ("socket.connect", (None, ("10.0.0.1", 80)), 0, 1),
        ("socket.connect", (None, ("known.test", 80)), 0, 0),
        ("socket.sendto", (None, ("fe80::1", 80)), 0, 1),
        ("socket.sendmsg", (None, None), 0, 0),
        ("socket.sendmsg", (None, ("192.0.2.1", 53)), 0, 1),
        ("socket.getaddrinfo", ("a.test", 80), 0, 1),
        ("socket.getaddrinfo", (None, 80), 0, 0),
        ("socket.gethostbyname", ("localhost",), 0, 0),
        ("socket.gethostbyaddr", (b"127.0.0.1",), 0, 0),
        ("socket.bind", (None, ("10.0.0.1", 80)), 0, 0),
    ],
)
def test_each_way_out_is_watched(
    event: str, arguments: tuple[object, ...], opened: int, refused: int
) -> None:
    watch = _Watch()
    watch.allowed.add("known.test")
    told = "a server that replays cassettes goes nowhere"
    with pytest.raises(ConnectionRefusedError, match=told) if refused else nullcontext():
        watch(event, arguments)
    assert (watch.seen.opened, watch.seen.refused) == (opened, refused)
