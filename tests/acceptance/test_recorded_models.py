"""Recorded runs with models and tools replay offline, to the byte, through unchanged SDKs."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from typing_extensions import override

from tests.captures import KEY
from tests.clients.node import modules_of
from tests.mockserver.models.suites import write_script
from tests.warm import programs, run

pytestmark = pytest.mark.slow

SECRET = "sk-live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c"
PROGRAMS = Path(__file__).parent / "programs"
NODE_SDKS = ("openai@7.57.0", "@anthropic-ai/sdk@1.12.0")
SCRIPT = """
stream: {characters: 5, gap_ms: 2}
replies:
  - {user: hello, text: Hi there!}
  - {user: weather, result: false, calls: {get_weather: {city: Zurich}}}
  - {result: get_weather, text: "{{ result.degrees }} degrees in {{ result.city }}"}
"""


class Weather(BaseHTTPRequestHandler):
    """A tool's API, which says another number each time."""

    asked = 0

    def do_GET(self) -> None:
        type(self).asked += 1
        body = json.dumps({"degrees": self.asked, "city": self.path.partition("=")[2]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def live_world(folder: Path) -> Iterator[dict[str, str]]:
    """The variables of a live world: models in every dialect, and an API; gone afterwards."""
    api = ThreadingHTTPServer(("127.0.0.1", 0), Weather)
    Thread(target=api.serve_forever, daemon=True).start()
    options = ("--fixtures", str(write_script(folder, SCRIPT)), "--port=0", "--no-proxy")
    models = subprocess.Popen(
        [str(programs() / "mockserver"), "serve", *options], stdout=subprocess.PIPE, text=True
    )
    try:
        assert models.stdout is not None
        url = models.stdout.readline().partition("ready at ")[2].split()[0]
        yield {
            "OPENAI_BASE_URL": f"{url}/models/openai/v1",
            "ANTHROPIC_BASE_URL": f"{url}/models/anthropic",
            "GOOGLE_GEMINI_BASE_URL": f"{url}/models/gemini",
            **{f"{name}_API_KEY": SECRET for name in ("OPENAI", "ANTHROPIC", "GOOGLE")},
            "WEATHER_URL": f"http://127.0.0.1:{api.server_port}",
        }
    finally:
        models.terminate()
        models.communicate()
        api.shutdown()
        api.server_close()


def understudy(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    environment = {**plain, "MOCKSERVER_REDACTION_KEY": KEY, **environ}
    return run("mockserver", *arguments, cwd=folder, env=environment)


def node() -> tuple[list[str], dict[str, str]]:
    modules = modules_of(*NODE_SDKS)
    if isinstance(modules, str):
        pytest.skip(modules)
    return ["node", str(PROGRAMS / "model_run.mjs"), "openai", "anthropic"], {
        "MODULES": str(modules)
    }


def python() -> tuple[list[str], dict[str, str]]:
    return [sys.executable, str(PROGRAMS / "model_run.py"), "openai", "anthropic", "genai"], {}


@pytest.mark.parametrize("program", [python, node])
def test_a_recorded_run_replays_twice_to_the_byte(
    tmp_path: Path, program: Callable[[], tuple[list[str], dict[str, str]]]
) -> None:
    command, environ = program()
    with live_world(tmp_path / "live") as block:
        first = understudy(tmp_path, "record", "--", *command, **block, **environ)
    assert first.returncode == 0, first.stderr
    assert len(first.stdout.splitlines()) > 20
    assert SECRET not in (tmp_path / "cassette.yaml").read_text("utf-8")
    for _ in range(2):
        again = understudy(tmp_path, "replay", "--strict", "--", *command, **environ)
        assert again.returncode == 0, again.stderr
        assert again.stdout == first.stdout
        assert " 0 missing; 0 recordings unused" in again.stderr
