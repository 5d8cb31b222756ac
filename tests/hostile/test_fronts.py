"""Nothing that is said to a port of a running server stops it: proxy, TLS, gRPC and main port.

The server is a process of its own, and what is said to it need not be any protocol. What is counted
is CPU time of the thread of its event loop, held against a reference of the same run. The server
stamps its answers with that time itself, so it does not matter how long a busy machine lets the
client wait for its turn.
"""

import asyncio
import os
import re
import signal
import ssl
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from gzip import compress
from http.client import HTTPConnection
from itertools import repeat
from pathlib import Path
from time import thread_time

import orjson
import pytest
from httptools import HttpRequestParser

from mockserver.fronts.http2 import PREFACE, frame
from tests.hostile.test_budgets import ANSWER_S, ATTEMPTS, WHOLE_S, excess
from tests.mockserver.conftest import write_suite
from tests.patience import PATIENCE_S, settle

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")

MOST_GROWTH = 100_000_000
"""Bytes that an attack may add to the memory of the server."""

READ_BYTES = 256 * 1024
"""What an event loop reads of a connection at once."""

TICK_S = 0.03
"""What the system's own count of CPU time may be off by."""

READS = 16
"""Full reads of the smallest chunks that an answer may have to wait for: two of each of two peers,
in each of two turns, each twice as dear as their parsing. A busy machine lets so much come before
the server has its turn again; an idle one does not, and answers in less than ANSWER_S."""

MOST_ROUNDS, UNSENT = 20, 500_000
"""How often a peer looks whether less than so many bytes are left to be sent."""

EMULATED, REFUSED = "logging.googleapis.com", "example.com"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PING, WINDOW, CONTINUATION = 0, 1, 2, 3, 4, 6, 8, 9
END_STREAM, END_HEADERS = 1, 4
FLOOD = 100_000
UNARY = "/google.logging.v2.LoggingServiceV2/ListLogs"
Said = Iterable[bytes]


