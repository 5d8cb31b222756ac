import json
import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from harness.cli.main import app
from harness.errors import HarnessError
from mockserver.cassettes.files import write_cassette
from mockserver.model import Cassette, CassetteInfo, Match
from tests.command_line import command_of
from tests.recordings import interaction

pytestmark = pytest.mark.slow

AGENT = """
import os
import urllib.request


def answer(messages, environment):
    url = environment["GOOGLE_API_BASE_URL"] + "/" + messages[-1]["content"]
    try:
        text = urllib.request.urlopen(url).read().decode()
    except urllib.error.HTTPError as error:
        text = f"failed {error.code}"
    return f"{text} at {environment.get('SOURCE_DATE_EPOCH')}"
"""
CASE = """
id: PLAYED
input: api.example.com/v1/things
fixtures: {clock: shift, cassettes: calls}
expect: {text: {contains: ["bolt", "at 1793523600"]}}
"""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "agent_that_asks.py").write_text(AGENT, encoding="utf-8")
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "a.json").write_text('{"capturedAt": "2026-11-01T09:00:00Z"}', "utf-8")
    (tmp_path / "played.yaml").write_text(CASE, encoding="utf-8")
    calls = interaction("https://api.example.com/v1/things", {"things": ["bolt"]})
    (tmp_path / "cassettes").mkdir()
    write_cassette(
        Cassette("calls", (calls,), CassetteInfo()), tmp_path / "cassettes" / "calls.yaml"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def replay(suite: Path, *arguments: str) -> Result:
    agent = ("--agent", "python:agent_that_asks:answer")
    return CliRunner().invoke(app, ["replay", str(suite), *agent, *arguments])


DURATION = re.compile(r'"(durationMs|mean|min|max|p\d+|text)": .*|time="[\d.]+"|, [\d.]+ s"')


def reports(suite: Path) -> list[dict[str, str]]:
    """The reports of each run, durations aside."""
    return [
        {
            name: DURATION.sub("", (run / name).read_text("utf-8"))
            for name in ("report.json", "junit.xml", "summary.md")
        }
        for run in sorted((suite / "runs").iterdir())
    ]


def test_two_replays_give_the_same_reports_but_for_durations(suite: Path) -> None:
    for _ in range(2):
        result = replay(suite, "--strict")
        assert result.exit_code == 0, result.output
    one, other = reports(suite)
    assert one == other
    assert '"runId": "replay-' in one["report.json"]


def test_a_replay_proves_that_its_server_reached_nothing(suite: Path) -> None:
    assert replay(suite).exit_code == 0
    (proof,) = suite.glob("runs/*/connections.json")
    assert json.loads(proof.read_text("utf-8")) == {"opened": 0, "refused": 0}


def test_what_was_not_recorded_is_a_replay_miss_and_what_is_left_is_told(suite: Path) -> None:
    (suite / "played.yaml").write_text(CASE.replace("v1/things", "v1/nothing"), encoding="utf-8")
    result = replay(suite)
    assert result.exit_code == 5, result.output
    assert "no recording answers GET" in result.output
    assert "calls 1: GET https://api.example.com/v1/things" in result.output
    run = next((suite / "runs").iterdir())
    report = json.loads((run / "report.json").read_text("utf-8"))
    assert report["summary"]["trials"]["replay_miss"] == 1
    assert report["summary"]["recordingsUnused"] == [
        "calls 1: GET https://api.example.com/v1/things"
    ]


def test_a_strict_replay_fails_for_recordings_that_are_left(suite: Path) -> None:
    silent = CASE.replace('{contains: ["bolt", "at 1793523600"]}', '{contains: ["failed"]}')
    (suite / "played.yaml").write_text(
        silent.replace("api.example.com/v1/things", "admin.googleapis.com/none"), encoding="utf-8"
    )
    assert replay(suite).exit_code == 0
    result = replay(suite, "--strict")
    assert result.exit_code == 1
    assert "recordings that nobody asked for (strict)" in result.output


COMMAND = """
import json, os, sys, urllib.request

for host in ("api.openai.com", "api.example.com"):
    try:
        sys.stdout.write(urllib.request.urlopen(f"https://{host}/v1/things").read().decode())
    except OSError:
        pass
"""


def test_a_live_address_that_an_agent_tried_is_told_and_fails_where_that_is_strict(
    suite: Path,
) -> None:
    agent = suite / "agent.py"
    agent.write_text(COMMAND, encoding="utf-8")
    case = CASE.replace('contains: ["bolt", "at 1793523600"]', 'contains: ["bolt"]')
    (suite / "played.yaml").write_text(case, encoding="utf-8")
    arguments = ["replay", str(suite), "--agent", f"command:{sys.executable} {agent}"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "live addresses tried: PLAYED: api.openai.com:443" in result.output
    result = CliRunner().invoke(app, [*arguments, "--strict"])
    assert result.exit_code == 1, result.output
    assert "live addresses that agents tried (strict): PLAYED: api.openai.com:443" in result.output


@pytest.mark.parametrize(("option", "value"), [("--barriers", "none"), ("--match", "method,paths")])
def test_a_word_that_no_replay_knows_is_refused(suite: Path, option: str, value: str) -> None:
    result = replay(suite, option, value)
    assert isinstance(result.exception, HarnessError)
    assert "known are" in str(result.exception)


def test_a_replay_compares_by_what_it_is_told(suite: Path) -> None:
    (suite / "played.yaml").write_text(CASE.replace("v1/things", "v1/things?at=2"), "utf-8")
    assert replay(suite).exit_code == 5
    assert replay(suite, "--match", "method,path").exit_code == 0


def test_an_exact_replay_refuses_near_recordings(suite: Path) -> None:
    asked = "v1/things?trace={}"
    calls = interaction(f"https://api.example.com/{asked.format('a1b2')}", {"things": ["bolt"]})
    tape = Cassette("calls", (calls,), CassetteInfo(match=Match(varies=("/query/trace",))))
    write_cassette(tape, suite / "cassettes" / "calls.yaml")
    (suite / "played.yaml").write_text(CASE.replace("v1/things", asked.format("c3d4")), "utf-8")
    assert replay(suite).exit_code == 0
    assert replay(suite, "--exact").exit_code == 5
    (suite / "played.yaml").write_text(CASE.replace("v1/things", asked.format("a1b2")), "utf-8")
    assert replay(suite, "--exact").exit_code == 0


def test_a_replay_reaches_no_live_host(suite: Path) -> None:
    result = CliRunner().invoke(app, ["run", str(suite), "--agent", "null", "--replay", "--live"])
    assert isinstance(result.exception, HarnessError)
    assert "reaches no live host" in str(result.exception)


def test_what_would_let_something_else_in_is_no_option() -> None:
    options = {
        name: {item.name for item in command_of(app, name).params} for name in ("run", "replay")
    }
    assert options["run"] - options["replay"] == {
        "replay", "live", "mock", "mock_token", "manage_server", "use_base", "use_fixtures",
        "fixtures", "test_mode", "resume", "record_models", "made_up",
    }  # fmt: skip
    assert "strict" in options["replay"]
