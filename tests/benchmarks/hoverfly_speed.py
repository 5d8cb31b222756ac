"""1,000 stubs against Hoverfly with its cache full: requests per second, each on one core.

Hoverfly is no package of any registry that this project uses: name its program, else this is left
out: `make bench BENCH=hoverfly_speed HOVERFLY=/path/to/hoverfly`, or
`python -m tests.benchmarks.hoverfly_speed /path/to/hoverfly`.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count as numbers
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.servers import (
    COMMON,
    OWN,
    free_port,
    load,
    mock_server,
    process,
)

ROUNDS = 7
STUBS = 1000
COUNT, CONNECTIONS = 6000, 32
HOST = "api.example.com"
BODY = {"name": "Unit", "parts": [{"id": f"part-{number}"} for number in range(20)]}
PATHS = [f"/v1/units/{number:04}" for number in range(STUBS)]
"""All of one length, so that all answers have one size."""


@dataclass
class Contestant:
    """A server under test.

    Attributes:
        port: Where it answers.
        pid: Its process.
        paths: What it is asked, in turn.
        rates: Requests per second of each round.
        spent: Microseconds of CPU for a request, of each round.
    """

    port: int
    pid: int
    paths: list[str]
    rates: list[float] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)

    def run(self, *, own: bool) -> None:
        asked = self.requests() if own else cycle(list(islice(self.requests(), STUBS)))
        found = load(self.port, asked, pid=self.pid, count=COUNT, connections=CONNECTIONS)
        self.rates.append(found.per_second)
        self.spent.append(found.cpu_us)

    def requests(self) -> Iterator[bytes]:
        """Requests without end, each with a head of its own."""
        for number, path in zip(numbers(time.time_ns()), cycle(self.paths), strict=False):
            head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{COMMON}".encode()
            yield head + OWN % (number, number, number, number % 10**12) + b"\r\n"


def figures() -> Iterator[Figure]:
    program = os.environ.get("HOVERFLY", "")
    if not program:
        sys.stdout.write("hoverfly_speed: left out: name the program, HOVERFLY=/path/to/hoverfly\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        yield from against_hoverfly(program, Path(folder))


def against_hoverfly(program: str, folder: Path) -> Iterator[Figure]:
    peer_port = free_port()
    command = hoverfly_command(program, folder, peer_port)
    with (
        mock_server(stub_suite(folder / "suite")) as (port, own),
        process(*command, port=peer_port, path=PATHS[0]) as peer,
    ):
        ours = Contestant(port, own, [f"/{HOST}{path}" for path in PATHS])
        theirs = Contestant(peer_port, peer, PATHS)
        for each in (ours, theirs):
            pin(each.pid)
        for own, goal in ((False, 1.0), (True, 0.8)):
            for each in (ours, theirs):
                each.run(own=own)  # caches are full then
                each.rates, each.spent = [], []
            for _ in range(ROUNDS):
                ours.run(own=own)
                theirs.run(own=own)
            kind = "own heads" if own else "repeated"
            rates, spent = ratio(ours.rates, theirs.rates), ratio(theirs.spent, ours.spent)
            name = f"1,000 stubs / Hoverfly, cached, {kind}"
            yield Figure(f"{name}, requests/s", rates, goal, at_least=True)
            yield Figure(f"{name}, CPU", spent, goal, at_least=True)
            for who, each in (("ours", ours), ("Hoverfly", theirs)):
                yield Figure(f"  {who}, requests/s", median(each.rates), 0, at_least=True)
                yield Figure(f"  {who}, CPU", median(each.spent), 0, "us", at_least=True)


def pin(pid: int) -> None:
    """Let all threads of a server run on one core, which leaves another one to the client."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), {min(os.sched_getaffinity(0))})


def hoverfly_command(program: str, folder: Path, port: int) -> list[str]:
    """Its command line: without a journal, though ours is kept."""
    exact = "exact"
    pairs = [
        {
            "request": {
                "method": [{"matcher": exact, "value": "GET"}],
                "path": [{"matcher": exact, "value": path}],
            },
            "response": {
                "status": 200,
                "body": json.dumps(BODY),
                "encodedBody": False,
                "templated": False,
                "headers": {"Content-Type": ["application/json"]},
            },
        }
        for path in PATHS
    ]
    delays: dict[str, list[object]] = {"delays": [], "delaysLogNormal": []}
    simulation = {
        "data": {"pairs": pairs, "globalActions": delays},
        "meta": {"schemaVersion": "v5.2"},
    }
    file = folder / "simulation.json"
    file.write_text(json.dumps(simulation), encoding="utf-8")
    return [
        "env", "GOMAXPROCS=1", str(Path(program).resolve()), "-webserver",
        "-listen-on-host", "127.0.0.1", "-pp", str(port), "-ap", str(free_port()),
        "-import", str(file), "-cache-size", str(2 * STUBS), "-journal-size", "0",
        "-log-level", "error",
    ]  # fmt: skip


def stub_suite(folder: Path) -> Path:
    base = folder / "base"
    base.mkdir(parents=True)
    stubs = [{"method": "GET", "url": f"https://{HOST}{path}", "body": BODY} for path in PATHS]
    (base / "http.json").write_text(json.dumps({"http": stubs}), encoding="utf-8")
    return folder


if __name__ == "__main__":
    os.environ["HOVERFLY"] = sys.argv[1] if len(sys.argv) > 1 else ""
    for figure in figures():
        sys.stdout.write(f"{figure}\n")
