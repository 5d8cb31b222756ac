from typing import Any

import pytest

from harness.cases.taskadvice import task_advice
from harness.model import Case, ExitCode, ExpectedFile, Files, Fixtures, Patterns, Turn

PROMPT = "Where is the depot?"


def advice(*patterns: str, **facts: Any) -> list[str]:
    more = facts.pop("more", ())
    match = facts.pop("match", "all")
    asked = Patterns(patterns=patterns, match=match)
    case = Case(id="C", turns=(Turn(user=PROMPT),), expect=(asked, *more), **facts)
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
    assert advice(*patterns, **facts) == said


def test_with_any_one_pattern_that_the_prompt_meets_is_enough_for_an_echo() -> None:
    told = advice("contains:Utrecht", "contains:depot", match="any")
    assert told[-1] == "an agent that repeats the prompt passes"
