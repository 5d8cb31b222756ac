"""Node's own `fetch` through the proxy of a real server; without Node there is nothing to test."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mockserver.client import MockServer
from mockserver.fronts.interception import NODE_PRELOAD
from mockserver.model import SessionInfo, SessionSpec
from tests.mockserver.conftest import write_suite
from tests.patience import PATIENCE_S

NODE = shutil.which("node")
UNITS = "https://admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits?type=all"

pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionInfo]:
    folder = tmp_path_factory.mktemp("node")
    with asyncio.Runner() as runner:
        server = runner.run(MockServer.start(write_suite(folder / "suite"), options=()))
        yield runner.run(server.open(SessionSpec()))
        runner.run(server.close())


def printed(session: SessionInfo, script: str, **more: str) -> str:
    done = subprocess.run(
        [str(NODE), "-e", script],
        env={"PATH": os.environ["PATH"], **session.env, **more},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.strip()


FETCH = """
fetch(process.env.ASKED)
  .then(async (answer) => console.log(answer.status, (await answer.text()).length > 99))
  .catch((error) => console.log(error.message, error.cause.message));
"""


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (UNITS, "200 true"),
        ("http://admin.googleapis.com/nope", "404 true"),
        ("https://api.example.com/", "fetch failed proxy: 403 Forbidden: api.example.com is not"),
        ("http://127.0.0.1:2/", "fetch failed connect ECONNREFUSED 127.0.0.1:2"),
    ],
    ids=["emulated", "plain", "refused", "direct"],
)
def test_fetch_follows_the_proxy(session: SessionInfo, asked: str, says: str) -> None:
    assert printed(session, FETCH, ASKED=asked).startswith(says)


def test_a_connection_past_the_proxy_still_works(session: SessionInfo) -> None:
    url = UNITS.replace("https:/", session.base_url)
    assert printed(session, FETCH, ASKED=url) == "200 true"


def test_without_a_proxy_nothing_is_changed(tmp_path: Path) -> None:
    preload = tmp_path / "with space.cjs"
    preload.write_text(NODE_PRELOAD)
    environ: dict[str, Any] = {"PATH": os.environ["PATH"], "NODE_OPTIONS": f'--require="{preload}"'}
    script = "console.log(globalThis[Symbol.for('undici.globalDispatcher.1')])"
    done = subprocess.run(
        [str(NODE), "-e", script], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout == "undefined\n"
