from typing import Any

import pytest

from harness.cases.grammar import Expect, TurnExpect, expectations
from harness.cases.writing.blocks import bare, written_block
from harness.model import (
    Evidence,
    ExitCode,
    Expectation,
    ExpectedCall,
    ForbiddenTools,
    ObservationCount,
    ObservationSeverity,
    ServerState,
    ServiceStatus,
    TextContains,
    TextMatches,
    ToolCalls,
)

A, B = ExpectedCall(name="a"), ExpectedCall(name="b", args={"n": 1}, args_mode="exact")
PAIR = (
    A.model_copy(update={"group": "unordered 2"}),
    B.model_copy(update={"group": "unordered 2"}),
)


def read(block: dict[str, Any], turn: int | None = None) -> list[str]:
    model = Expect if turn is None else TurnExpect
    return sorted(map(repr, expectations(model.model_validate(block), turn)))


@pytest.mark.parametrize(
    ("expect", "block"),
    [
        (
            [TextContains(needles=("x",), match="any")],
            {"text": {"contains": ["x"], "match": "any"}},
        ),
        ([ExitCode(code=3)], {"exit_code": 3}),
        ([ToolCalls(calls=(A,), extra_max=1)], {"tools": {"calls": ["a"], "extra": {"max": 1}}}),
        (
            [ToolCalls(mode="in_order", calls=(A, *PAIR))],
            {
                "tools": {
                    "mode": "in_order",
                    "calls": [
                        "a",
                        {
                            "unordered": [
                                {"name": "a"},
                                {"name": "b", "args": {"n": 1}, "args_mode": "exact"},
                            ]
                        },
                    ],
                }
            },
        ),
        (
            [ServerState(unchanged=("users",), required=False)],
            {"server": {"state": {"unchanged": ["users"]}, "required": False}},
        ),
        (
            [
                ServiceStatus(),
                ObservationCount(max=2),
                ObservationSeverity(severity="info"),
                ObservationSeverity(severity="warning"),
            ],
            {
                "service": {
                    "status": "success",
                    "observations": {"max": 2, "severities": ["info", "warning"]},
                }
            },
        ),
    ],
    ids=["text", "a value", "tools", "groups", "server", "service"],
)
def test_expectations_are_put_into_the_words_of_an_author(
    expect: list[Expectation], block: dict[str, Any]
) -> None:
    assert written_block(expect, None) == (block, ())
    assert read(block) == sorted(map(repr, expect))


def test_what_stands_side_by_side_is_put_together() -> None:
    expect: list[Expectation] = [
        Evidence(markers=("x",), turn=2),
        TextMatches(patterns=("y",), turn=2),
        ForbiddenTools(globs=("z*",), turn=2),
    ]
    block, left = written_block(expect, 2)
    assert block == {"text": {"evidence": ["x"], "regex": ["y"]}, "tools": {"forbidden": ["z*"]}}
    assert (left, read(block, 2)) == ((), sorted(map(repr, expect)))


@pytest.mark.parametrize(
    ("expect", "kept"),
    [
        pytest.param([TextContains(needles=("x",)), TextContains(needles=("y",))], 1, id="twice"),
        pytest.param(
            [Evidence(markers=("x",)), TextContains(needles=("y",), required=False)],
            1,
            id="required",
        ),
        pytest.param([ExitCode(code=1), ExitCode(code=1)], 1, id="a mere value twice"),
        pytest.param([ExitCode(code=1, required=False)], 1, id="no room for more"),
        pytest.param([ToolCalls(calls=(A, PAIR[0]))], 1, id="a group of one"),
        pytest.param([TextMatches(patterns=("(",))], 1, id="what an author may not write"),
    ],
)
def test_what_has_no_words_is_left(expect: list[Expectation], kept: int) -> None:
    block, left = written_block(expect, None)
    assert len(left) == kept
    assert sorted([*read(block), *map(repr, left)]) == sorted(map(repr, expect))


def test_what_only_a_whole_trial_can_expect_is_left_by_a_turn() -> None:
    item = ExitCode(code=1, turn=1)
    assert written_block([item], 1) == ({}, (item,))
    assert bare(item) == {"kind": "exit_code", "code": 1, "turn": 1}
