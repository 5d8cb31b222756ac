"""`understudy demo` as a user has it: one command, from nothing to reports."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from harness.agents import DriverOptions, build_driver
from harness.cli.demo import DEMOS, Demo, teach
from harness.cli.reference_agents import (
    REFERENCE_AGENTS,
    bundled_fixtures,
    free_port,
    is_missing,
    reference_agent,
)
from harness.cli.understudy import _renamed
from harness.errors import HarnessError
from harness.storage import RunFolder
from tests.warm import run

ROOT = Path(__file__).parents[3]


def demo(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return run("harness", "demo", "-n", "1", *options, cwd=folder)


def failed(folder: Path) -> set[str]:
    (report,) = (folder / "runs").glob("*/report.json")
    cases = json.loads(report.read_text(encoding="utf-8"))["cases"]
    return {case["caseId"] for case in cases if case["status"] == "fail"}


@pytest.mark.slow
def test_the_demo_opens_with_a_line_for_each_suite_and_passes(tmp_path: Path) -> None:
    """From any folder; the agents and all servers are gone afterwards."""
    finished = demo(tmp_path, "--all")
    assert finished.returncode == 0, finished.stdout
    opening = finished.stdout.splitlines()[: len(DEMOS)]
    assert [line.split()[:2] for line in opening] == [[name, "passed"] for name in DEMOS]
    assert "understudy demo --all --flawed" in finished.stdout
    assert (
        f"understudy case show EC-001 --suite {ROOT / 'fixtures' / 'chrome-enterprise'}"
        in finished.stdout
    )
    runs = [path for path in (tmp_path / "runs").iterdir() if (path / "manifest.json").is_file()]
    assert len(runs) == len(DEMOS)
    for made in runs:
        assert {"report.json", "junit.xml", "summary.md"} <= {path.name for path in made.iterdir()}
        url = RunFolder(made).manifest().agent.partition(":")[2]
        if url.startswith("http"):
            gone = subprocess.run(["curl", "-s", "-m", "2", url], check=False, capture_output=True)
            assert gone.returncode == 7


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flaw", "cases"),
    [
        ("claims-write", {"EC-005", "EC-009", "EC-016"}),
        ("misses-rule", {"case_03"}),
        ("wrong-status", {"case_07", "case_08"}),
    ],
)
def test_a_flaw_fails_where_it_is_caught_and_the_gate_says_so(
    tmp_path: Path, flaw: str, cases: set[str]
) -> None:
    finished = demo(tmp_path, "--flaw", flaw)
    assert finished.returncode == 1
    assert failed(tmp_path) == cases
    assert f"agent with flaw {flaw}" in finished.stdout
    assert "exit 1" in finished.stdout
    assert "demo --all --flawed" not in finished.stdout


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["content-review", "coding-tasks", "sre"])
def test_a_worse_agent_fails_its_suite(tmp_path: Path, suite: str) -> None:
    finished = demo(tmp_path, suite, "--flawed")
    assert finished.returncode == 1
    assert len(failed(tmp_path)) > 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--flaw", "claims"], "no flaw is called 'claims' (chrome-enterprise: all, skips-tool"),
        (["sre", "--flaw", "misses-rule"], "no flaw is called 'misses-rule' (sre: skips-tool"),
        (["chrome"], "no bundled suite is called 'chrome' (chrome-enterprise, content-review"),
    ],
    ids=["flaw", "flaw of another", "suite"],
)
def test_what_is_not_there_is_told_with_what_is(
    tmp_path: Path, options: list[str], said: str
) -> None:
    finished = demo(tmp_path, *options)
    assert finished.returncode == 2
    assert said in finished.stderr
    assert not (tmp_path / "runs").exists()


def test_what_lies_in_the_current_folder_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fixtures" / "chrome-enterprise").mkdir(parents=True)
    (tmp_path / "fixtures" / "chrome-enterprise" / "registry.json").touch()
    assert bundled_fixtures() == ROOT / "fixtures"


def test_without_the_suites_there_is_nothing_to_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for place in ("_INSTALLED", "_CHECKOUT"):
        monkeypatch.setattr(f"harness.cli.reference_agents.{place}", tmp_path / "none")
    with pytest.raises(HarnessError, match="are not here"):
        bundled_fixtures()


def test_every_bundled_suite_with_an_agent_is_shown() -> None:
    assert list(DEMOS) == list(REFERENCE_AGENTS)


@pytest.mark.parametrize("demo", DEMOS.values(), ids=lambda demo: demo.name)
def test_a_flaw_reaches_the_agent_and_trials_are_then_short(demo: Demo) -> None:
    good = demo.options(Path("fixtures"), "", 3, 8, Path("runs"))
    bad = demo.options(Path("fixtures"), demo.flawed, 3, 8, Path("runs"))
    assert "--flawed" not in f"{good.agent} {good.serve}"
    assert f"--flawed {demo.flawed}" in f"{bad.agent} {bad.serve}"
    assert bad.timeout < good.timeout
    assert (good.suite, good.trials) == (Path("fixtures") / demo.name, 3)


FIXTURES = Path(__file__).parents[3] / "fixtures"


@pytest.mark.parametrize("name", REFERENCE_AGENTS)
async def test_every_bundled_suite_has_an_agent_that_can_be_reached(name: str) -> None:
    agent = reference_agent(FIXTURES / name)
    assert agent is not None
    assert "{" not in agent.agent + agent.serve
    driver = build_driver(agent.agent, DriverOptions(profile=agent.profile, input=agent.input))
    await driver.close()


def test_a_suite_of_the_same_name_elsewhere_has_none(tmp_path: Path) -> None:
    assert reference_agent(tmp_path / "sre") is None
    assert reference_agent(FIXTURES / "unknown") is None


def test_a_port_is_free() -> None:
    assert free_port() > 1023


def test_suites_are_copied_with_their_agents_and_nothing_is_replaced(tmp_path: Path) -> None:
    copied = demo(tmp_path, "travel", "--copy", "fixtures")
    assert (copied.returncode, copied.stdout) == (0, "fixtures/travel\n")
    assert (tmp_path / "fixtures/travel/agent/travel_agent.py").is_file()
    assert not list(tmp_path.rglob("__pycache__"))
    again = demo(tmp_path, "travel", "--copy", "fixtures")
    assert (again.returncode, "fixtures/travel is there already" in again.stderr) == (2, True)


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("lesson")
    done = run("harness", "demo", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, done.stdout


@pytest.mark.slow
def test_the_lesson_shows_what_tells_a_liar_from_a_good_agent(lesson: tuple[Path, str]) -> None:
    good, _, liar = lesson[1].partition("2. The same agent, lying")
    said = re.findall(r"it said +(.*)", lesson[1])
    assert said == ["Done: 2 seats on EX102, booking B1."] * 2
    assert "POST https://api.travel.example.com/v1/bookings -> 201" in good
    assert "travel.bookings: B1 added" in good
    assert re.search(r"its model said +book_flight .*EX102", good)
    assert re.search(r"its model said +Done: 2 seats", liar)
    assert re.search(r"verdict +PASSED", good)
    assert re.search(r"the server saw +no request\n +what changed +nothing\n", liar)
    assert re.search(r"verdict +FAILED\n +server requests: .* seen 0", liar)
    assert "- {method: travel.bookings.create" in liar
    assert max(len(line) for line in lesson[1].partition("Go on")[0].splitlines()) <= 100


@pytest.mark.slow
def test_the_commands_at_its_end_have_the_names_of_today(lesson: tuple[Path, str]) -> None:
    beside = str(Path(sys.executable).parent / "understudy")
    commands = [line.strip() for line in lesson[1].splitlines() if line.startswith(f"  {beside} ")]
    words = [shlex.split(command)[1:] for command in commands]
    assert len(words) == 5
    assert [each for each in words if _renamed(each)] == []


@pytest.mark.slow
def test_the_commands_at_its_end_work_as_printed(lesson: tuple[Path, str]) -> None:
    folder, said = lesson
    beside = str(Path(sys.executable).parent / "understudy")
    commands = [line.strip() for line in said.splitlines() if line.startswith(f"  {beside} ")]
    for command in commands:
        done = run("understudy", *shlex.split(command)[1:], cwd=folder)
        codes = {0, 1} if "doctor" in command else {int("--flawed" in command)}
        assert done.returncode in codes, done.stdout + done.stderr


@pytest.mark.slow
def test_a_liar_that_passed_would_be_told_by_the_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("harness.cli.demo.FLAW", "")
    assert teach(FIXTURES, Path("kept")) == 1
    shown = capsys.readouterr().out
    assert "--run-dir kept" in shown


@pytest.mark.parametrize(("module", "missing"), [("json", False), ("no_such.module", True)])
def test_modules_of_agents_are_looked_for(module: str, *, missing: bool) -> None:
    assert is_missing(module) is missing
