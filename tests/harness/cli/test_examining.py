import sys
from pathlib import Path

import pytest

from harness.cli.examining import Asked, examined
from harness.cli.reference_agents import ReferenceAgent, free_port
from harness.errors import HarnessError, InvalidCasesError
from tests.casefiles import put
from tests.harness.conftest import write_suite
from tests.patience import PATIENCE_S

SERVER = """
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Chat(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        content = json.dumps({"text": "There is the Laboratory."}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass

HTTPServer(("127.0.0.1", int(sys.argv[1])), Chat).serve_forever()
"""


async def test_an_agent_with_its_server_is_started_and_stopped(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "office")
    program, port = put(tmp_path / "chat.py", SERVER), free_port()
    agent = ReferenceAgent(
        f"http:http://127.0.0.1:{port}/chat", f"{sys.executable} {program} {port}", profile="json"
    )
    diagnosis = await examined(Asked(suite, agent, ids=("T-001",), timeout_s=PATIENCE_S))
    assert diagnosis is not None
    assert [(each.passed, each.asked) for each in diagnosis.drivers[2:]] == [(1, 1), (0, 1)]


async def test_what_cannot_be_examined_is_told(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "office")
    serve = ReferenceAgent("python:a:b", "serve me")
    (tmp_path / "office" / "a.py").write_text("def b(messages, env): ...", encoding="utf-8")
    sys.path.insert(0, str(suite))
    try:
        with pytest.raises(HarnessError, match="--serve goes with an http: agent"):
            await examined(Asked(suite, serve))
    finally:
        sys.path.remove(str(suite))
    with pytest.raises(HarnessError, match="no such variable"):
        await examined(Asked(suite, ReferenceAgent("echo", env=("NOT_THERE_AT_ALL",))))
    put(suite / "base" / "more.json", '{"orgUnit": []}')
    with pytest.raises(InvalidCasesError, match="orgUnit"):
        await examined(Asked(suite))
