"""The marker `cassette`, as a project would use it: pytest in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tapes import recorded, written

pytestmark = pytest.mark.slow

SUITE = """
import httpx, pytest

URL = "https://api.example.com/v1/units"

@pytest.mark.cassette("tape.yaml")
def test_played():
    assert httpx.get(URL).json() == {"name": "first"}

@pytest.mark.cassette("tape.yaml")
def test_missed():
    httpx.get(URL)
    try:
        httpx.get(URL + "/9")
    except Exception:
        pass  # as an agent might

@pytest.mark.cassette("two.yaml")
def test_unused():
    httpx.get(URL)

@pytest.mark.cassette("two.yaml", strict=False)
def test_lenient(cassette):
    httpx.get(URL)
    assert len(cassette.player.unused()) == 1

@pytest.mark.cassette()
def test_own_name_is_not_there():
    pass

def test_no_marker(cassette):
    pass

@pytest.mark.cassette("tape.yaml", mood="none")
def test_misspelt():
    pass

def test_untouched():
    pass
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("project")
    written(folder, [recorded()])
    written(folder, [recorded(), recorded(path="/v1/other")], name="two.yaml")
    (folder / "test_units.py").write_text(SUITE, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n", encoding="utf-8")
    return ran(folder)


def ran(folder: Path, *options: str) -> str:
    plugin = ["-p", "mockserver.testing.plugin"]
    quiet = ["-q", "-rA", "--tb=short", "-p", "no:cacheprovider", "-p", "no:randomly"]
    command = [sys.executable, "-m", "pytest", *quiet, *_own(plugin), *options, str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _own(plugin: list[str]) -> list[str]:
    """The plugin by name, unless it is installed as one."""
    from importlib.metadata import entry_points

    known = {each.value for each in entry_points(group="pytest11")}
    return [] if plugin[1] in known else plugin


@pytest.mark.parametrize("name", ["test_played", "test_lenient", "test_untouched"])
def test_what_passes(outcome: str, name: str) -> None:
    assert f"PASSED test_units.py::{name}" in outcome


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("test_missed", "no recording: "),
        ("test_unused", "unused: GET https://api.example.com/v1/other (#2 of two.yaml)"),
        ("test_own_name_is_not_there", "cassettes/test_units/test_own_name_is_not_there.yaml"),
        ("test_no_marker", "the fixture `cassette` needs the marker"),
        (
            "test_misspelt",
            "cassette takes a file and barriers, exact, match, mode, redaction, repeats, strict",
        ),
    ],
)
def test_what_fails_and_why(outcome: str, name: str, says: str) -> None:
    assert f"ERROR test_units.py::{name}" in outcome
    assert says in outcome


def test_a_run_may_record_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key of these tests")
    (tmp_path / "test_live.py").write_text(
        "import httpx, pytest, threading\n"
        "from http.server import BaseHTTPRequestHandler, HTTPServer\n"
        "class Live(BaseHTTPRequestHandler):\n"
        "    def do_GET(self):\n"
        "        self.send_response(200); self.send_header('Content-Length', '2')\n"
        "        self.end_headers(); self.wfile.write(b'ok')\n"
        "    def log_message(self, *args): pass\n"
        "server = HTTPServer(('127.0.0.1', 0), Live)\n"
        "threading.Thread(target=server.serve_forever, daemon=True).start()\n"
        "@pytest.mark.cassette()\n"
        "def test_live():\n"
        "    url = f'http://127.0.0.1:{server.server_port}/x'\n"
        "    assert httpx.get(url, trust_env=False).text == 'ok'\n"
        "@pytest.mark.cassette()\n"
        "async def test_async_live():\n"
        "    async with httpx.AsyncClient(trust_env=False) as client:\n"
        "        answer = await client.get(f'http://127.0.0.1:{server.server_port}/x')\n"
        "    assert answer.text == 'ok'\n",
        encoding="utf-8",
    )
    said = ran(tmp_path, "--cassette-mode=once", "-o", "asyncio_mode=auto")
    assert "2 passed" in said, said
    made = sorted(path.name for path in (tmp_path / "cassettes" / "test_live").iterdir())
    assert made == ["test_async_live.yaml", "test_live.yaml"]
