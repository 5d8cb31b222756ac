"""No program of ours, and no process that one starts, imports what lies in the working folder."""

import ast
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
UNDERSTUDY = str(BIN / "understudy")
DECOYS = (
    "mockserver/__init__.py", "mockserver/__main__.py", "harness/__init__.py",
    "harness/__main__.py", "httpx/__init__.py", "json.py", "typing.py", "yaml.py", "uvicorn.py",
    "sitecustomize.py", "usercustomize.py",
)  # fmt: skip
MODULE = (sys.executable, "-m")

START = """
import asyncio, sys
from mockserver.client import MockServer
sys.path.insert(0, "")

async def main():
    async with await MockServer.start(None) as server:
        print(server.health["status"])

asyncio.run(main())
"""
"""What a notebook does, in whose path the working folder is."""

PROGRAMS: dict[str, Sequence[str]] = {
    "run": (UNDERSTUDY, "run", "evals", "--agent", "oracle"),
    "workers": (UNDERSTUDY, "run", "evals", "--agent", "oracle", "--on", "processes:2"),
    "program of the agent": (UNDERSTUDY, "run", "evals", "--agent", "command:true"),
    "python -m harness": (*MODULE, "harness", "run", "evals", "--agent", "oracle"),
    "python -m mockserver": (*MODULE, "mockserver", "snapshot", "lint", "evals"),
    "demo": (UNDERSTUDY, "demo"),
    "doctor": (UNDERSTUDY, "doctor"),
    "record": (UNDERSTUDY, "record", "--", "true"),
    "notebook": (sys.executable, "-P", "-c", START),
}
"""Each way in which code of ours comes to run, and how the process is started."""


def lay_decoys(folder: Path, *, without: str = "") -> Path:
    """Modules that note that they were imported; where they note it."""
    for name in DECOYS:
        if not without or not name.startswith(f"{without}/"):
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            note = f"open({str(folder / 'imported')!r}, 'a').write({name!r} + chr(10))\n"
            path.write_text(note, encoding="utf-8")
    return folder / "imported"


def write_suite(folder: Path) -> None:
    case = "id: hello\ninput: hello\nexpect: {text: {contains: [hi]}}\nreference: {answer: hi}\n"
    (folder / "evals" / "cases").mkdir(parents=True)
    (folder / "evals" / "cases" / "hello.yaml").write_text(case, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_of_the_working_folder_is_imported(tmp_path: Path, name: str) -> None:
    own = name.removeprefix("python -m ") if name.startswith("python -m ") else ""
    imported = lay_decoys(tmp_path, without=own)
    write_suite(tmp_path)
    done = subprocess.run(
        PROGRAMS[name], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S,
        check=False, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert not imported.exists(), imported.read_text(encoding="utf-8")
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in {0, 1}, done.stdout + done.stderr


AGENTS = {
    "mockserver/children.py": "the one place",
    "harness/agents/function.py": "an agent of the user, whose folder is meant",
    "harness/agents/function_child.py": "names it",
    "harness/agents/sandbox/bubblewrap.py": "python -I -S, beside an agent",
    "harness/cli/reference_agents.py": "a bundled agent, as a user would start it",
    "harness/cli/demo.py": "looks for what stands beside it",
    "mockserver/cli/machine.py": "names it",
}
"""Modules that name the interpreter, and why."""


def test_every_python_of_ours_is_started_in_one_place() -> None:
    naming = set()
    for house in ("mockserver", "harness"):
        for path in (ROOT / house).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            nodes = ast.walk(ast.parse(text)) if "executable" in text else ()
            if any(isinstance(n, ast.Attribute) and n.attr == "executable" for n in nodes):
                naming.add(path.relative_to(ROOT).as_posix())
    assert naming == set(AGENTS)
