import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from harness.cli.examination import ExaminationOptions, examine_suite
from harness.cli.main import app
from harness.cli.reference_agents import REFERENCE_AGENTS, ReferenceAgent, free_port
from harness.errors import HarnessError, InvalidCasesError
from tests.casefiles import put
from tests.harness.conftest import write_suite
from tests.patience import PATIENCE_S, wait_until

FIXTURES = Path(__file__).parents[3] / "fixtures"


def doctor(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["doctor", *map(str, arguments)])


def test_findings_are_printed_and_errors_are_exit_code_1(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "office")
    text = (suite / "cases.yaml").read_text(encoding="utf-8")
    (suite / "cases.yaml").write_text(
        text.replace('answer: "There is the Laboratory."', 'answer: "No idea."'), encoding="utf-8"
    )
    result = doctor(suite, "--agent", "none")
    assert result.exit_code == 1
    assert "  oracle: passes 1 of 2" in result.output
    assert "case T-001\n  error [unpassable] the reference fails" in result.output
    assert "(--notes)" in result.output


@pytest.mark.slow
def test_a_sound_suite_in_json_with_an_earlier_run(tmp_path: Path) -> None:
    suite, runs = write_suite(tmp_path / "office"), tmp_path / "runs"
    run = ["run", str(suite), "--agent", "echo", "--run-dir", str(runs)]
    assert CliRunner().invoke(app, run).exit_code == 1
    result = doctor(suite, "--agent", "none", "--run", "latest", "--run-dir", runs, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["version"] == 1
    assert {item["case"] for item in found["findings"] if item["rule"] == "suspect"} == {
        "T-001", "T-002",
    }  # fmt: skip


@pytest.mark.slow
def test_an_interrupted_examination_says_nothing(tmp_path: Path) -> None:
    suite, started = write_suite(tmp_path / "office"), tmp_path / "started"
    agent = f"command:{sys.executable} -c \"open('{started}', 'w'); import time; time.sleep(600)\""
    command = [sys.executable, "-m", "harness", "doctor", str(suite), "--agent", agent]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_until(started.exists)
        process.send_signal(signal.SIGINT)
        told, said = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, told) == (130, b"")
    assert b"Traceback" not in said


@pytest.mark.slow
@pytest.mark.parametrize("name", REFERENCE_AGENTS)
def test_a_bundled_suite_is_sound_and_its_control_trials_fail(name: str) -> None:
    """CEP-70, CEP-71: null and echo fail, oracle and agent pass, no case proves nothing."""
    result = doctor(FIXTURES / name, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    figures = [(each["passed"], each["asked"]) for each in found["drivers"]]
    cases = found["cases"]
    assert figures == [(0, cases), (0, cases), (cases, cases), (cases, cases)]
    passed = {each["kind"]: each["passed"] for each in found["controls"]}
    assert passed["base-alone"] == passed["canaries"] == 0


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


@pytest.mark.slow
async def test_an_agent_with_its_server_is_started_and_stopped(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "office")
    program, port = put(tmp_path / "chat.py", SERVER), free_port()
    agent = ReferenceAgent(
        f"http:http://127.0.0.1:{port}/chat", f"{sys.executable} {program} {port}", profile="json"
    )
    diagnosis = await examine_suite(
        ExaminationOptions(suite, agent, ids=("T-001",), timeout_s=PATIENCE_S)
    )
    assert diagnosis is not None
    assert [(each.passed, each.asked) for each in diagnosis.drivers[2:]] == [(1, 1), (0, 1)]


@pytest.mark.slow
async def test_what_cannot_be_examined_is_told(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "office")
    serve = ReferenceAgent("python:a:b", "serve me")
    (tmp_path / "office" / "a.py").write_text("def b(messages, env): ...", encoding="utf-8")
    sys.path.insert(0, str(suite))
    try:
        with pytest.raises(HarnessError, match="--serve goes with an http: agent"):
            await examine_suite(ExaminationOptions(suite, serve))
    finally:
        sys.path.remove(str(suite))
    with pytest.raises(HarnessError, match="no such variable"):
        await examine_suite(
            ExaminationOptions(suite, ReferenceAgent("echo", env=("NOT_THERE_AT_ALL",)))
        )
    put(suite / "base" / "more.json", '{"orgUnit": []}')
    with pytest.raises(InvalidCasesError, match="orgUnit"):
        await examine_suite(ExaminationOptions(suite))


def test_without_a_suite_the_machine_is_examined() -> None:
    result = doctor("--json")
    assert {"topic", "level", "text"} <= set(json.loads(result.stdout)[0])
    assert doctor("--agent", "none").exit_code == 2
    assert "--agent is of a suite: name one" in doctor("--agent", "none").output
