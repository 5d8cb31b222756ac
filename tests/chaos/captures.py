"""`mockserver capture proxy`, struck at an operation on its files while a client asks.

Whatever a client got an answer to before the strike must be in the cassette afterwards, as the
undisturbed capture has it; what was answered after a disk failed must at least be told.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx

from mockserver.cassettes.files import read_cassette
from mockserver.errors import MockServerError
from tests.chaos.processes import Ended, Forked, mockserver
from tests.chaos.strikes import STRIKES, Strike, nothing
from tests.chaos.subjects import Found, Striker, Subject, unlike
from tests.patience import PATIENCE_S, wait_until
from tests.ports import free_port

REQUESTS = 12

UPSTREAM = """
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class People(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        number = self.path.rsplit("/", 1)[-1]
        person = {"id": number, "email": f"person{number}@example.org", "notes": "x" * 2000}
        body = json.dumps(person).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

server = ThreadingHTTPServer(("127.0.0.1", 0), People)
print(server.server_port, flush=True)
server.serve_forever()
"""


class Captures:
    """Captures of one API, by one client."""

    def __init__(self, folder: Path, upstream: str) -> None:
        self._upstream = upstream
        warm, _ = self.capture(folder / "warm")
        self.whole, answered = self.capture(folder / "whole")
        assert (self.whole.code, len(answered)) == (0, REQUESTS), (warm, self.whole)
        self.cassette = _interactions(folder / "whole" / "files" / "people.yaml")

    def capture(
        self, folder: Path, strike: Strike = nothing, at: int = -1
    ) -> tuple[Ended, list[str]]:
        """Capture in a fork: how it ended, and the paths that were answered."""
        files = folder / "files"
        files.mkdir(parents=True)
        port = free_port()
        program = mockserver(
            *("capture", "proxy", "--upstream", self._upstream, "--port", str(port)),
            *("--cassette", str(files / "people.yaml")),
        )
        process = Forked(program, folder, files, strike, at)
        answered = []
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            wait_until(lambda: _listens(client) or not process.runs(), "a capture")
            for number in range(REQUESTS):
                path = f"/people/{number}"
                try:
                    if client.get(path, timeout=PATIENCE_S).status_code == 200:
                        answered.append(path)
                except httpx.HTTPError:
                    continue
        process.send(signal.SIGINT)
        return process.wait(), answered

    def compare(self, folder: Path, what: str, struck: Ended, answered: list[str]) -> Found:
        """Make the cassette of what a struck capture left, and hold it against the whole one."""
        differences = []
        if struck.traceback:
            differences.append(f"a traceback: {struck.traceback}")
        if struck.code == 124:
            differences.append(f"it did not end: {struck.messages[-600:]}")
        cassette = folder / "files" / "people.yaml"
        left = cassette.with_name("people.recording.yaml")
        left_over = left.exists()
        if left_over:
            finish = mockserver("capture", "finish", str(left))
            ended = Forked(finish, folder, folder / "files").wait()
            if ended.code and "no whole interaction" not in ended.messages:
                differences.append(f"finish ends with {ended.code}: {ended.messages[-600:]}")
        try:
            found = _interactions(cassette) if cassette.exists() else {}
        except MockServerError as error:
            return Found(what, (f"the cassette: {error}",), tuple(differences))
        lost = [path for path in answered if path not in found]
        # an error at the end has told of it; a power cut may take what is no cassette yet
        excused = struck.code > 0 or ("power cut" in what and left_over)
        losses = [] if excused else [f"{path} was answered and is lost" for path in lost]
        differences += unlike({path: self.cassette.get(path) for path in found}, found)
        return Found(what, tuple(losses), tuple(differences))


def _listens(client: httpx.Client) -> bool:
    try:
        client.get("/people/0", timeout=PATIENCE_S)
    except httpx.HTTPError:
        return False
    return True


def _interactions(cassette: Path) -> dict[str, Any]:
    """What a cassette has, by path."""
    return {
        httpx.URL(each.request.url).path: [each.response.status, each.response.body.decode()]
        for each in read_cassette(cassette).interactions
    }


def _struck(captures: Captures, name: str, strike: Strike) -> Striker:
    def once(folder: Path, random: Random) -> Found:
        at = random.randrange(captures.whole.operations)
        struck, answered = captures.capture(folder, strike, at)
        what = f"capture, {name}, operation {at} of {captures.whole.operations}"
        return captures.compare(folder, what, struck, answered)

    return once


@contextmanager
def opened(folder: Path) -> Iterator[Mapping[str, Striker]]:
    """Captures of an API of their own."""
    os.environ["MOCKSERVER_REDACTION_KEY"] = "a redaction key for chaos"
    with subprocess.Popen(
        [sys.executable, "-c", UPSTREAM], stdout=subprocess.PIPE, text=True
    ) as upstream:
        try:
            assert upstream.stdout is not None
            port = upstream.stdout.readline().strip()
            captures = Captures(folder, f"http://127.0.0.1:{port}")
            yield {name: _struck(captures, name, strike) for name, strike in STRIKES.items()}
        finally:
            upstream.kill()


SUBJECT = Subject("capture", opened)
