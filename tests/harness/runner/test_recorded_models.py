"""What agents ask of models is recorded with a run, case by case, and answers its replay."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.captures import KEY
from tests.mockserver.models.suites import write_script
from tests.warm import programs, run

pytestmark = pytest.mark.slow

AGENT = """
import json, os, sys, urllib.request
body = {"model": "m", "messages": [{"role": "user", "content": sys.stdin.read()}]}
asked = urllib.request.Request(
    os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(),
    {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
)
print(json.load(urllib.request.urlopen(asked))["choices"][0]["message"]["content"])
"""
SCRIPT = """
replies:
  - {user: one, text: 'ONE-{{ seq }}', times: 1}
  - {user: one, error: authentication}
  - {user: two, text: 'TWO-{{ seq }}'}
"""
CASES = """
cases:
  - {id: C-1, input: Say one., expect: {text: {contains: [ONE]}}}
  - {id: C-2, input: Say two., expect: {text: {contains: [TWO]}}}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "suite"
    (folder / "cases").mkdir(parents=True)
    (folder / "cases" / "a.yaml").write_text(CASES, encoding="utf-8")
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    return folder


@pytest.fixture
def live(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The variables of live models, whose replies count how often they were given."""
    write_script(tmp_path / "live", SCRIPT)
    options = ("--fixtures", str(tmp_path / "live"), "--port=0", "--no-proxy")
    models = subprocess.Popen(
        [str(programs() / "mockserver"), "serve", *options], stdout=subprocess.PIPE, text=True
    )
    assert models.stdout is not None
    url = models.stdout.readline().partition("ready at ")[2].split()[0]
    yield {
        "OPENAI_BASE_URL": f"{url}/models/openai/v1",
        "OPENAI_API_KEY": "sk-live-5d3f2a1b0c9e8f7a",
    }
    models.terminate()
    models.communicate()


def harness(suite: Path, command: str, *options: str, **environ: str) -> tuple[int, str]:
    agent = f"command:{sys.executable} {suite.parent / 'agent.py'}"
    plain = {name: value for name, value in os.environ.items() if "OPENAI" not in name}
    environment = {**plain, "MOCKSERVER_REDACTION_KEY": KEY, **environ}
    arguments = (command, str(suite), "--agent", agent, *options)
    done = run("harness", *arguments, cwd=suite.parent, env=environment)
    return done.returncode, done.stdout + done.stderr


def test_a_recorded_run_replays_without_a_key_and_cases_are_recorded_one_by_one(
    suite: Path, live: dict[str, str]
) -> None:
    code, told = harness(suite, "run", "--record-models", **live)
    assert code == 0, told
    kept = {path.name: path.read_bytes() for path in (suite / "cassettes").iterdir()}
    assert set(kept) == {"C-1.models.yaml", "C-2.models.yaml"}
    assert not [name for name, text in kept.items() if live["OPENAI_API_KEY"].encode() in text]
    code, told = harness(suite, "run", "--record-models", "--ids", "C-2", **live)
    assert code == 0, told
    assert (suite / "cassettes" / "C-1.models.yaml").read_bytes() == kept["C-1.models.yaml"]
    assert b"TWO-2" in (suite / "cassettes" / "C-2.models.yaml").read_bytes()
    code, told = harness(suite, "run", "--record-models", "--ids", "C-1", **live)
    assert code == 3, told
    assert "the model refused the key with status 401; set OPENAI_API_KEY" in " ".join(told.split())
    assert (suite / "cassettes" / "C-1.models.yaml").read_bytes() == kept["C-1.models.yaml"]
    code, told = harness(suite, "replay", "--strict")
    assert code == 0, told
    assert "2/2" in told


def test_what_a_recording_holds_back_is_told_by_case(suite: Path, live: dict[str, str]) -> None:
    cases = CASES.replace("Say two.", "Say two of Zx8Qp0vN3rT6yB1kM9wL4sD7.")
    (suite / "cases" / "a.yaml").write_text(cases, encoding="utf-8")
    code, told = harness(suite, "run", "--record-models", **live)
    assert code == 0, told
    assert "warning: C-2: 1 in question, kept redacted in" in told
    assert "C-1: 1 in question" not in told
    assert "Zx8Qp0vN3rT6yB1kM9wL4sD7" not in told


def test_each_trial_is_recorded_and_played_by_its_own_number(
    suite: Path, live: dict[str, str]
) -> None:
    (suite / "cases" / "a.yaml").write_text(CASES, encoding="utf-8")
    options = ("--record-models", "--ids", "C-2")
    code, told = harness(suite, "run", *options, "-n", "3", **live)
    assert code == 0, told
    tapes = sorted((suite / "cassettes").iterdir())
    assert [each.name for each in tapes] == [
        "C-2.models.2.yaml",
        "C-2.models.3.yaml",
        "C-2.models.yaml",
    ]
    said = {each.read_text("utf-8").partition("TWO-")[2][0] for each in tapes}
    assert said == {"1", "2", "3"}
    code, told = harness(suite, "replay", "--strict", "--ids", "C-2", "-n", "4", "--run-dir", "r")
    assert code == 0, told
    assert "trials 4/4" in told
    assert "C-2: trial 4 was not recorded; what models said in trial 1 answers it" in told
    [run] = [each for each in (suite.parent / "r").iterdir() if each.is_dir()]
    texts = [
        json.loads((run / "trials" / "C-2" / f"{each}.json").read_text())["replies"][0]["text"][:5]
        for each in (1, 2, 3, 4)
    ]
    assert len({*texts[:3]}) == 3
    assert texts[3] == texts[0]
    code, told = harness(suite, "run", *options, "-n", "2", **live)
    assert code == 0, told
    kept = [each.name for each in sorted((suite / "cassettes").iterdir())]
    assert kept == ["C-2.models.2.yaml", "C-2.models.yaml"]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--replay",), "leave --replay out"),
        (("--until-decided",), "records as many trials a case as are said"),
        (("--on", "processes:2"), "leave --record-models or --on out"),
        (("--agent", "http:http://127.0.0.1:9"), "this one is not started here"),
    ],
)
def test_what_does_not_go_with_recording_is_told(
    suite: Path, options: tuple[str, ...], error: str
) -> None:
    code, told = harness(suite, "run", "--record-models", *options)
    assert (code, error in told) == (2, True), told
    assert "Traceback" not in told
