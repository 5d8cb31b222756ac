"""HTTP: the CPU of a request beside that of a constant raw ASGI answer of the same bytes.

Each figure twice: with heads that came before, and with heads of their own, as tracing and SDKs
make them: a trace, a request id, an idempotency key, a query. CPU is the server's, in alternation
with the reference's, so that the figures hold where other programs share the cores; latencies are
those of a machine with nothing else to do.
"""

import contextlib
import socket
import ssl
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count, cycle
from pathlib import Path
from statistics import median, quantiles

import orjson

from mockserver.cassettes.files import write_cassette
from mockserver.model import Interaction, RecordedRequest, RecordedResponse
from mockserver.model.cassettes import Cassette
from tests.benchmarks.figures import Figure
from tests.benchmarks.servers import (
    COMMON,
    OWN,
    Connect,
    Load,
    free_port,
    get,
    load,
    mock_server,
    post,
    reference_server,
    uvicorn_server,
)
from tests.benchmarks.stub_speed import stubs
from tests.benchmarks.suites import write_suite

ROUNDS, COUNT, CONNECTIONS = 7, 2000, 16
GOOGLE = "admin.googleapis.com"
DIRECTORY = f"{GOOGLE}/admin/directory/v1"
UNITS = f"{DIRECTORY}/customer/my_customer/orgunits"
STUB = "api.example.com/v1/units/3"
PLAIN: dict[str, object] = {"sources": ["state"]}
SESSIONS = (100, 10_000)
MANY = 100_000
SHOP = """
api: shop
hosts: [shop.example.com]
collections:
  things:
    ids: int
    filters: {city: city, max: {field: price, op: "<="}}
    sort: sort
    paging: page
"""
SCRIPT = "replies: [{user: weather, text: It rains.}, {text: Hello. How can I help you today?}]\n"
RECORDED = b'{"units": [%b]}' % b", ".join(b'{"id": "unit-%d"}' % n for n in range(40))

Body = Callable[[int], bytes]


def unit(size: int) -> Body:
    """An org unit with a name of its own, as so many bytes of JSON."""

    def body(number: int) -> bytes:
        row = {"name": f"Unit {number:012}", "parentOrgUnitPath": "/", "description": ""}
        row["description"] = "x" * (size - len(orjson.dumps(row)))
        return orjson.dumps(row)

    return body


def thing(size: int) -> Body:
    """A row of a declared API."""

    def body(number: int) -> bytes:
        row = {"name": f"Thing {number:012}", "city": f"c{number % 90 + 10}", "note": ""}
        row["note"] = "x" * (size - len(orjson.dumps(row)))
        return orjson.dumps(row)

    return body


def prompt(number: int, *, stream: bool = False) -> bytes:
    asked = {"role": "user", "content": f"Hello, this is question {number:012}"}
    return orjson.dumps({"model": "gpt-5", "messages": [asked], "stream": stream})


@dataclass(frozen=True)
class Row:
    """What is asked, and how much of the reference's speed it must have.

    Attributes:
        name: What figures call it.
        path: What is asked, below the session.
        goals: With heads that came before, and with heads of their own.
        query: What else the path says in a request with a head of its own.
        body: The body of a request, by its number.
        session: What its session is opened with.
    """

    name: str
    path: str
    goals: tuple[float, float]
    query: str = ""
    body: Body | None = None
    session: dict[str, object] = field(default_factory=dict)


ROWS = (
    Row("1,000 stubs", STUB, (0.85, 0.75), "?n={}"),
    *(
        Row(f"a stub, POST of {size / 1000:g} KB", STUB, (0.6, 0.6), "?n={}", unit(size))
        for size in (200, 2000, 20_000)
    ),
    Row("list of ten org units", f"{UNITS}?type=all", (0.85, 0.75), "&quotaUser={}", session=PLAIN),
    Row(
        "list of 100 users", f"{DIRECTORY}/users?customer=my_customer&maxResults=100", (0.5, 0.5),
        "&quotaUser={}", session=PLAIN,
    ),
    Row(
        "declared list by a filter", "shop.example.com/things?city=c07&sort=-price", (0.75, 0.6),
        session=PLAIN,
    ),
    Row(
        "a recorded answer", "records.example.com/v1/units/7?view=full", (0.85, 0.7),
        session={"cassettes": ["tape"], "repeats": "cycle"},
    ),
    Row(
        "a scripted completion, its own prompt", "models/openai/v1/chat/completions", (0.6, 0.6),
        body=prompt,
    ),
    Row(
        "a streamed completion, its own prompt", "models/openai/v1/chat/completions", (0.4, 0.4),
        body=partial(prompt, stream=True),
    ),
    *(
        Row(f"{name}, POST of {size / 1000:g} KB", path, (goal, goal), body=make(size),
            session=PLAIN)
        for name, path, make, goals in (
            ("a created row, declared API", "shop.example.com/things", thing, (0.4, 0.3, 0.2)),
            ("a created org unit", UNITS, unit, (0.4, 0.3, 0.2)),
        )
        for size, goal in zip((200, 2000, 20_000), goals, strict=True)
    ),
)  # fmt: skip


