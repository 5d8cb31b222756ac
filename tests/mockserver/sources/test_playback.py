"""What a recording does on a real connection: its pieces, its pace, its end."""

import asyncio
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx
import orjson
import pytest

from mockserver.client import MockServer
from mockserver.model import Chunk, RecordedResponse, SessionSpec
from tests.patience import PATIENCE_S
from tests.tapes import JSON, recorded, written

EVENTS = ("Content-Type", "text/event-stream")
PIECES = (b"data: 1\n\n", b"data: 2\n\nda", b"ta: 3\n\n")
CHUNKS = tuple(Chunk(80.0 * n, len(piece)) for n, piece in enumerate(PIECES))
HOURS = tuple(Chunk(3_600_000.0 * n, len(piece)) for n, piece in enumerate(PIECES))
STREAM = b"".join(PIECES)
DATE = ("Date", "Sat, 03 Jan 2026 10:00:00 GMT")
LONGER = (JSON, ("Content-Length", "100"))
STREAMED = RecordedResponse(200, "", (EVENTS, DATE), STREAM, chunks=CHUNKS)
SILENT = RecordedResponse(
    200, "OK", (EVENTS,), PIECES[0], chunks=CHUNKS[:1], ended="timeout"
)  # fmt: skip
RECORDINGS = (
    recorded(path="/stream", response=STREAMED),
    recorded(path="/hours", response=replace(STREAMED, chunks=HOURS)),
    recorded(path="/coded", response=RecordedResponse(200, "", (EVENTS,), STREAM, "gzip", CHUNKS)),
    recorded(path="/short", response=RecordedResponse(200, "OK", LONGER, b'{"n":', ended="short")),
    recorded(path="/reset", response=RecordedResponse(200, "OK", LONGER, b'{"n":', ended="reset")),
    recorded(path="/never", response=RecordedResponse(200, "OK", LONGER, b"", ended="reset")),
    recorded(path="/silent", response=SILENT),
    recorded("HEAD", "/head", response=RecordedResponse(200, "OK", LONGER)),
    recorded(path="/none", response=RecordedResponse(204, "No Content", (DATE,))),
)  # fmt: skip


class Server:
    """A server in a process of its own; each session plays the tape from its beginning."""

    def __init__(self, runner: asyncio.Runner, server: MockServer) -> None:
        self._runner = runner
        self.server = server

    def session(self, **spec: Any) -> str:
        opened = SessionSpec(cassettes=("tape",), sources=("cassette",), **spec)
        return self._runner.run(self.server.open(opened)).base_url


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    file = written(tmp_path_factory.mktemp("tapes"), RECORDINGS)
    options = ("--no-proxy", "--cassette", str(file))
    with asyncio.Runner() as runner:
        started = runner.run(MockServer.start(None, options=options))
        yield Server(runner, started)
        runner.run(started.close())


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False) as client:
        yield client


def heard(client: httpx.Client, url: str) -> tuple[list[bytes], float, httpx.Headers]:
    begun = perf_counter()
    with client.stream("GET", url) as answer:
        pieces = list(answer.iter_raw())
    return pieces, perf_counter() - begun, answer.headers


@pytest.mark.slow
def test_a_stream_comes_in_the_pieces_and_at_the_pace_of_its_recording(
    server: Server, client: httpx.Client
) -> None:
    pieces, took, headers = heard(client, server.session() + "/stream")
    assert tuple(pieces) == PIECES
    assert took > 0.15
    assert headers.get_list("date") == [DATE[1]]
    assert headers["transfer-encoding"] == "chunked"


def test_a_stream_may_come_without_its_gaps(server: Server, client: httpx.Client) -> None:
    """Its gaps are hours; a client that waits for minutes at most has it whole."""
    pieces, _, _ = heard(client, server.session(pace=0) + "/hours")
    assert b"".join(pieces) == STREAM


def test_a_coded_stream_is_sent_plain_so_that_its_pieces_stay(
    server: Server, client: httpx.Client
) -> None:
    pieces, _, headers = heard(client, server.session(pace=0.5) + "/coded")
    assert tuple(pieces) == PIECES
    assert "content-encoding" not in headers


