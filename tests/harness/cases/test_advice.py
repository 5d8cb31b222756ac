from pathlib import Path
from typing import Any

import pytest

from harness.cases.advice import LONG_FIXTURE, advice, task_advice
from harness.cases.fixtures import SuiteFolder
from harness.model import (
    Budget,
    Case,
    Evidence,
    ExitCode,
    Expectation,
    ExpectedCall,
    ExpectedFile,
    Files,
    Fixtures,
    Patterns,
    Policy,
    TextMatches,
    ToolCalls,
    Turn,
)
from mockserver.model import Fault
from tests.casefiles import put

GENERIC = "the evidence marker '{}' is too generic: any reply may hold it"


def case(*markers: str, turn: int | None = None, fixtures: Fixtures | None = None) -> Case:
    return Case(
        id="EC-001",
        turns=(Turn(user="Why is policy_limit reached?"), Turn(user="Is it error 402?")),
        expect=(Evidence(markers=markers or ("handshake",), turn=turn),),
        fixtures=fixtures or Fixtures(),
    )


def messages(judged: Case, folder: Path) -> list[str]:
    return [remark.message for remark in advice(judged, SuiteFolder(folder))]


@pytest.mark.parametrize(
    ("judged", "warnings"),
    [
        (case(), []),
        (case("Policy Limit"), ["the prompt gives the required evidence 'Policy Limit' away"]),
        (case("402", turn=1), []),
        (case("402", turn=2), ["the prompt gives the required evidence '402' away"]),
        (case("Next_Steps"), [GENERIC.format("Next_Steps")]),
        (case("7"), [GENERIC.format("7")]),
        (case("x" * 81), [f"the evidence marker '{'x' * 40}'... is too specific to be in a reply"]),
    ],
    ids=["sound", "leading", "before it is said", "after it is said", "word", "digit", "long"],
)
def test_prompts_and_markers_are_looked_at(
    tmp_path: Path, judged: Case, warnings: list[str]
) -> None:
    """CEP-70, CEP-71."""
    assert messages(judged, tmp_path) == warnings


def test_a_long_fixture_is_a_warning(tmp_path: Path) -> None:
    """CEP-69."""
    put(tmp_path / "EC-001" / "net.log", " " * (LONG_FIXTURE + 1))
    put(tmp_path / "short.log", "short")
    fixtures = Fixtures(files=("EC-001/net.log", "short.log"))
    assert messages(case(fixtures=fixtures), tmp_path) == ["EC-001/net.log has 64 KiB"]


@pytest.mark.parametrize(
    ("used", "warned"), [((), True), (("EC-001",), False), (("EC-001/overrides.json",), False)]
)
def test_an_override_that_is_not_selected_is_a_warning(
    tmp_path: Path, used: tuple[str, ...], *, warned: bool
) -> None:
    put(tmp_path / "EC-001" / "overrides.json", "{}")
    found = messages(case(fixtures=Fixtures(overrides=used)), tmp_path)
    expected = "the override folder 'EC-001' exists, but the case does not use it"
    assert found == ([expected] if warned else [])


def _asked(*expect: Expectation, **facts: Any) -> Case:
    return Case(id="C-1", turns=(Turn(user="Why?"),), expect=expect, **facts)


NEVER = Fault(method="a.b", status=503, times=0)
SLIP = ExpectedCall(name="t", args={"id": [{"any_fo": [1, 2]}], "more": {"a": 1, "number": 2}})


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (_asked(policy=Policy(pass_hat=5, min=0.5), repeat=3), "pass_hat 5 needs as many trials"),
        (_asked(Budget(seconds=60), timeout_s=30), "the time limit is 30"),
        (_asked(Budget(tokens=10**9)), "nobody is likely to exceed the budget of 1000000000 t"),
        (_asked(repeat=1001), "1001 trials of one case"),
        (_asked(TextMatches(patterns=(r"[\s\S]",))), "is found in any reply"),
        (_asked(fixtures=Fixtures(faults=(NEVER,))), "the fault of 'a.b' never comes"),
        (_asked(ToolCalls(calls=(SLIP,))), "'any_fo' is no matcher"),
        (_asked(Budget(rounds=0)), "hardly any agent can stay within 0 rounds"),
    ],
)
def test_what_cannot_hold_or_fail_is_told(asked: Case, said: str, tmp_path: Path) -> None:
    (found,) = messages(asked, tmp_path)
    assert said in found


def test_what_can_hold_and_fail_is_not_told(tmp_path: Path) -> None:
    asked = _asked(
        Budget(seconds=20, tokens=1000),
        TextMatches(patterns=(r"\d", "(?i)[a-y]")),
        ToolCalls(calls=(ExpectedCall(name="t", args={"x": {"regex": "a"}, "y": {"id": 1}}),)),
        policy=Policy(pass_hat=3, min=0.5),
        repeat=3,
        timeout_s=30,
    )
    assert messages(asked, tmp_path) == []


PROMPT = "Where is the depot?"


def warnings_of(*patterns: str, **facts: Any) -> list[str]:
    more = facts.pop("more", ())
    match = facts.pop("match", "all")
    asked = Patterns(patterns=patterns, match=match)
    facts = {"turns": (Turn(user=PROMPT),), **facts}
    case = Case(id="C", expect=(asked, *more), **facts)
    return [remark.message for remark in task_advice(case)]


@pytest.mark.parametrize(
    ("patterns", "facts", "said"),
    [
        (("contains:Utrecht",), {}, []),
        (
            ("contains:Depot",),
            {},
            ["the prompt itself meets 'contains:Depot'", "an agent that repeats the prompt passes"],
        ),
        (("not_contains:Lima",), {}, ["an agent that repeats the prompt passes"]),
        ((), {}, ["an agent that repeats the prompt passes"]),
        ((), {"turns": (Turn(user="x" * 11),)}, ["an agent that repeats the prompt passes"]),
        ((), {"turns": (Turn(user="x" * 10),)}, []),
        ((), {"more": (ExitCode(code=1),)}, []),
        (
            ("Contains: Utrecht",),
            {},
            ["'Contains:' is no prefix: 'Contains: Utrecht' is looked for as it is written"],
        ),
        (
            ("contains:Utrecht",),
            {"category": "search_retrieval", "fixtures": Fixtures(workspace={"a": "Lima"})},
            ["no file of the workspace meets 'contains:Utrecht': the fact cannot be looked up"],
        ),
        (
            ("contains:Utrecht",),
            {
                "more": (Files(files=(ExpectedFile(path="a", contains=("x",)),)),),
                "fixtures": Fixtures(workspace={"a": "x"}),
            },
            ["'a' is as expected from the start"],
        ),
        (
            ("contains:Utrecht",),
            {"weights": {"files": 2.0}},
            ["a weight for 'files', of which the task has no check"],
        ),
    ],
    ids=str,
)
def test_what_is_probably_not_meant_is_told(
    patterns: tuple[str, ...], facts: dict[str, Any], said: list[str]
) -> None:
    assert warnings_of(*patterns, **facts) == said


def test_with_any_one_pattern_that_the_prompt_meets_is_enough_for_an_echo() -> None:
    told = warnings_of("contains:Utrecht", "contains:depot", match="any")
    assert told[-1] == "an agent that repeats the prompt passes"
