from typing import Any

import pytest

from harness.cli.run_warnings import warnings_of
from harness.model import Case, Fixtures, Turn
from harness.runner import RunSettings


@pytest.mark.parametrize(
    ("facts", "agent", "settings", "said"),
    [
        ({}, "echo", {}, []),
        (
            {"fixtures": Fixtures(overrides=("A",))},
            "echo",
            {"use_overrides": False},
            ["overrides that are not loaded: A; give --use-fixtures (EVAL_USE_FIXTURES=1) too"],
        ),
        (
            {},
            "echo",
            {"use_base": False},
            ["the base fixtures are not loaded: give --use-base (EVAL_USE_BASE=1) too"],
        ),
        (
            {"turns": (Turn(user="a"), Turn(user="b"))},
            "command:./a",
            {},
            [
                "A: a command gets each turn alone on stdin; --input json hands over the whole"
                " conversation"
            ],
        ),
    ],
    ids=["nothing", "overrides", "base", "turns"],
)
def test_what_a_run_will_not_show_is_told_before(
    facts: dict[str, Any], agent: str, settings: dict[str, Any], said: list[str]
) -> None:
    case = Case(**({"id": "A", "turns": (Turn(user="Why?"),)} | facts))
    assert warnings_of([case], agent, RunSettings(**settings)) == said


def test_many_cases_are_not_all_named() -> None:
    cases = [
        Case(id=id, turns=(Turn(user="a"),), fixtures=Fixtures(overrides=("x",))) for id in "ABCDE"
    ]
    (said,) = warnings_of(cases, "echo", RunSettings(use_overrides=False))
    assert "A, B, C and 2 more" in said
