"""`harness demo` as a user has it: one command, from nothing to reports."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli.demo import FLAWS, SUITE, bundled_suite
from harness.demo.flaws import FLAWS as AGENT_FLAWS
from harness.errors import HarnessError
from harness.storage import RunFolder

ROOT = Path(__file__).parents[3]


def demo(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "harness", "demo", "-n", "1", *options]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


def failed(folder: Path) -> set[str]:
    (run,) = (folder / "runs").glob("*/report.json")
    cases = json.loads(run.read_text(encoding="utf-8"))["cases"]
    return {case["caseId"] for case in cases if case["status"] == "fail"}


@pytest.mark.slow
def test_the_demo_passes_and_says_what_to_try_next(tmp_path: Path) -> None:
    """From any folder; the agent and both servers are gone afterwards."""
    finished = demo(tmp_path)
    assert (finished.returncode, failed(tmp_path)) == (0, set())
    assert "harness demo --flawed" in finished.stdout
    assert f"harness show EC-001 --suite {ROOT / SUITE}" in finished.stdout
    (run,) = (path for path in (tmp_path / "runs").iterdir() if path.is_dir())
    assert {"report.json", "junit.xml", "summary.md"} <= {path.name for path in run.iterdir()}
    agent = RunFolder(run).manifest().agent
    assert demo(tmp_path, "--flaw", "x").returncode == 2
    with pytest.raises(subprocess.CalledProcessError):
        subprocess.run(
            ["curl", "-s", "-m", "2", agent.removeprefix("http:")], check=True, capture_output=True
        )


@pytest.mark.slow
def test_a_flaw_fails_where_it_is_caught_and_the_gate_says_so(tmp_path: Path) -> None:
    finished = demo(tmp_path, "--flaw", "claims-write")
    assert finished.returncode == 1
    assert failed(tmp_path) == {"EC-005", "EC-009", "EC-016"}
    assert "agent with flaw claims-write" in finished.stdout
    assert "exit 1" in finished.stdout
    assert "harness demo --flawed" not in finished.stdout


def test_an_unknown_flaw_is_told_with_the_known_ones(tmp_path: Path) -> None:
    finished = demo(tmp_path, "--flaw", "claims")
    assert finished.returncode == 2
    assert "no flaw is called 'claims' (known: all, skips-tool" in finished.stderr
    assert not (tmp_path / "runs").exists()


def test_the_flaws_of_the_command_are_those_of_the_agent() -> None:
    assert set(FLAWS) == set(AGENT_FLAWS)


def test_the_suite_of_the_current_folder_goes_before_the_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert bundled_suite() == ROOT / SUITE
    (tmp_path / SUITE).mkdir(parents=True)
    (tmp_path / SUITE / "registry.json").touch()
    assert bundled_suite() == SUITE


def test_without_a_checkout_there_is_nothing_to_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("harness.cli.demo.__file__", str(tmp_path / "a" / "b" / "c.py"))
    with pytest.raises(HarnessError, match="is not here"):
        bundled_suite()
