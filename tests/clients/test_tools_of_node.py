"""Tools inside agents in JavaScript, with frameworks as npm has them; agents stay as they are."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.clients.node import modules_of, run_module
from tests.clients.test_node_agents import MODULE, PACKAGES, needs_node
from tests.ports import free_port
from tests.warm import run as run_warm

LEAD = MODULE.with_name("understudy-tools.mjs")
PROGRAMS = Path(__file__).parent / "programs" / "node_agents"
FRAMEWORKS = {
    "ai_sdk": PACKAGES,
    "langchain": PACKAGES,
    "openai_agents": ("@openai/agents@0.20.0", "zod@4.6.7"),
    "mastra": ("@mastra/core@1.71.0", "zod@4.6.7"),
}
_PATIENCE_S = 120


def place(folder: Path, packages: tuple[str, ...], *programs: Path) -> None:
    """A folder of a project that has packages of npm and some programs."""
    modules = modules_of(*packages)
    if isinstance(modules, str):
        pytest.skip(modules)
    for file in programs:
        shutil.copy(file, folder)
    (folder / "node_modules").symlink_to(modules)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["import", "require"])
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_tool_is_answered_runs_or_is_refused(name: str, how: str, tmp_path: Path) -> None:
    program = PROGRAMS / "tools_of_frameworks.mjs"
    place(tmp_path, FRAMEWORKS[name], program, LEAD)
    if how == "require":
        text = program.read_text(encoding="utf-8").replace("await import(", "require(")
        made = 'import { createRequire } from "node:module";\n'
        made += f"const require = createRequire(import.meta.url);\n{text}"
        (tmp_path / program.name).write_text(made, encoding="utf-8")
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    done = subprocess.run(
        ["node", "--import", f"../{LEAD.name}", f"../{program.name}", name],
        env={
            "HOME": str(tmp_path / "home"),
            "PATH": "/usr/bin:/bin:/usr/local/bin",
            "UNDERSTUDY_TOOLS": f"http://127.0.0.1:{free_port()}/s/a/tools",
        },
        cwd=tmp_path / "work",
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["told"] == [{"mocked": 5}, {"ran": 5}]
    assert (found["ran"], found["refused"]) == ([5], "RangeError: too much")
    assert [(verb, tool) for verb, tool, _ in found["sent"]] == [
        ("POST", "pay"),
        ("POST", "pay"),
        ("PUT", "pay"),
        ("POST", "pay"),
    ]
    report = found["sent"][2][2]
    assert report == {
        "call": 7,
        "arguments": {"cents": 5},
        "escapes": [f"writes {tmp_path}/home/paid.txt"],
        "result": {"ran": 5},
    }


CASE = """
id: REFUND
input: Refund order A1.
fixtures: {cassettes: tools}
tools: {look_up_order: mocked, refund_order: mocked, "*": refused}
expect:
  tools:
    mode: in_order
    calls: [look_up_order, {name: refund_order, args: {order: A1, amount: 40}}]
    extra: {max: 0}
"""


def understudy(folder: Path, *arguments: str) -> Any:
    return run_warm("understudy", *arguments, timeout=_PATIENCE_S, cwd=folder)


@pytest.mark.slow
def test_an_agent_is_recorded_and_played_without_its_database(tmp_path: Path) -> None:
    place(tmp_path, PACKAGES, PROGRAMS / "shop.mjs", LEAD, MODULE)
    (tmp_path / "evals" / "cases").mkdir(parents=True)
    (tmp_path / "evals" / "cases" / "refund.yaml").write_text(CASE, encoding="utf-8")
    node = ("node", "--import", "./understudy-tools.mjs", "shop.mjs", "Refund order A1.")
    made = understudy(tmp_path, "record", "--cassette", "evals/cassettes/tools.yaml", "--", *node)
    assert made.returncode == 0, made.stdout + made.stderr
    database = tmp_path / "shop.db"
    assert database.read_text() == "A1 40\n"
    database.unlink()
    agent = f"command:node --import {tmp_path}/understudy-tools.mjs {tmp_path}/shop.mjs"
    options = ("evals", "--agent", agent, "--input", "json")
    same = understudy(tmp_path, "run", *options)
    assert same.returncode == 0, same.stdout + same.stderr
    twice = understudy(tmp_path, "run", *options, "--env", "REFUNDS=2")
    assert twice.returncode == 1
    assert "1 extra calls, 0 allowed: 'refund_order'" in twice.stdout
    assert not database.exists()


LED = [
    ("a/other.js", "await options.execute(parsed, a, b)", "await options.execute(parsed, a, b)"),
    (
        "a/ai/dist/index.js",  # 5, of streams
        "execute: tool.execute.bind(tool),\n  input: call.input,",
        "execute: LEAD.lead(call.toolName, tool.execute.bind(tool)),\n  input: call.input,",
    ),
    (
        "a/ai/dist/index.mjs",  # 7
        "executeTool({\n  tool,\n  input,",
        "executeTool({\n  tool: LEAD.leadTool(toolName, tool),\n  input,",
    ),
]


@needs_node
@pytest.mark.parametrize(("file", "source", "led"), LED, ids=[each[0] for each in LED])
def test_calls_of_tools_are_led(file: str, source: str, led: str) -> None:
    given = f"{json.dumps(file)}, {json.dumps(source)}"
    done = run_module(f'import {{ led }} from "{LEAD.as_uri()}"; console.log(led({given}));')
    session = 'globalThis[Symbol.for("understudy.tools")]'
    assert (done.stdout, done.stderr) == (f"{led}\n".replace("LEAD", session), "")


@needs_node
def test_a_version_that_is_not_known_is_told_and_left_alone() -> None:
    program = f'import {{ led }} from "{LEAD.as_uri()}"; '
    done = run_module(program + 'console.log(led("a/ai/dist/index.mjs", "x = 1"));')
    assert done.stdout == "x = 1\n"
    assert "a/ai/dist/index.mjs is of a version of AI SDK whose tools are not known" in done.stderr
