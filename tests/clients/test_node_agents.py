"""Agents in Node: of the AI SDK and LangChain.js as npm has them, and one without packages."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.clients.node import modules_of, run_module
from tests.warm import run as run_warm

ROOT = Path(__file__).parents[2]
TRAVEL = ROOT / "fixtures" / "travel"
MODULE = ROOT / "docs" / "js" / "understudy-agent.mjs"
PROGRAMS = Path(__file__).parent / "programs" / "node_agents"
PACKAGES = (
    "ai@6.0.326",
    "@ai-sdk/openai@3.0.141",
    "@langchain/core@1.4.0",
    "@langchain/langgraph@1.7.3",
    "@langchain/openai@1.5.8",
    "zod@4.6.7",
)
_PATIENCE_S = 120

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no `node` here")


def run(agent: str, folder: Path, *more: str) -> tuple[str, Any]:
    """What a run of the travel suite printed, and its record of the booking."""
    options = ("--agent", agent, "-n", "1", "--run-dir", str(folder), *more)
    done = run_warm("harness", "run", str(TRAVEL), *options, timeout=_PATIENCE_S, cwd=ROOT)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    [record] = folder.glob("*/trials/TR-002/1.json")
    return done.stdout, json.loads(record.read_bytes())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ai_sdk", "langchain"])
def test_an_agent_of_a_framework_passes_with_one_import(name: str, tmp_path: Path) -> None:
    modules = modules_of(*PACKAGES)
    if isinstance(modules, str):
        pytest.skip(modules)
    for file in (PROGRAMS / f"{name}.mjs", MODULE):
        shutil.copy(file, tmp_path)
    (tmp_path / "node_modules").symlink_to(modules)
    agent = f"command:node {tmp_path}/{name}.mjs"
    printed, record = run(agent, tmp_path / "runs", "--input", "json")
    assert "witnesses agree in 3 of 3 trials" in printed
    [reply] = record["replies"]
    [call] = reply["tool_calls"]
    assert (call["name"], call["status"], call["result"]["id"]) == ("book_flight", "ok", "B1")
    assert (reply["rounds"], reply["usage"]["output_tokens"] > 0) == (2, True)


BUNDLED = {
    "node": "node fixtures/travel/agent/travel_agent.mjs",
    "mcp": f"{sys.executable} fixtures/travel/agent/travel_mcp.py",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param("node", marks=needs_node), "mcp"])
def test_a_bundled_agent_passes_the_suite(name: str, tmp_path: Path) -> None:
    printed, record = run(f"command:{BUNDLED[name]}", tmp_path)
    assert "witnesses agree in 3 of 3 trials" in printed
    assert record["replies"][0]["tool_calls"][0]["name"] == "book_flight"


PROGRAM = """
import { fromAiSdk, fromLangChain, readMessages } from "%s";
const sdk = await fromAiSdk({
  steps: [
    {
      toolCalls: [
        { toolCallId: "1", toolName: "a", input: { x: 1 } },
        { toolCallId: "2", toolName: "b", args: {} },
        { toolCallId: "3", toolName: "c", input: {} },
      ],
      toolResults: [{ toolCallId: "1", output: { y: 2 } }],
      content: [{ type: "tool-error", toolCallId: "2", error: new Error("no such city") }],
    },
    {},
  ],
  text: Promise.resolve("Done."),
  finishReason: "stop",
  usage: { promptTokens: 3, completionTokens: 2 },
});
const graph = fromLangChain({
  messages: [
    { type: "human", content: "before" },
    { getType: () => "ai", content: "", tool_calls: [
        { id: "1", name: "a", args: {} }, { id: "9", name: "z", args: {} }],
      usage_metadata: { input_tokens: 3, output_tokens: 2 } },
    { _getType: () => "tool", tool_call_id: "1", status: "error", content: "no such city" },
    { type: "ai", content: [{ text: "Do" }, "ne."] },
  ],
}, 1);
const read = [readMessages('{"messages": [1]}'), readMessages("{}"), readMessages("Go.")];
console.log(JSON.stringify({ sdk, graph, read }));
"""


@needs_node
def test_results_of_frameworks_become_replies() -> None:
    done = run_module(PROGRAM % MODULE.as_uri())
    told = json.loads(done.stdout)
    calls = [(each["name"], each["args"], each["status"], each["result"]) for each in
             told["sdk"].pop("toolCalls")]  # fmt: skip
    assert calls == [
        ("a", {"x": 1}, "ok", {"y": 2}),
        ("b", {}, "error", "no such city"),
        ("c", {}, "unknown", None),
    ]
    usage = {"input_tokens": 3, "output_tokens": 2}
    assert told["sdk"] == {"text": "Done.", "rounds": 2, "finish": "stop", "usage": usage}
    statuses = [(each["status"], each["result"]) for each in told["graph"].pop("toolCalls")]
    assert statuses == [("error", "no such city"), ("unknown", None)]
    assert told["graph"] == {"text": "Done.", "rounds": 2, "usage": usage}
    user = {"role": "user"}
    assert told["read"] == [[1], [user | {"content": "{}"}], [user | {"content": "Go."}]]


@needs_node
@pytest.mark.parametrize(
    ("agent", "said"),
    [('() => "Hi."', {"text": "Hi."}), ("({ prompt }) => ({ text: prompt })", {"text": "Go."})],
)
def test_an_agent_reads_stdin_and_writes_one_line(agent: str, said: Any) -> None:
    program = f'import {{ runAgent }} from "{MODULE.as_uri()}"; await runAgent(async {agent});'
    given = json.dumps({"messages": [{"role": "user", "content": "Go."}]})
    done = run_module(program, given)
    assert json.loads(done.stdout.strip().splitlines()[-1]) == said
