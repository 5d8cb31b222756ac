"""A recorded program becomes a suite of one case."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from harness.cases import load_suite
from harness.cli.main import app
from harness.doctor.program_promotion import program_case
from mockserver.cassettes.files import write_cassette
from mockserver.model import Cassette, CassetteInfo, RecordedProgram
from tests.tapes import recorded

PROGRAM = RecordedProgram(
    command=("python", "a b.py"), exit_code=0, output="Working\nBooked 7.\n\n"
)


def promote(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["promote", *map(str, arguments)])


def cassette(folder: Path, program: RecordedProgram | None = PROGRAM) -> Path:
    extra = {"program": program.model_dump(mode="json", exclude_none=True)} if program else {}
    path = folder / "book ing.yaml"
    write_cassette(Cassette(path.name, (recorded(),), CassetteInfo(extra=extra)), path)
    return path


def test_a_recorded_program_becomes_a_case(tmp_path: Path) -> None:
    done = promote(cassette(tmp_path), "--into", tmp_path / "evals")
    assert done.exit_code == 0, done.output
    assert "--agent 'command:python '\"'\"'a b.py" in done.output
    [case] = load_suite(tmp_path / "evals").cases
    assert (case.id, case.fixtures.cassettes) == ("book-ing", ("book-ing",))
    assert case.turns[0].user == "python 'a b.py'"
    assert {each.kind for each in case.expect} == {"exit_code", "text_contains"}
    again = promote(tmp_path / "book ing.yaml", "--into", tmp_path / "evals")
    assert "is there already" in str(again.exception)


def test_what_it_was_given_is_its_task_and_silence_is_expected_of_nobody() -> None:
    told = program_case(RecordedProgram(command=("a",), exit_code=3, input="Book a room."), "b")
    assert (told["input"], told["expect"]) == ("Book a room.", {"exit_code": 3})


@pytest.mark.parametrize(
    ("more", "error"),
    [(["C-1"], "is a cassette, not a run"), (["--trial", "2"], "is a cassette, not a run"),
     ([], "tells of no program")],
)  # fmt: skip
def test_what_cannot_be_promoted_is_told(tmp_path: Path, more: list[str], error: str) -> None:
    done = promote(cassette(tmp_path, None), *more)
    assert error in str(done.exception)


def test_a_run_needs_a_case() -> None:
    assert "no case is named" in str(promote("latest").exception)
