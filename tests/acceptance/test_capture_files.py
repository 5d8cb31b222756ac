"""No planted secret is in any file at any moment of a capture, nor after it was killed."""

import contextlib
import json
import signal
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

import httpx
import pytest
from typing_extensions import override

from mockserver.cassettes.files import read_cassette
from tests.acceptance.canary import RECEIPT, SECRETS, STEPS, Canary, converse
from tests.captures import CaptureProcess

pytestmark = pytest.mark.slow

PLANTED = [*SECRETS.values(), RECEIPT]


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    with Canary() as canary:
        yield canary.url


def left_in(folder: Path) -> set[str]:
    """The planted secrets that any file of a folder holds now."""
    found: set[str] = set()
    for path in folder.rglob("*"):
        try:
            content = path.read_bytes() if path.is_file() else b""
        except FileNotFoundError:  # it got another name
            continue
        found |= {secret for secret in PLANTED if secret.encode() in content}
    return found


class Watch:
    """Looks at the files of a folder again and again.

    Attributes:
        found: What was ever in one of them.
        looks: How often it has looked.
    """

    def __init__(self, folder: Path) -> None:
        self.found: set[str] = set()
        self.looks = 0
        self._folder = folder
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def _look(self) -> None:
        while not self._over.is_set():
            self.found |= left_in(self._folder)
            self.looks += 1

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


def test_no_secret_is_in_any_file_at_any_moment(tmp_path: Path, api: str) -> None:
    with (
        Watch(tmp_path) as watch,
        CaptureProcess(tmp_path, "--upstream", api, "--cassette=a.yaml", "--verbose") as capture,
    ):
        for _ in range(3):
            converse(capture.url)
            httpx.get(f"{capture.url}/v1/receipt", trust_env=False)
        capture.end()
    assert watch.looks > 10
    assert watch.found | left_in(tmp_path) == set()
    assert len(read_cassette(tmp_path / "a.yaml").interactions) == 3 * len(STEPS)


LATE = "usr_8YeKq2Zt"


class Directory(BaseHTTPRequestHandler):
    """An API whose paths have an id before any answer tells whose it is."""

    def do_GET(self) -> None:
        person = {"id": LATE, "email": "ada@quillbrook.io"}
        body = json.dumps(person if self.path == "/people" else {"at": 1}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @override
    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Meeting(Watch):
    """Looks whether an id stands in a file that has what told whose it is."""

    @override
    def _look(self) -> None:
        while not self._over.is_set():
            for path in self._folder.glob("*.yaml"):
                with contextlib.suppress(FileNotFoundError):  # it got another name
                    content = path.read_bytes()
                    if b"/people" in content and LATE.encode() in content:
                        self.found.add(path.name)
            self.looks += 1


def test_an_id_is_gone_from_what_waits_once_an_answer_tells_whose_it_is(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Directory) as server:
        threading.Thread(target=server.serve_forever).start()
        url = f"http://127.0.0.1:{server.server_port}"
        with (
            Meeting(tmp_path) as watch,
            CaptureProcess(tmp_path, "--upstream", url, "--cassette=a.yaml") as capture,
        ):
            for path in (f"/users/{LATE}", f"/users/{LATE}/keys", "/people", "/done"):
                httpx.get(capture.url + path, trust_env=False)
            held = tmp_path / "a.recording.yaml"
            before = held.read_bytes()
            while b"/done" not in before:
                before = held.read_bytes()
            assert LATE.encode() not in before
            capture.end()
        server.shutdown()
    assert watch.found == set()
    assert len(read_cassette(tmp_path / "a.yaml").interactions) == 4


@pytest.mark.parametrize("steps", [1, 7, len(STEPS)])
def test_a_killed_capture_leaves_no_secret_and_loses_no_interaction(
    tmp_path: Path, api: str, steps: int
) -> None:
    names = list(STEPS)[:steps]
    with CaptureProcess(tmp_path, "--upstream", api, "--cassette=a.yaml") as capture:
        converse(capture.url, names)
        capture.end(signal.SIGKILL)
    assert left_in(tmp_path) == set()
    assert len(read_cassette(tmp_path / "a.recording.yaml").interactions) == steps
