from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from harness.cases import load_suite
from harness.cli.main import app
from harness.doctor import promoted_trial, regression_case
from harness.doctor.promotion import program_case
from harness.errors import HarnessError
from harness.model import Fixtures, ReferenceTurn, TextContains, ToolCalls, TrialDecision, Turn
from mockserver.cassettes.files import write_cassette
from mockserver.model import Cassette, CassetteInfo, Journal, RecordedProgram
from tests.harness.records import call, case, entry, record, reply
from tests.tapes import recorded

FAILED = TrialDecision(case="C-1", number=2, status="fail", reason="not found")
DECIDED = [TrialDecision(case="C-1", number=1, status="pass"), FAILED]
ASKED = case(
    TextContains(needles=("a",)), tags=("units",), fixtures=Fixtures(overrides=("X",), seed=4)
)


def test_the_first_trial_that_failed_is_taken() -> None:
    assert promoted_trial(DECIDED, None) == promoted_trial(DECIDED, 2) == FAILED
    with pytest.raises(HarnessError, match=r"no trial 1 that failed \(failed: 2\)"):
        promoted_trial(DECIDED, 1)
    with pytest.raises(HarnessError, match="--why says what was wrong"):
        promoted_trial(DECIDED[:1], None)


def test_where_it_is_said_what_was_wrong_the_verdict_does_not_matter() -> None:
    assert promoted_trial(DECIDED, 1, "refunded twice") == DECIDED[0]
    made = regression_case(ASKED, DECIDED[0], id="R", run="r1", why="refunded twice")
    assert made.notes == {"Why": "refunded twice"}


def test_a_regression_asks_and_expects_the_same_in_a_world_of_its_own() -> None:
    """CEP-62: a bug that must not regress."""
    made = regression_case(ASKED, FAILED, id="C-1-regression", run="r1")
    assert (made.id, made.tags) == ("C-1-regression", ("units", "regression"))
    assert (made.turns, made.expect) == (ASKED.turns, ASKED.expect)
    assert made.fixtures == Fixtures(overrides=("C-1-regression",), base=False, seed=4)
    assert made.source_refs == ("run r1, C-1 trial 2",)
    assert made.notes["Regression"] == "not found"
    assert made.reference == ()


def test_a_trial_that_passed_gives_reference_and_tool_calls() -> None:
    good = record(
        reply("a", call("look", unit="x"), call("own")),
        journal=Journal(entries=(entry("tools.look"),)),
    )
    made = regression_case(ASKED, FAILED, id="R", run="r1", good=good)
    (turn,) = made.reference
    assert ([each.name for each in turn.calls], [each.name for each in turn.reports]) == (
        ["look"], ["own"],
    )  # fmt: skip
    assert (turn.calls[0].args, turn.answer) == ({"unit": "x"}, "a")
    tools = made.expect[-1]
    assert isinstance(tools, ToolCalls)
    assert [each.name for each in tools.calls] == ["look", "own"]


def test_an_own_reference_and_expected_calls_are_kept() -> None:
    own = case(ToolCalls(), reference=(ReferenceTurn(answer="b"),))
    made = regression_case(own, FAILED, id="R", run="r1", good=record("a"))
    assert (made.reference, made.expect) == (own.reference, own.expect)


def test_turns_are_told_apart_and_half_a_trial_is_no_reference() -> None:
    several = case(turns=(Turn(user="one"), Turn(user="two")))
    good = record(reply("a", "look"), reply("b", turn=2))
    made = regression_case(several, FAILED, id="R", run="r1", good=good)
    assert [item.turn for item in made.expect] == [1]
    assert regression_case(several, FAILED, id="R", run="r1", good=record("a")).reference == ()


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
