"""The wheel of this tree, installed with what it needs and nothing else, away from the checkout."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.installation import installed_core
from tests.patience import PATIENCE_S


def run(*command: str, cwd: Path, code: int = 0, variables: dict[str, str] | None = None) -> str:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command,
        cwd=cwd,
        env=kept | (variables or {}),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel, and with the packages of the core alone."""
    return installed_core(tmp_path_factory)


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


@pytest.mark.slow
def test_the_demo_teaches_from_an_installed_wheel_without_the_network(
    installed: Path, empty: Path
) -> None:
    understudy = str(installed / "bin" / "understudy")
    said = run(understudy, "demo", cwd=empty)
    good, liar = said.partition("2. The same agent, lying")[::2]
    assert "PASSED" in good
    assert "POST https://api.travel.example.com/v1/bookings -> 201" in good
    assert "FAILED" in liar
    assert "no request" in liar
    assert {path.name for path in empty.iterdir()} == {"runs"}
    commands = [line.strip() for line in said.splitlines() if line.startswith(f"  {understudy} ")]
    assert len(commands) == 5
    path = {"PATH": f"{installed / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    for command in commands[:-1]:  # the last one is the doctor, whose code is the machine's
        code = int("--flawed" in command)
        run("bash", "-c", command, cwd=empty, code=code, variables=path)


@pytest.mark.slow
def test_google_s_apis_are_served_from_the_documents_of_the_wheel(
    installed: Path, empty: Path
) -> None:
    understudy = str(installed / "bin" / "understudy")
    suite = next(installed.glob("lib/python*/site-packages/harness/suites/chrome-enterprise"))
    said = run(understudy, "run", str(suite), "--agent", "oracle", "--category", "dlp", cwd=empty)
    assert "cases  6/6" in said
    assert "drive.files.list" in run(understudy, "apis", "drive:v3", cwd=empty)


@pytest.mark.slow
def test_suites_whose_agents_need_an_extra_say_so(installed: Path, empty: Path) -> None:
    done = subprocess.run(
        [installed / "bin" / "understudy", "demo", "--all"],
        cwd=empty, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "pip install 'understudy[agents]'" in done.stderr
