"""What waits for another process, a queue or a lock has a deadline, or a reason to have none."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

LIMITS = re.compile(r"\b(?:timeout|timeout_at|deadline|fail_after)\b")
"""What gives up what is awaited within it."""

MAY_WAIT = re.compile(r"\bawait\b|\basync with\b|\.wait\(")
AWAITED = frozenset({
    "acquire", "communicate", "drain", "readexactly", "readline", "readuntil", "wait",
    "wait_closed",
})  # fmt: skip
"""Methods that wait for a lock, an event, or another process."""

FUNCTIONS = frozenset({"open_connection", "shield", "wait"})
"""Those of asyncio that do, too."""

LOCKS = re.compile(r"(?:lock|turn|places|changed|order|writing)$")

_AGENT = "the time limit of the trial"
_KILLED = "it was killed"
_PERSON = "the program of a person, who ends it"
_START = "ends when what it starts ends, or fails"
_STREAM = "what comes next of a connection that stands, for as long as it stands"
_LOOP = "the life of a server or of its thread"

NO_DEADLINE = {
    "harness/agents/a2a.py A2aAgent.connect": _AGENT,
    "harness/agents/agent_server.py _stop_process": _KILLED,
    "harness/agents/frameworks/claude_agent.py _Conversation.__call__": _AGENT,
    "harness/agents/mcp_tool.py _Conversation._next": _AGENT,
    "harness/agents/processes.py LineProcess.ask": _AGENT,
    "harness/agents/processes.py _Answers.line": _AGENT,
    "harness/agents/processes.py _stop_group": _KILLED,
    "harness/agents/processes.py run_process": _AGENT,
    "harness/agents/sandbox/gate.py Gate.admit": _AGENT,
    "harness/agents/sandbox/gate.py _readable": _AGENT,
    "harness/runner/executors/pool.py WorkerPool._notify": "nobody keeps it while waiting",
    "harness/runner/executors/pool.py WorkerPool._take": "a worker gets free, or is lost",
    "harness/runner/executors/process_child.py _serve.send": "its run reads, or has ended",
    "harness/runner/executors/process_child.py read_frame": "its run asks, or has ended",
    "harness/runner/executors/processes.py ProcessWorker._read": _KILLED,
    "harness/runner/executors/processes.py ProcessWorker.ask": "who asks looks whether it goes on",
    "harness/runner/executors/processes.py ProcessWorker.stop": _KILLED,
    "harness/runner/executors/worker.py TrialWorker._cancel": "who asks gives it up",
    "harness/runner/executors/worker.py TrialWorker._run": _AGENT,
    "harness/runner/run.py _finish_writing": "a file is written",
    "harness/runner/run.py work_through": "each trial has its time limit",
    "harness/server/run_queue.py RunQueue._make": "a run waits for the runs before it",
    "mockserver/asgi/splicing.py _carry": _STREAM,
    "mockserver/capture/google/calls.py MethodCaller._attempt": "the pace of its own requests",
    "mockserver/capture/grpc.py GrpcForwarder.address": _START,
    "mockserver/capture/mcp/runs.py StdioRecorder._pass_client_on": _STREAM,
    "mockserver/capture/mcp/runs.py StdioRecorder.run": _PERSON,
    "mockserver/capture/mcp/runs.py _lines": _STREAM,
    "mockserver/capture/model_fork.py ForkQueue.find": _AGENT,
    "mockserver/capture/model_recorder.py ModelListener.__init__": _START,
    "mockserver/capture/programs.py _work_once_ready": _START,
    "mockserver/capture/programs.py serve_while": _PERSON,
    "mockserver/capture/proxy.py _run_to_completion": "what it runs has limits of its own",
    "mockserver/capture/recorder_queue.py IncomingBody._feed": "the redaction has a limit",
    "mockserver/capture/redaction_process.py RedactionProcess.stop": _KILLED,
    "mockserver/capture/server.py CaptureProxy.serve": "drains its own calls, which have limits",
    "mockserver/cli/env_check.py _run": _PERSON,
    "mockserver/cli/isolated_network.py _run_command": _PERSON,
    "mockserver/cli/mcp_control.py Control.run_case": _KILLED,
    "mockserver/cli/program_run.py run_program": _PERSON,
    "mockserver/fronts/grpc/listener.py GrpcListener.address": _START,
    "mockserver/fronts/grpc/listener.py GrpcListener.stop": _START,
    "mockserver/fronts/grpc/methods.py GrpcMethods.find": _START,
    "mockserver/fronts/mcp/front.py _Endpoint._run": _LOOP,
    "mockserver/fronts/mcp/front.py _Endpoint.answer": _START,
    "mockserver/fronts/mcp/front.py _Endpoint.wait_until_closed": "the SDK cancels its clients",
    "mockserver/fronts/mcp/stdio.py _lines": _STREAM,
    "mockserver/http/request_log.py RequestLog._write_all": _LOOP,
    "mockserver/process.py ServerProcess._announcement": "its caller has a deadline",
    "mockserver/process.py ServerProcess.stop": _KILLED,
    "mockserver/sessions/scheduling.py run_in_turn": "handlers wait for nothing outside",
    "mockserver/testing/server.py ServerLoop.__init__": _START,
    "mockserver/testing/server.py ServerLoop._serve": _LOOP,
}
"""Functions that wait without a deadline, and what ends it."""


def waits(node: ast.AST, place: str = "", *, limited: bool = False) -> Iterator[str]:
    """Yield the functions that wait without a limit, once for each wait."""
    for child in ast.iter_child_nodes(node):
        inner, within = place, limited
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner, within = f"{place}.{child.name}".lstrip("."), False
        elif isinstance(child, ast.AsyncWith):
            contexts = [ast.unparse(item.context_expr) for item in child.items]
            within = limited or any(LIMITS.search(each) for each in contexts)
            if not within and any(LOCKS.search(each) for each in contexts):
                yield place
        elif isinstance(child, ast.Call):
            within = limited or _name(child) == "wait_for"
            if not within and _waits_by(child, is_awaited=isinstance(node, ast.Await)):
                yield place
        yield from waits(child, inner, limited=within)


def _waits_by(call: ast.Call, *, is_awaited: bool) -> bool:
    name, function = _name(call), call.func
    if not isinstance(function, ast.Attribute):
        return False
    if name in FUNCTIONS and ast.unparse(function.value) == "asyncio":
        return "timeout" not in {keyword.arg for keyword in call.keywords}
    if is_awaited:
        return name in AWAITED
    return name == "wait" and not call.args and not call.keywords


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def test_what_waits_without_a_deadline_is_listed_with_what_ends_it() -> None:
    found = {
        f"{path.relative_to(ROOT)} {place}"
        for package in ("mockserver", "harness")
        for path in sorted((ROOT / package).rglob("*.py"))
        if MAY_WAIT.search(text := path.read_text(encoding="utf-8"))
        for place in waits(ast.parse(text))
    }
    assert sorted(found) == sorted(NO_DEADLINE)


@pytest.mark.parametrize(
    ("line", "is_listed"),
    [
        ("await process.wait()", True),
        ("await asyncio.wait_for(process.wait(), 5)", False),
        ("await asyncio.wait({task})", True),
        ("await asyncio.wait({task}, timeout=5)", False),
        ("asyncio.create_task(event.wait())", True),
        ("process.wait(5)", False),
        ("file.readline()", False),
        ("async with self._lock: ...", True),
        ("async with asyncio.timeout(5), self._lock: ...", False),
        ("async with deadline('a turn'): await turn.acquire()", False),
    ],
)
def test_what_waits_is_found(line: str, is_listed: bool) -> None:
    tree = ast.parse(f"async def work():\n    {line}\n")
    assert list(waits(tree)) == ["work"] * is_listed
