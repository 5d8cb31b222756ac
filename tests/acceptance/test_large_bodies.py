"""Bodies of any size pass a real capture: in little memory, beside others, always redacted."""

import json
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from typing_extensions import override

from mockserver.cassettes.files import read_cassette
from mockserver.cassettes.files.body_files import files_of, read_body
from tests.acceptance.canary import SECRETS
from tests.acceptance.test_capture_files import Watch, left_in
from tests.benchmarks.large_bodies import LARGEST_MB, Cost, forward_cost, reverse_cost
from tests.captures import CaptureProcess

pytestmark = pytest.mark.slow

NOISE = Random(11).randbytes(6_000_000)
PROSE = "walks by the river and rests there "
SECRET = SECRETS["basic_password"]
EVENTS = "".join(
    json.dumps({"number": number, "password": SECRET, "text": PROSE * 40}) + "\n"
    for number in range(3_200)
).encode()


class Api(BaseHTTPRequestHandler):
    """An API of large answers, some of which never end."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        content = EVENTS if self.path == "/events" else NOISE
        media = "application/x-ndjson" if self.path == "/events" else "video/mp4"
        status, start, end = 200, 0, len(content)
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if wanted:
            status, start, end = 206, int(wanted[1]), int(wanted[2]) + 1
        self.send_response(status)
        self.send_header("Content-Type", media)
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(content)}")
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        if self.path == "/half":
            end = len(content) // 2
        self.wfile.write(content[start:end])
        if self.path == "/half":
            with suppress(OSError):
                self.rfile.read(1)  # until the client has gone

    @override
    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize("ask", [reverse_cost, forward_cost])
def test_a_hundred_megabytes_pass_in_little_memory_and_hold_nobody_up(
    ask: Callable[[], Cost],
) -> None:
    began = time.process_time()
    for _ in range(100_000_000 // len(NOISE)):
        sum(1 for _ in re.finditer(rb"[\x20-\x7e]{20,}", NOISE))
    reference = time.process_time() - began
    found = ask()
    assert found.above_mb < LARGEST_MB
    # a busy machine is slow to all; who waits for the redaction waits as long as that takes
    assert found.p99_ms < max(10 * found.before_ms, 1000 * found.took_s / 4)
    assert found.cpu_s < 5 * reference


def test_no_secret_of_a_large_body_is_in_any_file_at_any_moment(tmp_path: Path, api: str) -> None:
    with (
        Watch(tmp_path) as watch,
        CaptureProcess(tmp_path, "--upstream", api, "--cassette=a.yaml") as capture,
    ):
        assert httpx.get(f"{capture.url}/events", trust_env=False, timeout=120).content == EVENTS
        capture.end()
    assert watch.found | left_in(tmp_path) == set()
    [file] = files_of(read_cassette(tmp_path / "a.yaml").interactions)
    lines = [json.loads(line) for line in read_body(file).splitlines()]
    assert [line["number"] for line in lines] == list(range(3_200))
    assert {line["text"] for line in lines} == {PROSE * 40}


def test_half_a_body_of_a_killed_capture_is_taken_for_no_body(tmp_path: Path, api: str) -> None:
    with CaptureProcess(tmp_path, "--upstream", api, "--cassette=a.yaml") as capture:
        httpx.get(f"{capture.url}/noise", trust_env=False, timeout=60)
        with httpx.stream("GET", f"{capture.url}/half", trust_env=False, timeout=60) as answer:
            got = 0
            for piece in answer.iter_raw():
                got += len(piece)
                if got > 2_000_000:
                    break
            capture.end(signal.SIGKILL)
    [one] = read_cassette(tmp_path / "a.recording.yaml").interactions
    assert one.response.file is not None
    assert read_body(one.response.file) == NOISE
    named = [path.name for path in (tmp_path / "a.bodies").glob("*.bin")]
    assert named == [f"{one.response.file.digest}.bin"]


def test_where_a_body_has_no_room_the_others_are_recorded(tmp_path: Path, api: str) -> None:
    limit = "ulimit -f 4000"  # KiB that a file may have
    with CaptureProcess(tmp_path, "--upstream", api, "--cassette=a.yaml", limit=limit) as capture:
        assert httpx.get(f"{capture.url}/noise", trust_env=False, timeout=60).content == NOISE
        head = {"Range": "bytes=100-2000099"}
        part = httpx.get(f"{capture.url}/part", headers=head, trust_env=False, timeout=60)
        assert part.content == NOISE[100:2_000_100]
        capture.end()
    [one] = read_cassette(tmp_path / "a.yaml").interactions
    assert one.response.status == 206
    assert one.response.file is not None
    assert read_body(one.response.file) == part.content
    assert "not recorded" in capture.messages
    assert os.strerror(27) in capture.messages
