"""`make peers`: mock servers beside ours in one run, each on one core, as one table.

WireMock's jar and aimock come from npm, into the user's cache; Starlette is a dependency of ours.
Hoverfly is in no registry that this project uses: HOVERFLY=/path/to/hoverfly names its program.
Each is asked twice: with heads that repeat, and with heads of their own, which have a trace, a
request id and an idempotency key, as those of traced agents. WireMock and Hoverfly run without a
journal; ours is kept.

Requests per second need a core for the client; CPU of a request holds on a busy machine, too.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from itertools import count as numbers
from itertools import cycle
from pathlib import Path
from statistics import median

from tests.benchmarks.hoverfly_speed import BODY, HOST, PATHS, hoverfly_command, pin, stub_suite
from tests.benchmarks.servers import (
    COMMON,
    OWN,
    free_port,
    load,
    mock_server,
    process,
    reference_server,
    uvicorn_server,
)

PACKAGES = {"@copilotkit/aimock": "1.43.0", "wiremock": "3.13.2"}
ROUNDS, COUNT, CONNECTIONS = 5, 3000, 16
WARM = 3000
START_S = 120
"""How long a peer may take to start; a busy machine takes half a minute for a JVM."""

REPLY = "Hello. How can I help you today?"
ASKED = json.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": "Hello"}]}).encode()
COMPLETIONS = "/v1/chat/completions"
OURS = f"/models/openai{COMPLETIONS}"
RAW, STARLETTE = "constant raw ASGI", "Starlette, a route and a dictionary"
HEADS = (("repeated", False), ("of their own", True))


@dataclass
class Contestant:
    """A server under test.

    Attributes:
        name: What the table calls it.
        port: Where it answers.
        pid: Its process.
        paths: What it is asked, in turn.
        content: The body of each request.
        rates: Requests per second of each round, by the kind of heads.
        spent: Microseconds of CPU for a request, the same.
    """

    name: str
    port: int
    pid: int
    paths: Sequence[str]
    content: bytes = b""
    rates: dict[str, list[float]] = field(default_factory=dict)
    spent: dict[str, list[float]] = field(default_factory=dict)

    def run(self, heads: str, *, own_heads: bool) -> None:
        asked = self.requests(own_heads=own_heads)
        found = load(self.port, asked, pid=self.pid, count=COUNT, connections=CONNECTIONS)
        self.rates.setdefault(heads, []).append(found.per_second)
        self.spent.setdefault(heads, []).append(found.cpu_us)

    def requests(self, *, own_heads: bool) -> Iterator[bytes]:
        """Requests without end."""
        for number, path in zip(numbers(time.time_ns()), cycle(self.paths), strict=False):
            own = OWN % (number, number, number, number % 10**12) if own_heads else b""
            yield asked(path, self.content, own)


def asked(path: str, content: bytes = b"", own: bytes = b"") -> bytes:
    verb = "POST" if content else "GET"
    length = f"Content-Length: {len(content)}\r\nContent-Type: application/json\r\n"
    head = f"{verb} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{COMMON}{length if content else ''}"
    return head.encode() + own + b"\r\n" + content


Started = AbstractContextManager[tuple[int, int]]
"""A server that yields its port and pid while it runs."""


def main() -> None:
    packages = _packages()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, started in (
            ("1,000 stubs, GET", partial(_stubs, folder, packages)),
            ("a completion, POST", partial(_completions, folder, packages)),
        ):
            with contextlib.ExitStack() as running:
                contestants = [*started(running)]
                _compete(contestants)
            sys.stdout.write("".join(_lines(title, contestants)))


def _stubs(
    folder: Path, packages: Path | None, running: contextlib.ExitStack
) -> Iterator[Contestant]:
    port, pid = running.enter_context(mock_server(stub_suite(folder / "suite")))
    own = [f"/{HOST}{path}" for path in PATHS]

    def start(name: str, started: Started, paths: Sequence[str] = PATHS) -> Contestant:
        return Contestant(name, *running.enter_context(started), paths)

    yield start(RAW, reference_server(port, asked(own[0])), ["/"])
    yield start(STARLETTE, _starlette())
    if packages is not None and _is_there("java", "WireMock"):
        yield start("WireMock", _wiremock(folder / "wiremock", packages))
    if program := os.environ.get("HOVERFLY", ""):
        free = free_port()
        yield start("Hoverfly, cached", _server(free, hoverfly_command(program, folder, free)))
    else:
        _leave_out("Hoverfly", "name its program, HOVERFLY=/path/to/hoverfly")
    yield Contestant("Understudy", port, pid, own)


def _completions(
    folder: Path, packages: Path | None, running: contextlib.ExitStack
) -> Iterator[Contestant]:
    models = folder / "replies" / "models"
    models.mkdir(parents=True)
    script = {"replies": [{"user": "weather", "text": "It rains."}, {"text": REPLY}]}
    (models / "assistant.yaml").write_text(json.dumps(script), encoding="utf-8")
    port, pid = running.enter_context(mock_server(models.parent))

    def start(name: str, started: Started, path: str = COMPLETIONS) -> Contestant:
        return Contestant(name, *running.enter_context(started), [path], ASKED)

    yield start(RAW, reference_server(port, asked(OURS, ASKED)), "/")
    yield start(STARLETTE, _starlette())
    if packages is not None:
        yield start("aimock", _aimock(folder, packages))
    yield Contestant("Understudy", port, pid, [OURS], ASKED)


def _starlette() -> Started:
    return uvicorn_server("tests.benchmarks.starlette_reference:app", PATHS[0])


@contextlib.contextmanager
def _server(port: int, command: Sequence[str], path: str = PATHS[0]) -> Iterator[tuple[int, int]]:
    with process(*command, port=port, path=path, seconds=START_S) as pid:
        yield port, pid


def _wiremock(folder: Path, packages: Path) -> Started:
    mappings = folder / "mappings"
    mappings.mkdir(parents=True)
    answer = {"status": 200, "jsonBody": BODY, "headers": {"Content-Type": "application/json"}}
    stubs = [{"request": {"method": "GET", "url": path}, "response": answer} for path in PATHS]
    (mappings / "all.json").write_text(json.dumps({"mappings": stubs}), encoding="utf-8")
    (jar,) = (packages / "node_modules" / "wiremock" / "build").glob("*.jar")
    port = free_port()
    command = (
        "java", "-jar", str(jar), "--port", str(port), "--bind-address", "127.0.0.1",
        "--root-dir", str(folder), "--no-request-journal", "--disable-banner", "--disable-gzip",
    )  # fmt: skip
    return _server(port, command)


def _aimock(folder: Path, packages: Path) -> Started:
    rain = {"match": {"userMessage": "weather"}, "response": {"content": "It rains."}}
    fixtures = {"fixtures": [rain, {"match": {}, "response": {"content": REPLY}}]}
    file = folder / "fixtures.json"
    file.write_text(json.dumps(fixtures), encoding="utf-8")
    program = packages / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
    port = free_port()
    command = ("node", str(program), "-p", str(port), "-f", str(file), "--log-level", "silent")
    return _server(port, command, "/health")


def _packages() -> Path | None:
    """The folder of the peers that npm has; they are installed once. None without Node."""
    if not _is_there("npm", ", ".join(PACKAGES)):
        return None
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "understudy" / "peer-servers"
    ready = folder / ".ready"
    wanted = json.dumps(PACKAGES)
    if not ready.is_file() or ready.read_text(encoding="utf-8") != wanted:
        folder.mkdir(parents=True, exist_ok=True)
        named = [f"{name}@{version}" for name, version in PACKAGES.items()]
        install = ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
        subprocess.run((*install, "--prefix", str(folder), *named), check=True)
        ready.write_text(wanted, encoding="utf-8")
    return folder


def _is_there(program: str, who: str) -> bool:
    found = shutil.which(program) is not None
    if not found:
        _leave_out(who, f"there is no {program}")
    return found


def _leave_out(who: str, why: str) -> None:
    sys.stderr.write(f"left out: {who}: {why}\n")


def _compete(contestants: list[Contestant]) -> None:
    for each in contestants:
        load(each.port, each.requests(own_heads=False), count=WARM, connections=CONNECTIONS)
        pin(each.pid)
    for _ in range(ROUNDS):
        for heads, own_heads in HEADS:
            for each in contestants:
                each.run(heads, own_heads=own_heads)


def _lines(title: str, contestants: list[Contestant]) -> Iterator[str]:
    """A table of Markdown: requests per second and CPU of a request, for both kinds of heads.

    Yields:
        Each line.
    """
    columns = [f"{what}, heads {heads}" for heads, _ in HEADS for what in
               ("requests/s", "CPU of a request, us", "CPU of raw ASGI / its own")]  # fmt: skip
    yield f"\n| {title} | {' | '.join(columns)} |\n|---|{'--:|' * len(columns)}\n"
    raw = next(each for each in contestants if each.name == RAW)
    for each in contestants:
        cells = []
        for heads, _ in HEADS:
            pairs = zip(raw.spent[heads], each.spent[heads], strict=True)
            cells += [
                f"{median(each.rates[heads]):,.0f}",
                f"{median(each.spent[heads]):,.0f}",
                f"{median(theirs / own for theirs, own in pairs):.2f}",
            ]
        yield f"| {each.name} | {' | '.join(cells)} |\n"


if __name__ == "__main__":
    main()