def requests(row: Row, path: str, *, own: bool, host: str = "127.0.0.1") -> Iterator[bytes]:
    """Requests without end, with bodies of their own."""
    verb = "POST" if row.body else "GET"
    for number in count(next(_numbers) * 10_000_000):
        body = row.body(number) if row.body else b""
        asked = path + row.query.format(number) if own else path
        head = f"{verb} {asked} HTTP/1.1\r\nHost: {host}\r\n{COMMON}".encode()
        if body:
            head += b"Content-Type: application/json\r\nContent-Length: %d\r\n" % len(body)
        if own:
            head += OWN % (number, number, number, number)
        yield head + b"\r\n" + body


_numbers = count(1)


@dataclass
class Side:
    """A server that is loaded in alternation with another one."""

    port: int
    pid: int
    path: str
    connect: Connect | None = None
    host: str = "127.0.0.1"
    loads: list[Load] = field(default_factory=list)

    def load(self, row: Row, *, own: bool, connections: int = CONNECTIONS) -> None:
        asked = requests(row, self.path, own=own, host=self.host)
        self.loads.append(
            load(self.port, asked, pid=self.pid, count=COUNT, connections=connections,
                 connect=self.connect)
        )  # fmt: skip


def alternated(ours: Side, theirs: Side, row: Row, *, own: bool, connections: int) -> None:
    for side in (ours, theirs):
        side.loads = []
        side.load(row, own=own, connections=connections)  # what caches keep is there then
    for side in (ours, theirs) * ROUNDS:
        side.load(row, own=own, connections=connections)
    for side in (ours, theirs):
        del side.loads[0]


def beside(
    ours: Side, theirs: Side, row: Row, *, own: bool, connections: int = CONNECTIONS
) -> float:
    """The reference's CPU of a request / ours."""
    alternated(ours, theirs, row, own=own, connections=connections)
    pairs = zip(ours.loads, theirs.loads, strict=True)
    return median(other.cpu_us / mine.cpu_us for mine, other in pairs)


