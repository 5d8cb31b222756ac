"""Inspect and promptfoo themselves: they read what is exported, and what they wrote is imported."""

import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cases import read_suite
from harness.checks import check
from harness.cli.main import app
from harness.reports import FORMATS
from harness.storage import RunFolder, read_run
from tests.clients.node import modules_of
from tests.clients.packages import packages_of
from tests.harness.example_run import example_run
from tests.harness.records import record

pytestmark = pytest.mark.slow


def sqlite_of(system: str, machine: str) -> str:
    """The package of SQLite that promptfoo needs on a machine."""
    built = {"linux": "-gnu", "win32": "-msvc"}.get(system, "")
    return f"@libsql/{system}-{'arm64' if machine in {'arm64', 'aarch64'} else 'x64'}{built}"


INSPECT = "inspect_ai==0.3.285"
PROMPTFOO = ("promptfoo@0.121.20", f"{sqlite_of(sys.platform, platform.machine())}@0.5.29")
INSPECT_PROGRAM = """
import json, sys
from pathlib import Path
from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import (
    list_eval_logs, read_eval_log, read_eval_log_sample_summaries, write_eval_log,
)
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, includes, mean, scorer
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import tool

@tool
def add():
    async def execute(x: int, y: int):
        '''Add two numbers.

        Args:
            x: One.
            y: The other.
        '''
        return x + y
    return execute

@scorer(metrics=[mean()])
def closeness():
    async def score(state, target):
        return Score(value=0.7, explanation="near")
    return score

def answer(input, tools, tool_choice, config):
    last, model = input[-1], "mockllm/model"
    if "France" in str(last.content):
        said = ModelOutput.from_content(model, "Rome")
    elif last.role == "tool":
        said = ModelOutput.from_content(model, "The answer is 2")
    else:
        said = ModelOutput.for_tool_call(model, "add", {"x": 1, "y": 1})
    said.usage = ModelUsage(input_tokens=11, output_tokens=5, total_tokens=16)
    return said

task = Task(
    dataset=[Sample(id="one plus one", input="What is 1+1?", target="2"),
             Sample(id=2, input="Capital of France?", target="Paris")],
    solver=[use_tools(add()), generate()], scorer=[includes(), closeness()], epochs=Epochs(2),
)
model = get_model("mockllm/model", custom_outputs=answer)
folder = Path(sys.argv[1])
(log,) = eval(task, model=model, log_dir=str(folder / "logs"), log_format="eval", display="none")
write_eval_log(read_eval_log(log.location), str(folder / "wrote.json"), "json")
Path(log.location).rename(folder / "wrote.eval")

(info,) = list_eval_logs(sys.argv[2])
log = read_eval_log(info)
print(json.dumps({
    "status": log.status,
    "samples": [
        [each.id, each.epoch, {n: s.value for n, s in (each.scores or {}).items()},
         [m.role for m in each.messages], each.error is not None]
        for each in log.samples
    ],
    "summaries": len(read_eval_log_sample_summaries(info)),
    "accuracy": log.results.scores[0].metrics["accuracy"].value,
}))
"""
CONFIG = {
    "description": "Echo suite",
    "prompts": ["Say {{what}}"],
    "providers": ["echo"],
    "tests": [
        {"description": "greets", "vars": {"what": "hello"},
         "assert": [{"type": "contains", "value": "hello"}]},
        {"vars": {"what": "bye"}, "assert": [{"type": "equals", "value": "nothing"}]},
    ],
}  # fmt: skip


def export(format: str, folder: Path) -> Path:
    ((name, report),) = FORMATS[format].items()
    content = report(example_run())
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def import_run(path: Path, runs: Path, *options: str) -> RunFolder:
    words = ["import-results", str(path), "--run-dir", str(runs), *options]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    (folder,) = runs.glob("2*")
    return RunFolder(folder)


@dataclass(frozen=True)
class InspectRun:
    """What one process of Inspect did, since it takes seconds to start.

    Attributes:
        folder: Holds the log that it wrote: `wrote.eval`, `wrote.json`.
        read: What it found in the log that we wrote.
    """

    folder: Path
    read: dict[str, Any]


