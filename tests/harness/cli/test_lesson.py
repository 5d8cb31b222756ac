import re
import shlex
import sys
from pathlib import Path

import pytest

from harness.cli.lesson import teach
from harness.cli.reference_agents import is_missing
from harness.cli.understudy import _renamed
from tests.warm import run

FIXTURES = Path(__file__).parents[3] / "fixtures"


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("lesson")
    done = run("harness", "demo", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, done.stdout


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


def test_a_liar_that_passed_would_be_told_by_the_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("harness.cli.lesson.FLAW", "")
    assert teach(FIXTURES, Path("kept")) == 1
    shown = capsys.readouterr().out
    assert "--run-dir kept" in shown


@pytest.mark.parametrize(("module", "missing"), [("json", False), ("no_such.module", True)])
def test_modules_of_agents_are_looked_for(module: str, *, missing: bool) -> None:
    assert is_missing(module) is missing
