"""Frameworks and exporters as PyPI has them trace themselves, and their spans are a witness."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.benchmarks.servers import free_port, mock_server
from tests.clients.node import modules_of
from tests.clients.packages import packages_of
from tests.warm import run as run_warm

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"
PATIENCE_S = 120
AI_SDK = ("@opentelemetry/exporter-trace-otlp-proto@0.223.1",
          "@opentelemetry/sdk-trace-node@2.12.0", "@opentelemetry/api@1.9.0",
          "ai@6.0.326", "@ai-sdk/openai@3.0.141", "zod@4.6.7")  # fmt: skip
GRPC = ("opentelemetry-exporter-otlp-proto-grpc==1.45.2",
        "openinference-instrumentation-openai==0.1.66")  # fmt: skip

FILES = {
    "base/tools.json": json.dumps({"tools": {"cancel_order": {"responses": [
        {"result": {"status": "cancelled"}}]}}}),
    "models/assistant.yaml": """
replies:
  - {result: cancel_order, text: Order A1 is cancelled.}
  - {user: A1, calls: {cancel_order: {order: A1}}}
""",
    "cases/orders.yaml": """
cases:
  - id: CANCEL
    input: Cancel order A1.
    expect:
      tools: {calls: [{name: cancel_order, args: {order: A1}}]}
      witnesses: {}
""",
}  # fmt: skip

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("orders")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def run(suite: Path, agent: str, folder: Path) -> tuple[int, Any, Any]:
    """The exit code of a run, and its only trial: its record, and what the report says of it."""
    options = ("--agent", agent, "-n", "1", "--run-dir", str(folder))
    done = run_warm("harness", "run", str(suite), *options, cwd=ROOT)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    [made] = folder.glob("*/manifest.json")
    record = json.loads((made.parent / "trials" / "CANCEL" / "1.json").read_bytes())
    report = json.loads((made.parent / "report.json").read_bytes())
    return done.returncode, record, report["cases"][0]["trials"][0]


def test_an_agent_of_pydantic_ai_is_seen_by_its_spans(suite: Path, tmp_path: Path) -> None:
    agent = f"command:{sys.executable} {PROGRAMS / 'traced_pydantic_ai.py'}"
    code, record, told = run(suite, agent, tmp_path)
    assert code == 0, told
    (call,) = record["trace"]["tool_calls"]
    assert (call["name"], call["args"], call["status"]) == ("cancel_order", {"order": "A1"}, "ok")
    first, second = record["trace"]["model_calls"]
    assert (first["model"], first["requested"][0]["name"]) == ("gpt-5", "cancel_order")
    assert second["output_tokens"] > 0
    (reply,) = record["replies"]
    assert reply["usage"]["input_tokens"] == first["input_tokens"] + second["input_tokens"]
    assert (reply["rounds"], reply["usage"]["cost_usd"] > 0) == (2, True)
    tools = next(each for each in told["checks"] if each["kind"] == "tool_calls")
    assert tools["numbers"]["witness"] == "spans"
    assert told["witnesses"]["present"] == ["requested", "traced", "seen"]
    (row,) = told["witnesses"]["calls"]
    assert [row[name]["args"] for name in ("requested", "traced", "seen")] == [{"order": "A1"}] * 3


def test_a_tool_that_only_pretends_is_caught(suite: Path, tmp_path: Path) -> None:
    agent = f"command:{sys.executable} {PROGRAMS / 'traced_pydantic_ai.py'} --lie"
    code, record, told = run(suite, agent, tmp_path)
    assert code == 1
    assert [each["name"] for each in record["trace"]["tool_calls"]] == ["cancel_order"]
    assert told["witnesses"]["findings"]["claimed_not_seen"] == ["cancel_order"]


@pytest.fixture(scope="module")
def ai_sdk(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The command of an agent of the AI SDK that traces itself."""
    modules = modules_of(*AI_SDK)
    if isinstance(modules, str):
        pytest.skip(modules)
    folder = tmp_path_factory.mktemp("traced")
    shutil.copy(PROGRAMS / "node_agents" / "traced_ai_sdk.mjs", folder)
    (folder / "node_modules").symlink_to(modules)
    return f"command:node {folder}/traced_ai_sdk.mjs"


@pytest.mark.parametrize("option", ["", " --stream"])
def test_an_agent_of_the_ai_sdk_is_seen_by_its_telemetry(
    suite: Path, ai_sdk: str, option: str, tmp_path: Path
) -> None:
    code, record, told = run(suite, ai_sdk + option, tmp_path)
    assert code == 0, told
    (call,) = record["trace"]["tool_calls"]
    assert (call["name"], call["args"], call["status"]) == ("cancel_order", {"order": "A1"}, "ok")
    assert call["result"] == {"status": "cancelled"}
    first, second = record["trace"]["model_calls"]
    assert (first["model"], first["requested"][0]["name"]) == ("gpt-5-mini", "cancel_order")
    assert first["requested"][0]["args"] == {"order": "A1"}
    assert second["text"] == "Order A1 is cancelled."
    (reply,) = record["replies"]
    assert reply["usage"]["input_tokens"] == first["input_tokens"] + second["input_tokens"] > 0
    assert reply["usage"]["output_tokens"] == first["output_tokens"] + second["output_tokens"] > 0
    assert reply["rounds"] == 2
    assert told["witnesses"]["present"] == ["requested", "traced", "seen"]


def test_an_agent_of_the_ai_sdk_that_only_pretends_is_caught(
    suite: Path, ai_sdk: str, tmp_path: Path
) -> None:
    code, _, told = run(suite, f"{ai_sdk} --lie", tmp_path)
    assert code == 1
    assert told["witnesses"]["findings"]["claimed_not_seen"] == ["cancel_order"]


@pytest.fixture(scope="module")
def packages() -> Path:
    found = packages_of("otlp-grpc-1", *GRPC)
    if isinstance(found, str):
        pytest.skip(found)
    return found


def test_spans_of_openinference_come_by_grpc(suite: Path, packages: Path) -> None:
    port = free_port()
    with mock_server(suite, "--no-proxy", "--grpc-port", str(port)) as (http, _):
        url = f"http://127.0.0.1:{http}"
        info = httpx.post(f"{url}/_mock/sessions", json={}).json()
        program = [
            sys.executable,
            str(PROGRAMS / "framework_agents" / "traced_openai.py"),
            f"127.0.0.1:{port}",
        ]
        path = os.pathsep.join([str(packages), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            program, env={**os.environ, **info["env"], "PYTHONPATH": path},
            capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        assert done.stdout == "cancel_order\n", done.stderr
        assert done.stderr == ""
        spans = httpx.get(f"{url}/_mock/sessions/{info['id']}/spans?kind=model").json()["spans"]
    (span,) = spans
    assert span["attributes"]["openinference.span.kind"] == "LLM"
    key = "llm.output_messages.0.message.tool_calls.0.tool_call.function.name"
    assert span["attributes"][key] == "cancel_order"