@pytest.fixture(scope="module")
def inspect_run(tmp_path_factory: pytest.TempPathFactory) -> InspectRun:
    packages = packages_of("inspect-1", INSPECT)
    if isinstance(packages, str):
        pytest.skip(packages)
    folder, exported = tmp_path_factory.mktemp("inspect"), tmp_path_factory.mktemp("exported")
    export("inspect", exported)
    done = subprocess.run(
        [sys.executable, "-c", INSPECT_PROGRAM, str(folder), str(exported)],
        env={**os.environ, "PYTHONPATH": str(packages), "INSPECT_DISPLAY": "none"},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return InspectRun(folder, json.loads(done.stdout.splitlines()[-1]))


def test_inspect_reads_the_log(inspect_run: InspectRun) -> None:
    found = inspect_run.read
    result = example_run()
    trials = [trial for decision in result.decisions for trial in decision.trials]
    assert (found["status"], found["summaries"]) == ("success", len(trials))
    told = {(id, epoch): (scores, broken) for id, epoch, scores, _, broken in found["samples"]}
    letters = {"pass": "C", "fail": "I", "agent_error": "I"}
    assert {key: scores.get("verdict") for key, (scores, _) in told.items()} == {
        (trial.case, trial.number): letters.get(trial.status) for trial in trials
    }
    assert told["EC-004", 1][1]
    roles = next(each[3] for each in found["samples"] if each[0] == "EC-001")
    assert roles[:2] == ["user", "assistant"]
    valid = [trial for trial in trials if trial.status in letters]
    passes = sum(trial.status == "pass" for trial in valid)
    assert found["accuracy"] == pytest.approx(passes / len(valid))


@pytest.mark.parametrize("format", ["eval", "json"])
def test_a_log_that_inspect_wrote_is_imported(
    tmp_path: Path, inspect_run: InspectRun, format: str
) -> None:
    folder = import_run(inspect_run.folder / f"wrote.{format}", tmp_path, "--min-score", "0.6")
    assert read_run(folder.path).run.model_dump(include={"cases", "passed_cases", "valid"}) == {
        "cases": 2, "passed_cases": 1, "valid": 4,
    }  # fmt: skip
    good, _ = folder.records().of("one-plus-one-836129")
    (reply,) = good.replies
    assert reply.text == "tool call for tool add\nThe answer is 2"
    assert (reply.rounds, reply.usage.input_tokens) == (2, 22)
    (call,) = reply.tool_calls
    assert (call.name, call.args, call.result) == ("add", {"x": 1, "y": 1}, "2")


@pytest.fixture(scope="module")
def promptfoo() -> Path:
    found = modules_of(*PROMPTFOO, optional=False)
    if isinstance(found, str):
        pytest.skip(found)
    return found / ".bin" / "promptfoo"


def run_promptfoo(command: Path, folder: Path, *words: str) -> str:
    environment = {
        **os.environ,
        "PROMPTFOO_CONFIG_DIR": str(folder / "config"),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_PASS_RATE_THRESHOLD": "0",
    }
    done = subprocess.run(
        [str(command), *words], cwd=folder, env=environment,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def test_promptfoo_reads_the_results(tmp_path: Path, promptfoo: Path) -> None:
    path = export("promptfoo", tmp_path)
    assert "run-1" in run_promptfoo(promptfoo, tmp_path, "import", str(path))
    run_promptfoo(promptfoo, tmp_path, "export", "eval", "eval-run-1", "-o", "again.json")
    again = json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))
    results = again["results"]["results"]
    trials = [trial for decision in example_run().decisions for trial in decision.trials]
    assert sorted(each["success"] for each in results) == sorted(
        trial.status == "pass" for trial in trials
    )


def test_results_that_promptfoo_wrote_are_imported(tmp_path: Path, promptfoo: Path) -> None:
    (tmp_path / "c.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    words = ("eval", "-c", "c.json", "-o", "results.json", "--no-cache", "--repeat", "2")
    run_promptfoo(promptfoo, tmp_path, *words)
    folder = import_run(tmp_path / "results.json", tmp_path / "runs")
    found = read_run(folder.path)
    assert (found.run.agent, found.run.suite) == ("echo", "Echo suite")
    assert [(each.passed, each.valid) for each in found.cases] == [(2, 2), (0, 2)]
    assert "nothing" in found.cases[1].reason


ASSERTIONS = [
    {"type": "equals", "value": "Say hello"},
    {"type": "equals", "value": "say hello"},
    {"type": "contains", "value": "{{what}}"},
    {"type": "contains", "value": "Hello"},
    {"type": "icontains", "value": "HELLO"},
    {"type": "contains-all", "value": ["Say", "hello"]},
    {"type": "contains-any", "value": ["x", "hell"]},
    {"type": "contains-any", "value": "x,SAY"},
    {"type": "icontains-all", "value": ["say", "x"]},
    {"type": "icontains-any", "value": ["SAY", "x"]},
    {"type": "starts-with", "value": "Say"},
    {"type": "starts-with", "value": "hello"},
    {"type": "regex", "value": "h.l+o$"},
    {"type": "regex", "value": "^hello"},
    {"type": "not-icontains", "value": "HELLO"},
    {"type": "is-json"},
    {"type": "latency", "threshold": 60000},
]


def test_assertions_pass_and_fail_as_promptfoo_says(tmp_path: Path, promptfoo: Path) -> None:
    tests = [{"vars": {"what": "hello"}, "assert": [each]} for each in ASSERTIONS]
    path = tmp_path / "promptfooconfig.json"
    path.write_text(json.dumps({**CONFIG, "tests": tests}), encoding="utf-8")
    run_promptfoo(promptfoo, tmp_path, "eval", "-c", path.name, "-o", "out.json", "--no-cache")
    results = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["results"]["results"]
    theirs = [each["success"] for each in sorted(results, key=lambda one: one["testIdx"])]
    cases = read_suite(path).cases
    said = record("Say hello")
    ours = [all(check(said, item).status == "pass" for item in case.expect) for case in cases]
    assert dict(enumerate(ours)) == dict(enumerate(theirs))
    assert {True, False} == set(theirs)
