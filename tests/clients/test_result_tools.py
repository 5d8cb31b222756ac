"""Inspect and promptfoo themselves: they read what is exported, and what they wrote is imported."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.reports import FORMATS
from harness.storage import RunFolder, read_run
from tests.clients.node import modules_of
from tests.clients.packages import packages_of
from tests.harness.example_run import example_run

pytestmark = pytest.mark.slow

INSPECT = "inspect_ai==0.3.285"
PROMPTFOO = "promptfoo@0.121.20"
READ = """
import json, sys
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries
(info,) = list_eval_logs(sys.argv[1])
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
TASK = """
import sys
from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import Sample
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
eval(task, model=model, log_dir=sys.argv[1], log_format=sys.argv[2], display="none")
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


@pytest.fixture(scope="module")
def inspect_path() -> str:
    found = packages_of("inspect-1", INSPECT)
    if isinstance(found, str):
        pytest.skip(found)
    return str(found)


def run_inspect(program: str, packages: str, *words: object) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        env={**os.environ, "PYTHONPATH": packages, "INSPECT_DISPLAY": "none"},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_inspect_reads_the_log(tmp_path: Path, inspect_path: str) -> None:
    export("inspect", tmp_path)
    found = json.loads(run_inspect(READ, inspect_path, tmp_path).splitlines()[-1])
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
    tmp_path: Path, inspect_path: str, format: str
) -> None:
    run_inspect(TASK, inspect_path, tmp_path / "logs", format)
    (log,) = (tmp_path / "logs").glob(f"*.{format}")
    folder = import_run(log, tmp_path / "runs", "--min-score", "0.6")
    assert read_run(folder.path).run.model_dump(include={"cases", "passed_cases", "valid"}) == {
        "cases": 2, "passed_cases": 1, "valid": 4,
    }  # fmt: skip
    (good, _), _ = folder.records().of("one-plus-one-836129"), None
    (reply,) = good.replies
    assert (reply.text, reply.rounds, reply.usage.input_tokens) == ("The answer is 2", 2, 22)
    (call,) = reply.tool_calls
    assert (call.name, call.args, call.result) == ("add", {"x": 1, "y": 1}, "2")


@pytest.fixture(scope="module")
def promptfoo() -> Path:
    found = modules_of(PROMPTFOO)
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
    if "better_sqlite3" in done.stderr + done.stdout:
        pytest.skip("promptfoo has no SQLite here: its package is built when it is installed")
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