def figures(names: str = "") -> Iterator[Figure]:
    """Those of all rows, or of those whose names have a text in them."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as opened:
        folder = Path(name)
        tls, proxy = free_port(), free_port()
        options = ("--tls-port", str(tls), "--proxy-port", str(proxy), "--max-sessions", "20000")
        tape = ("--cassette", str(folder / "tape.yaml"))
        write_cassette(recordings(), folder / "tape.yaml")
        port, pid = opened.enter_context(mock_server(write(folder / "suite"), *options, *tape))
        for row in ROWS:
            if names in row.name:
                yield from of_row(row, port, pid)
        if names in "through TLS and the proxy":
            yield from of_fronts(port, pid, {"the TLS listener": tls, "the proxy": proxy})
        if names in "connections":
            yield from of_connections(port, pid)
        if names in "sessions":
            yield from of_sessions(port, pid)
        if names in "writes":
            yield from of_writes(port, pid)


def write(suite: Path) -> Path:
    write_suite(suite, cases=0)
    (suite / "base" / "http.json").write_bytes(
        orjson.dumps({"http": [{**each, "method": "*"} for each in stubs(1000)]})
    )
    things = [
        {"id": n + 1, "city": f"c{n % 100:02}", "price": n * 7919 % 1000, "name": f"No {n}"}
        for n in range(1000)
    ]
    (suite / "base" / "shop.json").write_bytes(orjson.dumps({"shop": {"things": things}}))
    for folder, file, text in (("apis", "shop", SHOP), ("models", "assistant", SCRIPT)):
        (suite / folder).mkdir()
        (suite / folder / f"{file}.yaml").write_text(text, encoding="utf-8")
    return suite


def recordings() -> Cassette:
    headers = (("Content-Type", "application/json"), ("ETag", '"1"'))
    made = (
        Interaction(
            RecordedRequest("GET", f"https://records.example.com/v1/units/{number}?view=full"),
            RecordedResponse(200, "OK", headers, RECORDED),
        )
        for number in range(1000)
    )
    return Cassette("tape.yaml", tuple(made))


def of_row(row: Row, port: int, pid: int) -> Iterator[Figure]:
    session = post(port, "/_mock/sessions", row.session)["id"]
    ours = Side(port, pid, f"/s/{session}/{row.path}")
    with reference_server(port, next(requests(row, ours.path, own=False))) as (other, other_pid):
        theirs = Side(other, other_pid, "/")
        for own, goal in zip((False, True), row.goals, strict=True):
            kind = "own heads" if own else "repeated"
            title = f"{row.name} / raw ASGI, {kind}, CPU"
            yield Figure(title, beside(ours, theirs, row, own=own), goal, at_least=True)


def of_fronts(port: int, pid: int, fronts: dict[str, int]) -> Iterator[Figure]:
    """What comes through TLS, and through the proxy, beside the same requests in plain HTTP."""
    session = post(port, "/_mock/sessions", PLAIN)
    files = session["env"]
    assert isinstance(files, dict)
    trust = ssl.create_default_context(cafile=files["NODE_EXTRA_CA_CERTS"])
    assert get(port, "/_mock/health")
    row = next(each for each in ROWS if each.name == "list of ten org units")
    path = f"/s/{session['id']}{row.path.removeprefix(GOOGLE)}"
    for name, front in fronts.items():

        def connect(front: int = front, *, proxied: bool = name == "the proxy") -> ssl.SSLSocket:
            return secured(front, trust, proxied=proxied)

        ours = Side(front, pid, path, connect, GOOGLE)
        plain = Side(port, pid, f"/s/{session['id']}/{row.path}")
        for own in (False, True):
            kind = "own heads" if own else "repeated"
            title = f"through {name} / plain, {kind}, CPU"
            yield Figure(title, beside(ours, plain, row, own=own), 0.8, at_least=True)


def secured(port: int, trust: ssl.SSLContext, *, proxied: bool) -> ssl.SSLSocket:
    connection = socket.create_connection(("127.0.0.1", port))
    if proxied:
        connection.sendall(f"CONNECT {GOOGLE}:443 HTTP/1.1\r\n\r\n".encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")
    return trust.wrap_socket(connection, server_hostname=GOOGLE)


def of_connections(port: int, pid: int) -> Iterator[Figure]:
    row = ROWS[0]
    session = post(port, "/_mock/sessions", {})["id"]
    ours = Side(port, pid, f"/s/{session}/{row.path}")
    with reference_server(port, next(requests(row, ours.path, own=False))) as (other, other_pid):
        theirs = Side(other, other_pid, "/")
        for connections in (1, 16, 256):
            found = beside(ours, theirs, row, own=True, connections=connections)
            title = f"{row.name} / raw ASGI, {connections} connections, CPU"
            yield Figure(title, found, 0.75, at_least=True)
            for part, name in ((50, "median"), (99, "99th percentile")):
                mine, other_ms = (
                    median(quantiles(each.took_s, n=100)[part - 1] for each in side.loads)
                    for side in (ours, theirs)
                )
                title = f"  latency, {connections} connections, {name} / raw ASGI"
                yield Figure(title, mine / other_ms, 1.5)


def of_sessions(port: int, pid: int) -> Iterator[Figure]:
    """Many sessions that are asked in turn beside one."""
    row = ROWS[0]
    opened = [post(port, "/_mock/sessions", {})["id"] for _ in range(max(SESSIONS))]
    one: list[float] = []
    for many in SESSIONS:
        ratios = []
        for _ in range(ROUNDS):
            few, all_of_them = (
                load(port, asked_in_turn(row, opened[:number]), pid=pid, count=max(COUNT, number))
                for number in (1, many)
            )
            ratios.append(few.cpu_us / all_of_them.cpu_us)
            one.append(few.cpu_us)
        title = f"{row.name}, own heads, {many:,} sessions / 1, CPU"
        yield Figure(title, median(ratios), 0.85, at_least=True)


def asked_in_turn(row: Row, sessions: list[object]) -> Iterator[bytes]:
    each = [requests(row, f"/s/{session}/{row.path}", own=True) for session in sessions]
    return (next(asked) for asked in cycle(each))


def of_writes(port: int, pid: int) -> Iterator[Figure]:
    """Creations beside a Starlette handler that keeps what it parsed in a dictionary."""
    row = next(each for each in ROWS if each.name.startswith("a created row, declared API"))
    session = post(port, "/_mock/sessions", PLAIN)["id"]
    ours = Side(port, pid, f"/s/{session}/{row.path}")
    with uvicorn_server("tests.benchmarks.dictionary:app", "/") as (other, other_pid):
        theirs = Side(other, other_pid, "/")
        for own in (False, True):
            kind = "own heads" if own else "repeated"
            title = f"a created row / Starlette and a dictionary, {kind}, CPU"
            yield Figure(title, beside(ours, theirs, row, own=own), 0.5, at_least=True)
        spent = []
        for _ in range(MANY // COUNT):
            ours.load(row, own=True)
            theirs.load(row, own=True)
            spent.append(ours.loads[-1].cpu_us / theirs.loads[-1].cpu_us)
    title = "a row created among 100,000 / among few, CPU"
    yield Figure(title, median(spent[-7:]) / median(spent[:7]), 1.15)


if __name__ == "__main__":
    for figure in figures(" ".join(sys.argv[1:])):
        sys.stdout.write(f"{figure}\n")
        sys.stdout.flush()
