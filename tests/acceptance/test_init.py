"""What `understudy init` writes into an agent's repository runs, and `understudy.yaml` is read."""

from pathlib import Path

import pytest
import yaml

from tests.acceptance.commands import harness
from tests.warm import run

pytestmark = pytest.mark.slow


def init(folder: Path) -> None:
    run("mockserver", "init", cwd=folder).check_returncode()


@pytest.mark.parametrize(
    ("program", "passed"), [("print('I count things.')", 1), ("pass", 0), ("", 1)]
)
def test_a_new_project_runs_as_it_was_written(tmp_path: Path, program: str, passed: int) -> None:
    if program:
        (tmp_path / "agent.py").write_text(program, encoding="utf-8")
    init(tmp_path)
    workflow = yaml.safe_load((tmp_path / ".github/workflows/understudy.yml").read_text())
    commands = [step["run"].split() for step in workflow["jobs"]["cases"]["steps"] if "run" in step]
    lint, done = (harness(tmp_path, *each[1:]) for each in commands if each[0] == "understudy")
    assert lint.code == 0, lint.said
    assert f"cases  {passed}/1" in done.said, done.said
    assert done.code == (0 if passed else 1)


def test_a_project_file_that_says_what_it_may_not_is_told(tmp_path: Path) -> None:
    (tmp_path / "understudy.yaml").write_text("agnet: oracle\n", encoding="utf-8")
    done = harness(tmp_path, "run")
    assert (done.code, "understudy.yaml:1: unknown key 'agnet'" in done.said) == (2, True)


def test_options_come_before_the_project_file(tmp_path: Path) -> None:
    init(tmp_path)
    done = harness(tmp_path, "run", "--agent", "null", "--trials", "2")
    assert "trials 0/2" in done.said, done.said


_ASKS = """\
import json, os, urllib.request
answer = urllib.request.urlopen("https://api.weather.example.com/v1/sky")
print(json.load(answer)["sky"], os.environ.get("GIVEN_KEY"), os.environ.get("ABSENT_KEY"))
"""


def test_a_new_project_tells_what_its_apis_do_not_answer_yet(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(_ASKS, encoding="utf-8")
    init(tmp_path)
    failed = harness(tmp_path, "run")
    assert failed.code == 1
    told = " ".join(failed.said.split())
    assert "nothing answered GET api.weather.example.com/v1/sky: weather has no route" in told
    assert '{route: "GET /v1/sky", body: ...}' in told
    escaped = harness(tmp_path, "run", "--no-intercept")
    assert "--intercept leads its clients to the suite" in " ".join(escaped.said.split())
    apis = tmp_path / "evals" / "apis" / "weather.yaml"
    stub = 'stubs: [{route: "GET /v1/sky", body: {sky: clear}}]'
    apis.write_text(apis.read_text().replace("stubs: []", stub), encoding="utf-8")
    done = harness(tmp_path, "run", GIVEN_KEY="given")
    assert done.code == 0, done.said
    assert done.trial("FIRST-001")["replies"][0]["text"].strip() == "clear given None"
    assert harness(tmp_path, "run", "--agent", "oracle").code == 0
