"""`understudy run` as a user has it: a process, its output, its exit code, its run directory."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.cli.options import run_path
from harness.cli.run import execute
from harness.cli.run_options import RunOptions
from harness.errors import HarnessError
from harness.storage import Baselines, RunFolder
from tests.patience import PATIENCE_S

HARNESS = [sys.executable, "-m", "harness"]
STUBBORN = """\
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(60)
"""


def run_folder(runs: Path) -> RunFolder:
    (path,) = runs.iterdir()
    return RunFolder(path)


@pytest.fixture
def harness(office: Path, mock_url: str, tmp_path: Path) -> Callable[..., Any]:
    def call(*arguments: str, **environment: str) -> Any:
        fixed = [str(office), "--mock", mock_url, "--run-dir", str(tmp_path / "runs")]
        return CliRunner().invoke(app, ["run", *fixed, *arguments], env=environment)

    return call


def test_the_report_alone_is_on_standard_output(harness: Callable[..., Any]) -> None:
    result = harness("-a", "oracle", "--json", "--log-format", "json")
    assert {case["verdict"] for case in json.loads(result.stdout)["cases"]} == {"passed"}
    events = [json.loads(line) for line in result.stderr.splitlines() if line.startswith("{")]
    assert [each["status"] for each in events] == ["pass", "pass"]
    assert "2/2" in result.stderr


@pytest.mark.parametrize(("agent", "code"), [("oracle", 0), ("null", 1), ("echo", 1)])
def test_the_doubles_prove_the_suite(harness: Callable[..., Any], agent: str, code: int) -> None:
    """A suite that a parrot passes, or a perfect agent fails, is of no use."""
    result = harness("--agent", agent)
    assert result.exit_code == code
    assert ("2/2" if agent == "oracle" else "0/2") in result.output


def test_a_run_leaves_its_directory_and_reports(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    """CEP-36, CEP-83."""
    copy = tmp_path / "out" / "copy.json"
    result = harness("-a", "oracle", "-n", "2", "--note", "why not", "--json-output", str(copy))
    assert result.exit_code == 0
    folder = run_folder(tmp_path / "runs")
    names = {path.name for path in folder.path.iterdir()}
    assert names >= {"manifest.json", "cases", "trials", "decisions", "report.json", "junit.xml"}
    assert [(item.case, item.number) for item in folder.records()] == [
        ("T-001", 1),
        ("T-001", 2),
        ("T-002", 1),
        ("T-002", 2),
    ]
    assert json.loads(copy.read_text(encoding="utf-8"))["note"] == "why not"


def test_the_variables_of_chrome_suites_select_and_shape(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    """CEP-25, CEP-31, CEP-34: one case against a server that is already up."""
    result = harness("-a", "oracle", EVAL_IDS="T-002", EVAL_VERBOSE="1", EVAL_SERIAL="1")
    assert result.exit_code == 0
    assert "T-002 #1 pass" in result.stderr
    assert "T-001" not in result.output
    assert run_folder(tmp_path / "runs").manifest().options["concurrency"] == 1


def test_a_rehearsal_asks_no_agent_and_gives_no_verdict(harness: Callable[..., Any]) -> None:
    """CEP-24, CEP-35."""
    result = harness(EVAL_TEST_MODE="1")
    assert result.exit_code == 5
    assert "SYNTHETIC" in result.output
    assert "no pass rate" in result.output


def test_an_agent_that_is_not_there_has_no_pass_rate(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    """Pitfall 5; CEP-32: the agent is the one at CHAT_URL."""
    result = harness("--retries", "0", CHAT_URL="http://127.0.0.1:9/api/chat")
    assert result.exit_code == 3
    assert "no pass rate" in result.output
    manifest = run_folder(tmp_path / "runs").manifest()
    assert (manifest.agent, manifest.options["inject"]) == (
        "http:http://127.0.0.1:9/api/chat",
        True,
    )


@pytest.mark.slow
def test_an_agent_that_hangs_and_ignores_sigterm_is_the_agents_fault(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    """Pitfall 14."""
    script = tmp_path / "agent.py"
    script.write_text(STUBBORN, encoding="utf-8")
    agent = f"command:{sys.executable} {script}"
    result = harness("-a", agent, "--timeout", "0.3", "--ids", "T-001")
    assert result.exit_code == 1
    (record,) = run_folder(tmp_path / "runs").records()
    assert record.outcome == "agent_error"


def test_the_second_run_is_held_against_the_first(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    """CEPR-13."""
    lines = tmp_path / "lines.yaml"
    agent = f"scripted:{lines}"
    good = {"text": "Laboratory", "toolCalls": [{"name": "listOrgUnits"}]}
    outputs = []
    for text in (good, "Nothing"):
        lines.write_text(json.dumps({"T-001": [text], "T-002": ["x", "x"]}), encoding="utf-8")
        outputs.append(harness("-a", agent, "--ids", "T-001").output)
    assert "against run" not in outputs[0]
    assert "NEW FAILURES 1: T-001" in outputs[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["--ids", "T-01"], "did you mean 'T-001'", id="typo"),
        pytest.param(["--agent", "ecko"], "did you mean 'echo'", id="agent"),
        pytest.param(["--agent", "python:json:dumps", "--env", "X"], "no such variable", id="env"),
        pytest.param(
            ["--agent", "command:ls", "--env", "X=https://admin.googleapis.com"], "live", id="live"
        ),
    ],
)
def test_a_mistake_is_told_before_anything_is_written(
    harness: Callable[..., Any], tmp_path: Path, arguments: list[str], said: str
) -> None:
    """Pitfalls 7 and 23: exit 2, never green without evaluating."""
    result = harness("--agent", "echo", *arguments)
    assert isinstance(result.exception, HarnessError)
    assert result.exception.exit_code == 2
    assert said in str(result.exception)
    assert not (tmp_path / "runs").exists()


def test_a_server_of_another_suite_is_warned_of(
    mock_url: str, office: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    for name in ("cases.yaml", "T-001/overrides.json"):
        (other / name).parent.mkdir(exist_ok=True, parents=True)
        (other / name).write_bytes((office / name).read_bytes())
    options = RunOptions(suite=other, agent="echo", run_dir=tmp_path / "runs", mock=mock_url)
    execute(options)
    assert f"does not serve '{other}'" in capsys.readouterr().err


def test_live_hosts_are_allowed_on_request(harness: Callable[..., Any]) -> None:
    live = ["--env", "X=https://admin.googleapis.com", "--live"]
    assert harness("--agent", "command:echo hi", *live).exit_code == 1


def test_a_server_that_is_not_managed_must_be_there(office: Path, tmp_path: Path) -> None:
    """CEP-30."""
    options = RunOptions(suite=office, agent="echo", run_dir=tmp_path, mock="http://127.0.0.1:9")
    with pytest.raises(HarnessError, match="no mock server answers") as raised:
        execute(options)
    assert raised.value.exit_code == 3


def test_broken_fixtures_are_told_before_the_server_starts(tmp_path: Path, office: Path) -> None:
    suite = tmp_path / "suite"
    (suite / "base").mkdir(parents=True)
    (suite / "base" / "a.json").write_text('{"orgUnit": []}', encoding="utf-8")
    text = (office / "cases.yaml").read_text(encoding="utf-8").split("  - id: T-002")[0]
    lines = [line for line in text.splitlines() if "overrides" not in line]
    (suite / "cases.yaml").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(HarnessError, match="orgUnit") as raised:
        execute(RunOptions(suite=suite, agent="echo", run_dir=tmp_path / "runs"))
    assert raised.value.exit_code == 2


GATED = (
    "mkdir $0/$$; [ -e $0/open ] || [ $(ls $0 | wc -l) -le 14 ] || exec sleep 60; echo Laboratory"
)
"""An agent that replies fourteen times, and never again before the gate is open."""


@contextmanager
def started(office: Path, mock_url: str, runs: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    fixed = [str(office), "--mock", mock_url, "--run-dir", str(runs), "-v", *more]
    gate(runs).mkdir()
    with subprocess.Popen(
        [
            *HARNESS,
            "run",
            *fixed,
            "-a",
            f"command:sh -c '{GATED}' {gate(runs)}",
            "-n",
            "10",
            "-j",
            "2",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


def gate(runs: Path) -> Path:
    return runs.with_name(f"{runs.name}-gate")


def until_finished(process: subprocess.Popen[str], trials: int) -> None:
    """Wait until so many trials have been told as finished."""
    assert process.stderr is not None
    while trials:
        trials -= process.stderr.readline().endswith(" ms\n")


def resume(mock_url: str, folder: RunFolder) -> subprocess.CompletedProcess[str]:
    command = [*HARNESS, "run", "--resume", str(folder.path), "--mock", mock_url]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished_and_the_run_can_be_finished(
    office: Path, mock_url: str, tmp_path: Path
) -> None:
    with started(office, mock_url, tmp_path) as process:
        until_finished(process, 3)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "--resume" in output
    folder = run_folder(tmp_path)
    kept = {(item.case, item.number): item for item in folder.records()}
    assert 3 <= len(kept) < 20
    (gate(tmp_path) / "open").touch()
    again = resume(mock_url, folder)
    assert again.returncode == 1, again.stderr
    records = {(item.case, item.number): item for item in folder.records()}
    assert len(records) == 20
    assert all(records[key] == item for key, item in kept.items())


@pytest.mark.slow
def test_a_killed_run_loses_no_finished_trial(office: Path, mock_url: str, tmp_path: Path) -> None:
    """Pitfall 12: kill -9 at several moments, then resume."""
    for trials in (1, 4, 7):
        runs = tmp_path / str(trials)
        with started(office, mock_url, runs) as process:
            until_finished(process, trials)
            process.kill()
            process.wait()
        folder = run_folder(runs)
        kept = {(item.case, item.number): item for item in folder.records()}
        assert len(kept) >= trials
        (gate(runs) / "open").touch()
        assert resume(mock_url, folder).returncode == 1
        records = {(item.case, item.number): item for item in folder.records()}
        assert len(records) == 20
        assert all(records[key] == item for key, item in kept.items())


def test_a_managed_server_is_started_and_stopped(office: Path, tmp_path: Path) -> None:
    """CEP-12, CEP-21."""
    assert execute(RunOptions(suite=office, agent="oracle", run_dir=tmp_path)) == 0


SUITE = {
    "name": "depots",
    "tasks": [
        {
            "id": id,
            "category": "search_retrieval",
            "prompt": "Where is it?",
            "expectedPatterns": ["contains:Utrecht"],
        }
        for id in ("one", "two")
    ],
}


@pytest.fixture
def run_baselines_harness(mock_url: str, tmp_path: Path) -> Callable[..., Any]:
    (tmp_path / "tasks.json").write_text(json.dumps(SUITE), encoding="utf-8")

    def call(answer: str, *arguments: str, trials: int | None = 3) -> Any:
        script = tmp_path / "script.yaml"
        script.write_text(json.dumps(dict.fromkeys(("one", "two"), answer)), encoding="utf-8")
        fixed = ["--suite", str(tmp_path / "tasks.json"), "--mock", mock_url]
        runs = ["--run-dir", str(tmp_path / "runs"), "-a", f"scripted:{script}"]
        number = ["-n", str(trials)] if trials else []
        return CliRunner().invoke(app, ["run", *fixed, *runs, *number, *arguments])

    return call


def test_a_run_that_falls_behind_its_baseline_exits_with_4_and_does_not_take_its_place(
    run_baselines_harness: Callable[..., Any], tmp_path: Path
) -> None:
    """CTXR-05, CTX-18, CTX-26: saved in a file, held against it, and a regression is a gate."""
    file = tmp_path / "kept" / "baseline.json"
    options = ("--baseline", str(file), "--save-baseline")
    saved = run_baselines_harness("In Utrecht.", *options)
    assert saved.exit_code == 0, saved.output
    assert f"baseline saved in {file}" in saved.output
    before = file.read_bytes()
    worse = run_baselines_harness("In Lima.", *options, "--threshold", "0.1")
    assert worse.exit_code == 1  # a failed gate weighs more than a regression, both are told
    assert "exit 4:" in worse.output
    assert "stays as it was" in worse.stderr
    assert file.read_bytes() == before
    again = run_baselines_harness("Utrecht it is.", *options)
    assert again.exit_code == 0
    assert file.read_bytes() != before


def test_a_baseline_that_is_not_there_is_an_error_and_no_dim_line(
    run_baselines_harness: Callable[..., Any], tmp_path: Path
) -> None:
    """CTXR-05."""
    found = run_baselines_harness("In Utrecht.", "--baseline", str(tmp_path / "none.json"))
    assert isinstance(found.exception, HarnessError)
    assert "no baseline at" in str(found.exception)
    assert "--save-baseline" in found.exception.hint
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("options", "code", "headline"),
    [([], 4, "CHANGED:"), (["--allow-removed"], 0, "INCONCLUSIVE:")],
    ids=["gone", "allowed"],
)
def test_cases_that_are_gone_need_leave_in_code_and_headline_alike(
    run_baselines_harness: Callable[..., Any],
    tmp_path: Path,
    options: list[str],
    code: int,
    headline: str,
) -> None:
    """Pitfall 20"""
    file = str(tmp_path / "baseline.json")
    assert (
        run_baselines_harness("In Utrecht.", "--baseline", file, "--save-baseline").exit_code == 0
    )
    found = run_baselines_harness("In Utrecht.", "--baseline", file, "--ids", "one", *options)
    assert (found.exit_code, headline in found.output) == (code, True), found.output


def test_without_a_file_the_run_becomes_the_baseline_of_its_suite(
    run_baselines_harness: Callable[..., Any], tmp_path: Path
) -> None:
    """CTX-21, CTX-27."""
    assert run_baselines_harness("In Utrecht.", "--save-baseline").exit_code == 0
    (made,) = Baselines(tmp_path / "runs").all()
    assert (tmp_path / "runs" / made.run).is_dir()
    assert made.suite == "tasks"


@pytest.mark.parametrize(("options", "at_a_time"), [((), 1), (("-j", "3"), 3)])
def test_tasks_run_one_by_one_where_nothing_else_is_said(
    run_baselines_harness: Callable[..., Any],
    tmp_path: Path,
    options: tuple[str, ...],
    at_a_time: int,
) -> None:
    """CTX-19: one after the other, each in a session of its own."""
    assert run_baselines_harness("In Utrecht.", *options).exit_code == 0
    (path,) = (tmp_path / "runs").glob("*/manifest.json")
    folder = RunFolder(path.parent)
    assert folder.manifest().options["concurrency"] == at_a_time
    assert len({record.session for record in folder.records()}) == 6


def test_trials_are_added_until_the_comparison_is_decided(
    run_baselines_harness: Callable[..., Any], tmp_path: Path
) -> None:
    """A baseline is asked for, the looks tell the number of trials, and a verdict ends it."""
    file = tmp_path / "baseline.json"
    assert (
        run_baselines_harness("In Utrecht.", "--baseline", str(file), "--save-baseline").exit_code
        == 0
    )
    options = ["--baseline", str(file), "--until-decided", "--margin", "0.6"]
    found = run_baselines_harness("In Utrecht.", *options, trials=None)
    assert found.exit_code == 0, found.output
    assert "looked at after 3 trials a case, at alpha = 0.0167 each time" in found.output


@pytest.mark.parametrize(
    ("options", "trials", "said"),
    [
        (["--until-decided"], None, "--until-decided needs a baseline"),
        (["--until-decided", "--baseline", "FILE"], 5, "leave --trials out"),
        (["--until-decided", "--baseline", "FILE", "--shard", "1/2"], None, "leave --shard out"),
    ],
    ids=["baseline", "trials", "shard"],
)
def test_what_goes_not_with_until_decided_is_told(
    run_baselines_harness: Callable[..., Any],
    tmp_path: Path,
    options: list[str],
    trials: int | None,
    said: str,
) -> None:
    file = tmp_path / "baseline.json"
    assert (
        run_baselines_harness("In Utrecht.", "--baseline", str(file), "--save-baseline").exit_code
        == 0
    )
    named = [str(file) if each == "FILE" else each for each in options]
    assert said in str(run_baselines_harness("In Utrecht.", *named, trials=trials).exception)


def test_a_run_that_is_topped_up_needs_its_baseline_to_be_resumed(
    run_baselines_harness: Callable[..., Any], mock_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "baseline.json"
    options = ["--baseline", str(file), "--margin", "0.6"]
    assert run_baselines_harness("In Utrecht.", *options, "--save-baseline").exit_code == 0
    assert (
        run_baselines_harness("In Utrecht.", *options, "--until-decided", trials=None).exit_code
        == 0
    )
    runs = tmp_path / "runs"
    latest = run_path("latest", runs)
    (latest / "trials" / "one" / "3.json").unlink()
    resume = ["run", "--resume", str(latest), "--mock", mock_url, "--run-dir", str(runs)]
    lost = CliRunner().invoke(app, resume)
    assert "give it again to resume" in str(lost.exception)
    found = CliRunner().invoke(app, [*resume, *options])
    assert (found.exit_code, "NOT WORSE" in found.output) == (0, True), found.output


@pytest.mark.parametrize(
    ("deterministic", "code"), [(True, 4), (False, 0)], ids=["deterministic", "not"]
)
def test_a_deterministic_case_may_not_change_at_all(
    mock_url: str, tmp_path: Path, *, deterministic: bool, code: int
) -> None:
    """One trial says enough where the agent answers the same every time; better is a change too."""
    suite = tmp_path / "cases.yaml"
    case = {
        "id": "D-1",
        "input": "Say hello.",
        "deterministic": deterministic,
        "expect": {"text": {"contains": ["good morning"]}},
        "reference": {"answer": "Good morning."},
    }
    suite.write_text(json.dumps({"cases": [case]}), encoding="utf-8")
    fixed = ["run", str(suite), "--mock", mock_url, "--run-dir", str(tmp_path / "runs"), "-n", "1"]
    assert CliRunner().invoke(app, [*fixed, "-a", "echo"]).exit_code == 1
    found = CliRunner().invoke(app, [*fixed, "-a", "oracle", "--baseline", "latest"])
    assert found.exit_code == code, found.output
    assert ("CHANGED OUTCOME (declared deterministic):" in found.output) == deterministic
