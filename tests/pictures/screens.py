"""Takes docs/img/runs.png, the console of runs, and docs/img/report.png, a report, in Chromium."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import Browser

from tests.browsers import chromium
from tests.mockserver.console.picture import mock_server
from tests.patience import PATIENCE_S, wait_until
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "img"
WIDE, HEIGHT = 1280, 720
_PROGRAMS = str(Path(sys.executable).parent)
_PROGRAM = str(Path(_PROGRAMS, "understudy"))
_AGENT = "command:python suites/travel/agent/travel_agent.py"
RUNS = (
    ("content-review", "oracle"),
    ("coding-tasks", "oracle"),
    ("travel", _AGENT),
    ("travel", f"{_AGENT} --flawed claims-write"),
)
"""What is run before, suite and agent: the newest is shown first, and its report."""


def _understudy(*arguments: str, folder: Path) -> None:
    subprocess.run(
        [_PROGRAM, *arguments],
        cwd=folder,
        env={**os.environ, "PATH": os.pathsep.join([_PROGRAMS, os.environ["PATH"]])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=PATIENCE_S,
        check=False,  # a worse agent ends with 1
    )


@contextmanager
def console(folder: Path, server: str) -> Iterator[str]:
    """The address of a console over the runs of a folder and the sessions of a mock server."""
    url = f"http://127.0.0.1:{(port := free_port())}"
    command = [_PROGRAM, "console", "--run-dir", "runs", "--suites", "suites", "--server", server]
    process = subprocess.Popen(
        [*command, "--port", str(port)], cwd=folder, stdout=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: process.poll() is not None or _answers(url), "the console")
        yield url
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False).is_success
    except httpx.TransportError:
        return False


def _take(browser: Browser, url: str, picture: Path) -> None:
    page = browser.new_page(viewport={"width": WIDE, "height": HEIGHT})
    page.goto(url)
    page.screenshot(path=picture)
    page.close()


def main() -> None:
    """Take them."""
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        _understudy(
            "demo", *sorted({suite for suite, _ in RUNS}), "--copy", "suites", folder=folder
        )
        for suite, agent in RUNS:
            _understudy("run", f"suites/{suite}", "--agent", agent, "-n", "3", folder=folder)
        _understudy("report", "latest", "--output", "report.html", folder=folder)
        _take(browser, (folder / "report.html").as_uri(), FOLDER / "report.png")
        with mock_server(folder / "suites" / "travel") as client:
            for case in ("TR-001", "TR-002"):
                client.post("/_mock/sessions", json={"case": case}).raise_for_status()
            with console(folder, str(client.base_url)) as url:
                _take(browser, url, FOLDER / "runs.png")