@pytest.mark.parametrize("path", ["/short", "/reset", "/never"])
def test_what_broke_off_breaks_off(server: Server, client: httpx.Client, path: str) -> None:
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        client.get(server.session() + path)


def test_what_fell_silent_falls_silent(server: Server, client: httpx.Client) -> None:
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        client.get(server.session(pace=0) + "/silent")


def test_the_connection_can_be_used_on_after_every_whole_answer(
    server: Server, client: httpx.Client
) -> None:
    base = server.session(pace=0)
    assert client.head(base + "/head").headers["content-length"] == "100"
    none = client.get(base + "/none")
    assert (none.status_code, none.headers.get("content-length")) == (204, None)
    assert client.get(base + "/stream").content == STREAM


def test_a_server_that_replays_opened_no_connection(server: Server, client: httpx.Client) -> None:
    client.get(server.session() + "/none")
    told = {"authorization": f"Bearer {server.server.token}"}
    health = orjson.loads(client.get(server.server.url + "/_mock/health", headers=told).content)
    assert health["connections"] == {"opened": 0, "refused": 0}
    assert health["cassettes"] == ["tape"]
    assert len(_connected_from(health["pid"])) <= 2  # the clients of this test


def _connected_from(pid: int) -> list[str]:
    """Connections of a process, as the kernel knows them: sockets that do not listen."""
    inodes = set()
    for handle in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(handle.readlink())
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    listening = "0A"
    lines = Path(f"/proc/{pid}/net/tcp").read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split() for line in lines]
    ports = {row[1].partition(":")[2] for row in rows if row[3] == listening and row[9] in inodes}
    ours = [row for row in rows if row[3] != listening and row[9] in inodes]
    assert all(row[1].partition(":")[2] in ports for row in ours)  # accepted, none opened
    return [row[1] for row in ours]


@pytest.mark.slow
def test_all_of_it_works_where_there_is_no_network(tmp_path: Path) -> None:
    import shutil
    import subprocess
    import sys

    unshare = shutil.which("unshare")
    allowed = unshare and subprocess.run([unshare, "-rn", "true"], check=False).returncode == 0
    if not allowed:
        pytest.skip("no network namespace may be made here")
    file = written(tmp_path, RECORDINGS[-1:])
    script = (
        "import subprocess, sys, urllib.request as u\n"
        "subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)\n"
        "s = subprocess.Popen([sys.executable, '-m', 'mockserver', 'serve', '--no-proxy',"
        " '--port', '0', '--cassette', sys.argv[1]], stdout=subprocess.PIPE, text=True)\n"
        "url = s.stdout.readline().split()[3]\n"
        "print(u.urlopen(url + '/none').status, u.urlopen(url + '/_mock/health').read().decode())\n"
        "s.terminate(); s.wait(10)\n"
    )
    command = [str(unshare), "-rn", sys.executable, "-c", script, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    if "No such file" in done.stderr and "'ip'" in done.stderr:
        pytest.skip("no `ip` to bring the loopback up")
    assert done.stdout.startswith("204 "), done.stderr
    assert '"connections":{"opened":0,"refused":0}' in done.stdout


def test_pipelined_requests_are_answered_each_with_its_own_date(server: Server) -> None:
    base = server.session(pace=0)
    host, port = base.partition("://")[2].partition("/")[0].split(":")
    prefix = base.partition(f":{port}")[2]
    ask = f"GET {prefix}{{}} HTTP/1.1\r\nHost: {host}:{port}\r\nX: y\r\n{{}}\r\n"
    with socket.create_connection((host, int(port)), timeout=PATIENCE_S) as connection:
        both = ask.format("/none", "") + ask.format("/stream", "Connection: close\r\n")
        connection.sendall(both.encode())
        text = b""
        while piece := connection.recv(65536):
            text += piece
    assert text.count(b"date: Sat, 03 Jan 2026 10:00:00 GMT") == 2
    assert text.lower().count(b"\ndate:") == 2
