"""1,000 stubs against Hoverfly with its cache full: requests per second, each on one core.

Hoverfly is no package of any registry that this project uses: name its program, else this is left
out: `make bench BENCH=hoverfly_speed HOVERFLY=/path/to/hoverfly`, or
`python -m tests.benchmarks.hoverfly_speed /path/to/hoverfly`.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.servers import free_port, mock_server, process, requests_per_second

ROUNDS = 7
STUBS = 1000
HOST = "api.example.com"
BODY = {"name": "Unit", "parts": [{"id": f"part-{number}"} for number in range(20)]}
PATHS = [f"/v1/units/{number:04}" for number in range(STUBS)]
"""All of one length, so that all answers have one size."""


def figures() -> Iterator[Figure]:
    program = os.environ.get("HOVERFLY", "")
    if not program:
        sys.stdout.write("hoverfly_speed: left out: name the program, HOVERFLY=/path/to/hoverfly\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        yield against_hoverfly(program, Path(folder))


def against_hoverfly(program: str, folder: Path) -> Figure:
    peer_port = free_port()
    command = _command(program, folder, peer_port)
    with (
        mock_server(_suite(folder / "suite")) as (port, own),
        process(*command, port=peer_port, path=PATHS[0]) as peer,
    ):
        for pid in (own, peer):
            _pin(pid)
        here = [f"/{HOST}{path}" for path in PATHS]
        for each, asked in ((port, here), (peer_port, PATHS)):
            requests_per_second(each, asked, count=3 * STUBS)  # caches are full from here on
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(requests_per_second(port, here))
            theirs.append(requests_per_second(peer_port, PATHS))
    name = "1,000 stubs / Hoverfly, cached, requests/s"
    return Figure(name, ratio(ours, theirs), 1.1, at_least=True)


def _pin(pid: int) -> None:
    """Let all threads of a server run on one core, which leaves another one to the client."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), {min(os.sched_getaffinity(0))})


def _command(program: str, folder: Path, port: int) -> list[str]:
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
        "env", "GOMAXPROCS=1", program, "-webserver", "-listen-on-host", "127.0.0.1",
        "-pp", str(port), "-ap", str(free_port()), "-import", str(file),
        "-cache-size", str(2 * STUBS), "-log-level", "error", "-disable-journal",
    ]  # fmt: skip


def _suite(folder: Path) -> Path:
    base = folder / "base"
    base.mkdir(parents=True)
    stubs = [{"method": "GET", "url": f"https://{HOST}{path}", "body": BODY} for path in PATHS]
    (base / "http.json").write_text(json.dumps({"http": stubs}), encoding="utf-8")
    return folder


if __name__ == "__main__":
    os.environ["HOVERFLY"] = sys.argv[1] if len(sys.argv) > 1 else ""
    for figure in figures():
        sys.stdout.write(f"{figure}\n")
