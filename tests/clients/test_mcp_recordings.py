"""An official reference server from npm: recorded through the inspector, replayed, compared."""

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.captures import KEY
from tests.clients.node import modules_of
from tests.clients.test_mcp_clients import INSPECTOR
from tests.warm import programs

EVERYTHING = "@modelcontextprotocol/server-everything@2026.8.31"
_PATIENCE_S = 300

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def modules() -> Path:
    found = modules_of(EVERYTHING, INSPECTOR)
    if isinstance(found, str):
        pytest.skip(found)
    return found


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=False,
        env={**os.environ, "MOCKSERVER_REDACTION_KEY": KEY},
    )


def mockserver(*arguments: str) -> tuple[str, ...]:
    return (str(programs() / "mockserver"), *arguments)


def ask(modules: Path, folder: Path, target: tuple[str, ...], *call: str) -> Any:
    """What the inspector's command line gets from a server."""
    inspector = str(modules / ".bin" / "mcp-inspector")
    done = run(folder, "node", inspector, "--cli", *target, "--method", *call)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


CALLS: list[tuple[str, ...]] = [
    ("tools/list",),
    ("tools/call", "--tool-name", "echo", "--tool-arg", "message=hello"),
    ("tools/call", "--tool-name", "get-sum", "--tool-arg", "a=1", "b=2"),
    ("resources/list",),
    ("prompts/get", "--prompt-name", "simple-prompt"),
]


def test_what_the_inspector_was_answered_it_is_answered_again(
    modules: Path, tmp_path: Path
) -> None:
    entry = modules / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"
    program = shlex.join(["node", str(entry)])
    recorder = mockserver(
        *("capture", "mcp", "--command", program),
        *("--output", "everything.yaml", "--mode", "refresh"),
    )
    live = [ask(modules, tmp_path, recorder, *call) for call in CALLS]
    player = mockserver("mcp", "--cassette", "everything.yaml")
    for call, answer in zip(CALLS, live, strict=True):
        found = ask(modules, tmp_path, player, *call)
        assert {**found, **answer} == found, call
    bye = ("tools/call", "--tool-name", "echo", "--tool-arg", "message=bye")
    missed = ask(modules, tmp_path, player, *bye)
    assert missed["isError"]
    assert "differs in arguments.message" in missed["content"][0]["text"]

    same = run(tmp_path, *mockserver("drift", "everything.yaml", "--mcp-command", program))
    assert (same.returncode, "no change" in same.stdout) == (0, True), same.stdout + same.stderr

    changed = tmp_path / "changed" / "server"
    shutil.copytree(entry.parents[1], changed)
    (tmp_path / "changed" / "node_modules").symlink_to(modules)
    echo = changed / "dist" / "tools" / "echo.js"
    echo.write_text(echo.read_text().replace("Echoes back", "Says again"))
    other = shlex.join(["node", str(changed / "dist" / "index.js")])
    told = run(tmp_path, *mockserver("drift", "everything.yaml", "--mcp-command", other))
    assert told.returncode == 11, told.stdout + told.stderr
    assert "value set changed: tools.echo /description: is Says again" in told.stdout