@dataclass
class Victim:
    """A server process."""

    process: subprocess.Popen[str]
    log: Path
    ports: dict[str, int]

    def loop_s(self) -> float:
        """CPU seconds of the thread that its event loop runs on."""
        pid = self.process.pid
        words = Path(f"/proc/{pid}/task/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def connect(self) -> HTTPConnection:
        """A connection to its main port."""
        return HTTPConnection("127.0.0.1", self.ports["main"], timeout=PATIENCE_S)

    def ask(self, connection: HTTPConnection) -> float:
        """Ask how it is; CPU seconds of its loop from the question to the answer."""
        connection.request("GET", "/_mock/health")
        asked = self.loop_s()
        answer = connection.getresponse()
        assert (answer.status, bool(answer.read())) == (200, True)
        return float(answer.headers["x-loop-s"]) - asked

    def memory(self) -> int:
        """Bytes of memory that it holds."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text("ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)


STAMPING = """
from time import thread_time
from mockserver.cli.main import app
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

send = RequestResponseCycle.send

async def stamp(self, message):
    if message["type"] == "http.response.start" and self.scope["path"] == "/_mock/health":
        message["headers"] = [*message["headers"], (b"x-loop-s", b"%f" % thread_time())]
    await send(self, message)

RequestResponseCycle.send = stamp
app()
"""
"""A server that says with its health how much CPU time the thread of its loop has used."""

IMPATIENT = """
from mockserver.asgi import server
from mockserver.cli.main import app
from mockserver.fronts import http2, interception, proxy
from mockserver.fronts.grpc import listener

server.HEAD_S = server.SILENCE_S = http2.PATIENCE_S = 0.2
proxy.HEAD_S = proxy.HANDSHAKE_S = interception.HANDSHAKE_S = 0.5
server._TICKS = 1
limits = dict(listener._OPTIONS)
assert limits["grpc.server_handshake_timeout_ms"] == 30_000
listener._OPTIONS = tuple({**limits, "grpc.server_handshake_timeout_ms": 500}.items())
app()
"""
"""A server whose limits are short."""


@contextmanager
def serving(folder: Path, *program: str) -> Iterator[Victim]:
    suite, log = write_suite(folder / "suite"), folder / "log"
    ports = ("--port", "0", "--proxy-port", "0", "--tls-port", "0", "--grpc-port", "0")
    command = [sys.executable, *program, "serve", "--fixtures", str(suite), *ports]
    environment = {**os.environ, "UNDERSTUDY_HOME": str(folder / "home")}
    with (
        log.open("w", encoding="utf-8") as messages,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=messages, text=True, env=environment
        ) as process,
    ):
        assert process.stdout is not None
        found = re.search(r"http://127.0.0.1:(\d+)", process.stdout.readline())
        assert found is not None, log.read_text("utf-8")
        made = Victim(process, log, {"main": int(found[1])})
        with closing(made.connect()) as connection:
            connection.request("GET", "/_mock/health")
            made.ports |= orjson.loads(connection.getresponse().read())["fronts"]
        yield made
        process.kill()


@pytest.fixture(scope="module")
def victim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Victim]:
    with serving(tmp_path_factory.mktemp("fronts"), "-c", STAMPING) as made:
        yield made


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Victim]:
    with serving(tmp_path_factory.mktemp("impatient"), "-c", IMPATIENT) as made:
        yield made


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def _tls(*protocols: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(protocols)
    return context


async def plain(victim: Victim, port: str) -> Streams:
    return await asyncio.open_connection("127.0.0.1", victim.ports[port])


async def secured(victim: Victim, protocol: str, host: str = EMULATED) -> Streams:
    return await asyncio.open_connection(
        "127.0.0.1", victim.ports["tls"], ssl=_tls(protocol), server_hostname=host
    )


async def tunnelled(victim: Victim, protocol: str = "", port: int = 443) -> Streams:
    reader, writer = await plain(victim, "proxy")
    writer.write(f"CONNECT {EMULATED}:{port} HTTP/1.1\r\n\r\n".encode())
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
    if protocol:
        await writer.start_tls(_tls(protocol), server_hostname=EMULATED)
    return reader, writer


WAYS: dict[str, Callable[[Victim], Awaitable[Streams]]] = {
    "main port": lambda victim: plain(victim, "main"),
    "proxy": lambda victim: plain(victim, "proxy"),
    "TLS": lambda victim: plain(victim, "tls"),
    "gRPC": lambda victim: plain(victim, "grpc"),
    "HTTP/1 in TLS": lambda victim: secured(victim, "http/1.1"),
    "HTTP/1 in a tunnel": lambda victim: tunnelled(victim, port=80),
    "TLS in a tunnel": lambda victim: tunnelled(victim),
    "gRPC in a tunnel": lambda victim: tunnelled(victim, "h2"),
    "gRPC to no one": lambda victim: secured(victim, "h2", REFUSED),
}


async def speak(streams: Streams, said: Said, *, reads: bool = True) -> None:
    """Say everything, unless the other end hangs up before or reads no more."""
    reader, writer = streams
    reading = asyncio.create_task(_read(reader)) if reads else None
    for piece in said:
        if not await _taken(writer) or reader.at_eof():
            break
        writer.write(piece)
        await asyncio.sleep(0)
    await settle()
    if reading is not None:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
    await hang_up(writer)


async def _taken(writer: asyncio.StreamWriter) -> bool:
    """Whether the other end goes on taking what is sent."""
    for _ in range(MOST_ROUNDS):
        if writer.is_closing() or writer.transport.get_write_buffer_size() < UNSENT:
            break
        await settle()
    return not writer.is_closing() and writer.transport.get_write_buffer_size() < UNSENT


async def hang_up(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()
    with suppress(OSError):
        await writer.wait_closed()


async def _read(reader: asyncio.StreamReader) -> None:
    with suppress(OSError):
        while await reader.read(1 << 18):
            pass


def literal(name: str, value: str) -> bytes:
    """A header in HPACK, neither compressed nor indexed."""
    parts = [bytes([len(text)]) + text.encode() for text in (name, value)]
    return b"\x00" + b"".join(parts)


def call(path: str = UNARY, *more: tuple[str, str]) -> bytes:
    """The headers of a gRPC call."""
    headers = {
        ":method": "POST", ":scheme": "http", ":path": path, ":authority": EMULATED,
        "te": "trailers", "content-type": "application/grpc",
    }  # fmt: skip
    return b"".join(literal(*each) for each in (*headers.items(), *more))


def begun(*frames: bytes) -> Iterator[bytes]:
    yield PREFACE + frame(SETTINGS, 0, 0)
    yield from frames


def flood(one: bytes, count: int = FLOOD) -> Iterator[bytes]:
    """The same many times, in pieces as the network brings them."""
    yield from begun()
    at_once = max(1, 50_000 // len(one))
    yield from repeat(one * at_once, max(1, count // at_once))


def streams(make: Callable[[int], bytes], count: int) -> Iterator[bytes]:
    """Something of each of many streams."""
    yield from begun()
    for first in range(0, count, 100):
        yield b"".join(make(2 * number + 1) for number in range(first, min(first + 100, count)))


def opened(stream: int, flags: int = END_HEADERS, *more: tuple[str, str]) -> bytes:
    return frame(HEADERS, flags, stream, call(UNARY, *more))


def message(size: int, content: bytes = b"", *, packed: bool = False) -> bytes:
    return bytes([packed]) + size.to_bytes(4, "big") + content


def in_frames(content: bytes, stream: int = 1) -> bytes:
    step = 16_384
    return b"".join(
        frame(DATA, 0, stream, content[at : at + step]) for at in range(0, len(content), step)
    )


BOMB = compress(bytes(60_000_000))
CLAIM = b"".join([b"\x40\x01x\x7f\xa1\x1e", b"a" * 4000])
"""An entry of 4,000 characters for HPACK's table; its index is 62 then."""

HTTP2: dict[str, Callable[[], Said]] = {
    "settings": lambda: flood(frame(SETTINGS, 0, 0, b"\x00\x04\x00\x00\xff\xff")),
    "settings that change the table": lambda: flood(
        frame(SETTINGS, 0, 0, b"\x00\x01\x00\x00\x00\x00\x00\x01\x00\x00\x10\x00")
    ),
    "settings of many values": lambda: flood(frame(SETTINGS, 0, 0, bytes(6) * 2700), 200),
    "pings": lambda: flood(frame(PING, 0, 0, b"12345678")),
    "window updates": lambda: flood(frame(WINDOW, 0, 0, b"\x00\x00\x00\x01")),
    "window beyond all bounds": lambda: flood(frame(WINDOW, 0, 0, b"\x7f\xff\xff\xff"), 1000),
    "priorities": lambda: flood(frame(PRIORITY, 0, 9, b"\x00\x00\x00\x01\x10")),
    "frames of no known kind": lambda: flood(frame(99, 0, 0)),
    "empty data": lambda: begun(opened(1), *repeat(frame(DATA, 0, 1) * 5000, 20)),
    "data on a closed stream": lambda: begun(
        opened(1), frame(RESET, 0, 1, bytes(4)), *repeat(frame(DATA, 0, 1, b"x") * 5000, 20)
    ),
    "data on no stream": lambda: flood(frame(DATA, 0, 9, b"x")),
    "rapid reset": lambda: streams(
        lambda stream: opened(stream) + frame(RESET, 0, stream, b"\x00\x00\x00\x08"), 10_000
    ),
    "rapid reset of whole calls": lambda: streams(
        lambda stream: (
            opened(stream)
            + frame(DATA, END_STREAM, stream, message(0))
            + frame(RESET, 0, stream, b"\x00\x00\x00\x08")
        ),
        10_000,
    ),
    "open streams": lambda: streams(opened, 10_000),
    "whole calls": lambda: streams(
        lambda stream: opened(stream) + frame(DATA, END_STREAM, stream, message(0)), 3000
    ),
    "headers without end": lambda: begun(
        frame(HEADERS, 0, 1, call()), *repeat(frame(CONTINUATION, 0, 1, CLAIM[7:] * 4), 1000)
    ),
    "empty continuations": lambda: begun(
        frame(HEADERS, 0, 1, call()), *repeat(frame(CONTINUATION, 0, 1) * 5000, 20)
    ),
    "an HPACK bomb": lambda: begun(
        *repeat(frame(HEADERS, END_HEADERS, 1, call() + CLAIM + b"\xbe" * 12_000), 100)
    ),
    "many headers": lambda: begun(
        frame(HEADERS, 0, 1, call()),
        *repeat(frame(CONTINUATION, 0, 1, literal("x-a", "b") * 2000), 50),
        frame(CONTINUATION, END_HEADERS, 1),
    ),
    "a giant frame": lambda: begun(b"\xff\xff\xff\x00\x00" + bytes(4), *repeat(bytes(60_000), 280)),
    "a message that claims 4 GiB": lambda: begun(
        opened(1), *repeat(in_frames(message(0xFFFFFFFF, bytes(60_000))), 200)
    ),
    "a packed bomb": lambda: begun(
        opened(1, END_HEADERS, ("grpc-encoding", "gzip")),
        in_frames(message(len(BOMB), BOMB, packed=True)),
        frame(DATA, END_STREAM, 1),
    ),
    "long paths": lambda: streams(
        lambda stream: frame(
            HEADERS, END_HEADERS, stream, call(f"/{stream:0>110}/x", ("x-session", "y" * 100))
        ),
        3000,
    ),
    "noise": lambda: begun(*repeat(bytes(range(256)) * 200, 100)),
    "no HTTP/2": lambda: repeat(b"GET / HTTP/1.1\r\n" * 1000, 100),
}  # fmt: skip

POST = b"POST /logging.googleapis.com/v2/entries:list HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = POST + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
GET = b"GET /_mock/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"

HTTP1: dict[str, Callable[[], Said]] = {
    "pipelined requests": lambda: repeat(GET * 100, 100),
    "pipelined bodies": lambda: repeat((POST + b"Content-Length: 2\r\n\r\n{}") * 100, 30),
    "two lengths": lambda: [POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"],
    "two different lengths": lambda: [POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabc"],
    "a length of no number": lambda: [POST + b"Content-Length: -1\r\n\r\n"],
    "a length beyond 64 bits": lambda: [POST + b"Content-Length: " + b"9" * 40 + b"\r\n\r\n"],
    "a chunk beyond 64 bits": lambda: [CHUNKED + b"ffffffffffffffffff\r\nabc"],
    "a chunk of no number": lambda: [CHUNKED + b"-5\r\nabc", CHUNKED + b"0x5\r\nabc"],
    "the length of a chunk without end": lambda: [CHUNKED, *repeat(b"0" * 60_000, 200)],
    "an extension of a chunk without end": lambda: [CHUNKED, b"1;", *repeat(b"a" * 60_000, 300)],
    "chunks of one byte": lambda: [CHUNKED, *repeat(b"1\r\na\r\n" * 10_000, 60)],
    "trailers without end": lambda: [CHUNKED, b"0\r\n", *repeat(b"a: b\r\n" * 10_000, 100)],
    "a request line without end": lambda: [b"GET /", *repeat(b"a" * 60_000, 300)],
    "headers without end": lambda: [b"GET / HTTP/1.1\r\n", *repeat(b"a: b\r\n" * 10_000, 200)],
    "empty lines": lambda: repeat(b"\r\n" * 30_000, 100),
    "noise": lambda: repeat(bytes(range(256)) * 200, 100),
    "a NUL": lambda: [b"GET /\0 HTTP/1.1\r\nHost: localhost\0\r\n\r\n"],
}  # fmt: skip


def connect(target: bytes, headers: bytes = b"") -> bytes:
    return b"CONNECT " + target + b" HTTP/1.1\r\n" + headers + b"\r\n"


PROXY: dict[str, Callable[[], Said]] = {
    "CONNECT without end": lambda: [b"CONNECT ", *repeat(b"a" * 60_000, 300)],
    "headers without end": lambda: [b"CONNECT a:1 HTTP/1.1\r\n", *repeat(b"a: b\r\n" * 9000, 300)],
    "a head byte by byte": lambda: [bytes([each]) for each in b"CONNECT " + b"a" * 17_000],
    "a long host": lambda: [connect(b"a" * 15_000 + b":443")],
    "a long head at once": lambda: [connect(b"a:1", b"a: b\r\n" * 9000)],
    "a host of labels": lambda: [connect(b"a." * 120 + b"googleapis.com:443")],
    "a NUL": lambda: [connect(b"logging.googleapis.com\0.example.com:443")],
    "ports": lambda: [connect(b"logging.googleapis.com:99999")],
    "a port beyond all numbers": lambda: [connect(b"logging.googleapis.com:" + b"9" * 5000)],
    "a port of other digits": lambda: [connect("logging.googleapis.com:٤٤٣".encode())],
    "unicode": lambda: [connect("löggïng.googleapis.com:443".encode())],
    "brackets": lambda: [connect(b"[" * 9000 + b"]:443")],
    "credentials that are none": lambda: [
        connect(b"logging.googleapis.com:443", b"Proxy-Authorization: Basic " + b"=" * 9000)
    ],
    "a long session": lambda: [
        connect(b"logging.googleapis.com:443", b"Proxy-Authorization: Basic " + b"YWFh" * 3000)
    ],
    "more after CONNECT": lambda: [connect(b"logging.googleapis.com:443") * 300],
    "CONNECT for ever": lambda: repeat(connect(b"logging.googleapis.com:80") * 300, 100),
    "noise": lambda: repeat(bytes(range(256)) * 200, 100),
}  # fmt: skip


def record(kind: int, content: bytes) -> bytes:
    return bytes([kind, 3, 1]) + len(content).to_bytes(2, "big") + content


def hello(name: bytes) -> bytes:
    """A ClientHello that names a host."""
    named = b"\x00" + len(name).to_bytes(2, "big") + name
    named = len(named).to_bytes(2, "big") + named
    groups = bytes.fromhex("000a00040002001d000d0006000404030804002b0003020304000b00020100")
    extensions = b"\x00\x00" + len(named).to_bytes(2, "big") + named + groups
    suites = bytes.fromhex("0006c02bc02f009c")
    body = b"\x03\x03" + bytes(32) + b"\x00" + suites + b"\x01\x00"
    body += len(extensions).to_bytes(2, "big") + extensions
    return record(22, b"\x01" + len(body).to_bytes(3, "big") + body)


TLS: dict[str, Callable[[], Said]] = {
    "half a hello": lambda: [hello(b"logging.googleapis.com")[:50]],
    "a hello alone": lambda: [hello(b"logging.googleapis.com")],
    "a hello without end": lambda: [
        record(22, b"\x01\xff\xff\xff"), *repeat(record(22, bytes(16_384)), 1000)
    ],
    "a record without end": lambda: [b"\x16\x03\x01\xff\xff", *repeat(bytes(60_000), 300)],
    "empty records": lambda: repeat(record(22, b"") * 10_000, 20),
    "warnings": lambda: repeat(record(21, b"\x01\x00") * 10_000, 20),
    "data before the handshake": lambda: repeat(record(23, bytes(16_384)), 300),
    "a name of bytes": lambda: [hello(b"\xff\xfe\x00logging")],
    "an empty name": lambda: [hello(b"")],
    "a long name": lambda: [hello(b"a" * 255)],
    "a name of dots": lambda: [hello(b"." * 200)],
    "a name of other letters": lambda: [hello("löggïng.googleapis.com".encode())],
    "a wildcard": lambda: [hello(b"*.*.googleapis.com")],
    "noise": lambda: repeat(bytes(range(256)) * 200, 100),
    "HTTP": lambda: repeat(GET * 100, 100),
}  # fmt: skip

ATTACKS = [
    *[(way, name, said) for way in ("gRPC", "gRPC in a tunnel", "gRPC to no one")
      for name, said in HTTP2.items()],
    *[(way, name, said) for way in ("main port", "HTTP/1 in TLS", "HTTP/1 in a tunnel")
      for name, said in HTTP1.items()],
    *[("proxy", name, said) for name, said in PROXY.items()],
    *[(way, name, said) for way in ("TLS", "TLS in a tunnel") for name, said in TLS.items()],
]  # fmt: skip


class Body:
    """Keeps a body as uvicorn does."""

    def __init__(self) -> None:
        self.content = b""

    def on_body(self, piece: bytes) -> None:
        self.content += piece


def read_s() -> float:
    """CPU seconds that a parser needs here and now for a full read of chunks of one byte."""
    parser = HttpRequestParser(Body())
    parser.feed_data(CHUNKED)
    content = b"1\r\na\r\n" * (READ_BYTES // 6)
    started = thread_time()
    parser.feed_data(content)
    return thread_time() - started


class Watch:
    """Asks the server for its health while something goes on.

    Attributes:
        longest: Most CPU seconds of its loop that an answer took.
        growth: Most bytes that its memory grew by.
        over: Whether it shall end.
    """

    def __init__(self, victim: Victim) -> None:
        self._victim = victim
        self._before = victim.memory()
        self._connection = victim.connect()
        self.longest, self.growth, self.over = 0.0, 0, False
        self._task = asyncio.create_task(self._go_on())

    async def look(self) -> None:
        took = await asyncio.to_thread(self._victim.ask, self._connection)
        self.longest = max(self.longest, took)
        self.growth = max(self.growth, self._victim.memory() - self._before)

    async def _go_on(self) -> None:
        while not self.over:
            await self.look()
            await asyncio.sleep(0)

    def excess(self, took: float, *, chunks: bool = False) -> str:
        """What went over its limit, which is another one for chunks; empty when nothing did."""
        if self.growth >= MOST_GROWTH:
            return f"memory: {self.growth} of {MOST_GROWTH}"
        answer, most = self.longest - TICK_S, ANSWER_S
        if chunks and answer >= most:
            most = max(most, READS * read_s())
        return excess({"an answer": (answer, most), "the whole": (took, WHOLE_S)})

    async def end(self) -> None:
        """Look until now."""
        self.over = True
        await self._task
        await self.look()
        self._connection.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "said"),
    [pytest.param(way, said, id=f"{way}-{name}") for way, name, said in ATTACKS],
)
async def test_a_hostile_peer_stops_nobody(
    victim: Victim, way: str, said: Callable[[], Said]
) -> None:
    found = ""
    for _ in range(ATTEMPTS):
        started, watch = victim.loop_s(), Watch(victim)
        peers = [await WAYS[way](victim) for _ in range(2)]
        await asyncio.gather(speak(peers[0], said()), speak(peers[1], said(), reads=False))
        await watch.end()
        assert "Traceback" not in victim.log.read_text()
        chunks = said is HTTP1["chunks of one byte"]
        found = watch.excess(victim.loop_s() - started, chunks=chunks)
        if not found:
            break
    assert not found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("main port", b"GET / HTTP/1.1\r\nX-Slow: "),
        ("proxy", b"CONNECT logging.goo"),
        ("TLS", hello(b"logging.googleapis.com")[:40]),
        ("TLS in a tunnel", b""),
        ("gRPC", b"PRI * HT"),
        ("gRPC in a tunnel", PREFACE),
        ("gRPC to no one", PREFACE),
    ],
)
async def test_a_crowd_that_says_little_stops_nobody(victim: Victim, way: str, said: bytes) -> None:
    found = ""
    for _ in range(ATTEMPTS):
        watch = Watch(victim)
        crowd = [await WAYS[way](victim) for _ in range(200)]
        for _, writer in crowd:
            writer.write(said)
        await watch.end()
        for _, writer in crowd:
            await hang_up(writer)
        found = watch.excess(0.0)
        if not found:
            break
    assert not found
    assert "Traceback" not in victim.log.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("said", [b"", b"P"], ids=["nothing", "a byte"])
async def test_who_says_nothing_is_let_go(impatient: Victim, way: str, said: bytes) -> None:
    # being let go may come before the greeting is over; a timeout is no such end
    with suppress(ConnectionError, ssl.SSLError, EOFError):
        reader, writer = await WAYS[way](impatient)
        writer.write(said)
        async with asyncio.timeout(PATIENCE_S):
            while await reader.read(1 << 16):
                pass
        await hang_up(writer)
    assert "Traceback" not in impatient.log.read_text("utf-8")


@pytest.mark.slow
async def test_the_server_still_stops_when_told_whatever_is_open(victim: Victim) -> None:
    crowd = [await open_one(victim) for open_one in WAYS.values() for _ in range(5)]
    for _, writer in crowd:
        writer.write(b"\x16")
    assert await asyncio.to_thread(victim.stop) == 0
    assert "Traceback" not in victim.log.read_text()
    for _, writer in crowd:
        await hang_up(writer)
