"""Runs with simulated users: scripted, played by a model, and said again from a recording."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result
from typing_extensions import override

from harness.agents import AgentDriver, Task, Transcript
from harness.cli.main import app
from harness.errors import HarnessError
from harness.model import SimulatedUser
from harness.runner import RunSettings, Users, check_users
from mockserver.testing import mock
from tests.harness.records import case


class AskedOnce(AgentDriver):
    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        raise NotImplementedError

    @override
    async def close(self) -> None:
        return


CASES = """
cases:
  - id: REFUND
    input: I want my money back.
    user:
      goal: a refund for order A1
      reached: refunded
      replies: [{agent: order, say: It is A1.}]
"""
SCRIPT = """
REFUND: [Which order?, "Order A1 is refunded.", "Anything else?"]
"""
STUBBORN = "REFUND: [Which order?, No., Which order?, No.]\n"
MODEL = """
replies:
  - {user: Which order, text: "The one of Monday, A1.", usage: {input: 9, output: 4}}
  - {text: "[give up]"}
"""


def told(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)])


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "evals" / "cases").mkdir(parents=True)
    (tmp_path / "evals" / "cases" / "refund.yaml").write_text(CASES, encoding="utf-8")
    (tmp_path / "good.yaml").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "bad.yaml").write_text(STUBBORN, encoding="utf-8")
    return tmp_path / "evals"


def run(suite: Path, script: str, *more: object) -> tuple[Result, dict[str, Any]]:
    runs = suite.parent / "runs"
    result = told("run", suite, "-a", f"scripted:{suite.parent / script}", "--run-dir", runs, *more)
    paths = sorted(runs.glob("*/trials/REFUND/1.json"), key=lambda path: path.stat().st_mtime_ns)
    return result, json.loads(paths[-1].read_bytes()) if paths else {}


def test_a_scripted_user_goes_on_until_it_has_what_it_wants(suite: Path) -> None:
    result, trial = run(suite, "good.yaml")
    assert result.exit_code == 0, result.output
    assert [each["prompt"] for each in trial["replies"]] == ["I want my money back.", "It is A1."]
    assert trial["user"] == {
        "ended": "goal", "model": "", "recorded_in": "",
        "lines": [{"turn": 2, "text": "It is A1.", "by": "replies[0]", "input_tokens": None,
                   "output_tokens": None}],
    }  # fmt: skip
    checked = told("recheck", "latest", "--run-dir", suite.parent / "runs")
    assert checked.exit_code == 0, checked.output


def test_a_user_that_gets_nothing_fails_the_trial(suite: Path) -> None:
    result, _ = run(suite, "bad.yaml")
    assert result.exit_code == 1
    assert "because the user had nothing to say to it; expected goal" in " ".join(
        result.output.split()
    )


@pytest.mark.slow
def test_a_model_plays_the_user_and_its_words_are_said_again(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = suite.parent / "world" / "models"
    models.mkdir(parents=True)
    (models / "user.yaml").write_text(MODEL, encoding="utf-8")
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-the-user")
    with mock(models.parent, environment=False) as session:
        result, trial = run(suite, "good.yaml", "--user-model", "openai:gpt-5")
    assert result.exit_code == 0, result.output
    [line] = trial["user"]["lines"]
    assert (line["text"], line["by"], line["input_tokens"]) == (
        "The one of Monday, A1.",
        "model",
        9,
    )
    assert session.requests[-1].method_id == "openai.chat.completions.create"
    assert "secret-of-the-user" not in json.dumps(trial)

    again, said = run(suite, "good.yaml", "--user-from", "latest")
    assert again.exit_code == 0, again.output
    assert said["user"]["lines"] == trial["user"]["lines"]
    assert said["user"]["model"] == "openai:gpt-5"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--user-model", "gpt-5"), "is not written 'gpt-5'"),
        (("--user-model", "openai:m", "--replay"), "a replay asks no model"),
        (("--user-from", "latest"), "no run 'latest'"),
    ],
)
def test_a_user_that_cannot_speak_is_told_before_the_run(
    options: tuple[str, ...], problem: str, suite: Path
) -> None:
    replay = "--replay" in options
    more = [each for each in options if each != "--replay"]
    runs = suite.parent / "runs"
    agent = f"scripted:{suite.parent / 'good.yaml'}"
    result = told("replay" if replay else "run", suite, "-a", agent, "--run-dir", runs, *more)
    assert isinstance(result.exception, HarnessError), result.output
    assert problem in str(result.exception)


def test_an_agent_that_is_asked_once_is_refused() -> None:
    user = SimulatedUser.model_validate({"replies": [{"say": "Go on."}]})
    with pytest.raises(HarnessError, match="this agent is asked only once"):
        check_users([case(user=user)], RunSettings(), AskedOnce(), Users())
    check_users([case()], RunSettings(), AskedOnce(), Users())
    check_users([case(user=user)], RunSettings(synthetic=True), AskedOnce(), Users())


@pytest.mark.slow
def test_a_run_without_the_user_has_nothing_to_say_again(suite: Path) -> None:
    result, _ = run(suite, "good.yaml")
    assert result.exit_code == 0
    text = CASES.replace("REFUND", "OTHER")
    (suite / "cases" / "refund.yaml").write_text(text, encoding="utf-8")
    other, _ = run(suite, "good.yaml", "--user-from", "latest")
    assert "has no recording of the user of case 'OTHER'" in str(other.exception)


def test_a_goal_without_words_names_the_options(suite: Path) -> None:
    text = CASES.replace("replies: [{agent: order, say: It is A1.}]", "patience: 3")
    (suite / "cases" / "refund.yaml").write_text(text, encoding="utf-8")
    result, _ = run(suite, "good.yaml")
    assert "write replies, or name a model with --user-model" in str(result.exception)
