from pathlib import Path
from time import process_time
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from harness.cases import find_suites, load_suite
from harness.cases.conversion import as_yaml, convert, written_case
from harness.cases.scenario import request_text
from harness.environment import fixture_problems, merged_fixtures
from harness.errors import HarnessError
from harness.model import (
    Case,
    ExitCode,
    Fixtures,
    Policy,
    ReferenceCall,
    ReferenceTurn,
    ServerState,
    TextContains,
    Turn,
)
from mockserver.model import Fault

SUITES = find_suites(Path(__file__).parents[3] / "fixtures")


def facts(case: Case) -> dict[str, Any]:
    """What a case says, with its expectations in no order, without the place it is written at."""
    known = {name: getattr(case, name) for name in Case.model_fields if name != "source"}
    return known | {"expect": sorted(map(repr, case.expect))}


@pytest.mark.parametrize("suite", SUITES, ids=lambda path: path.name)
def test_a_converted_suite_checks_what_it_checked(suite: Path, tmp_path: Path) -> None:
    """Every bundled suite, whatever its format: the same cases in the same world."""
    before = load_suite(suite)
    convert(before, tmp_path / "out")
    after = {case.id: case for case in load_suite(tmp_path / "out").cases}
    assert {case.id: facts(case) for case in before.cases} == {
        id: facts(case) for id, case in after.items()
    }
    errors = [each for each in fixture_problems(tmp_path / "out") if each.level == "error"]
    assert errors == []


def test_overrides_come_along(tmp_path: Path) -> None:
    suite = load_suite(next(path for path in SUITES if path.name == "sre"))
    convert(suite, tmp_path / "out")
    case = next(case for case in suite.cases if case.fixtures.overrides)
    assert merged_fixtures(tmp_path / "out", case) == merged_fixtures(suite.path, case)


@pytest.mark.parametrize("kind", ["folder", "file", "below a file"])
def test_nothing_is_overwritten(tmp_path: Path, kind: str) -> None:
    suite = load_suite(next(path for path in SUITES if path.name == "content-review"))
    (tmp_path / "there").write_text("mine", encoding="utf-8")
    out = {"folder": tmp_path, "file": tmp_path / "there", "below a file": tmp_path / "there" / "x"}
    with pytest.raises(HarnessError, match=r"not empty|cannot write"):
        convert(suite, out[kind])
    assert (tmp_path / "there").read_text(encoding="utf-8") == "mine"


PIECES = (
    *("a b", " ", "\n", ": ", "- ", "#", "\\U", "\r", "\x00"),
    *("\u00e9", "\u0085", "\u2028", "\ufeff", "\U0001f600"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_text_is_read_as_it_was_written(text: str) -> None:
    assert yaml.load(as_yaml({"a": text, "b": [text]}), yaml.CSafeLoader) == {
        "a": text,
        "b": [text],
    }


def test_emoji_are_written_as_they_are_and_long_texts_in_little_time() -> None:
    assert as_yaml({"a": "Hi \U0001f600\nthere\n"}) == "a: |\n  Hi \U0001f600\n  there\n"
    began = process_time()
    as_yaml({"a": "word " * 600_000})
    assert process_time() - began < 1.0  # 0.04 s; the way for emoji takes 4 s


def test_texts_of_several_lines_are_blocks_and_nothing_is_an_anchor() -> None:
    part = {"b": "one\ntwo\n"}
    assert as_yaml({"a": part, "c": part}) == (
        "a:\n  b: |\n    one\n    two\nc:\n  b: |\n    one\n    two\n"
    )


FAULT = Fault.model_validate({"method": "x.*", "status": 503, "origin": "a faults[0]"})


def test_only_what_is_said_is_written() -> None:
    case = Case(id="a", turns=(Turn(user="Why?"),), expect=(TextContains(needles=("so",)),))
    assert written_case(case) == {
        "id": "a",
        "input": "Why?",
        "fixtures": {"overrides": []},
        "expect": {"text": {"contains": ["so"]}},
    }


def test_everything_else_is_written_in_its_place() -> None:
    case = Case(
        id="a",
        title="T",
        tags=("x",),
        mode="how-to",
        turns=(Turn(user="A?"), Turn(user="B?")),
        fixtures=Fixtures(overrides=("o",), faults=(FAULT,), tools={"pay": "real"}),
        expect=(
            ServerState(unchanged=("*",)),
            TextContains(needles=("so",), turn=2),
            ExitCode(code=1, turn=2),
        ),
        policy=Policy(rate=0.5),
        reference=(ReferenceTurn(reports=(ReferenceCall(name="look"),)), ReferenceTurn(answer="B")),
        variables={"N": 3},
    )
    written = written_case(case)
    assert written["input"] == ["A?", {"user": "B?", "expect": {"text": {"contains": ["so"]}}}]
    assert written["checks"] == [{"kind": "exit_code", "turn": 2, "code": 1}]
    assert (written["mode"], written["policy"]) == ("how-to", {"rate": 0.5})
    assert written["reference"] == [{"reports": [{"name": "look"}]}, {"answer": "B"}]
    assert written["variables"] == {"N": 3}
    assert written["tools"] == {"pay": "real"}
    assert "expect" not in written
    assert "origin" not in yaml.safe_dump(written)


def test_a_request_says_itself() -> None:
    request = {"content": "x"}
    silent = Case(id="a", turns=(Turn(user=request_text(request)),), request=request)
    assert "input" not in written_case(silent)
    spoken = silent.model_copy(update={"turns": (Turn(user="Review this"),)})
    assert written_case(spoken)["input"] == ["Review this"]
