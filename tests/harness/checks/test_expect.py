from typing import Any

import pytest
from pydantic import ValidationError

from harness.checks import CHECKS
from harness.checks.expect import Expect, TurnExpect, bare, expectations, written_block
from harness.model import (
    Budget,
    CallEvent,
    ChangeEvent,
    Count,
    Evidence,
    ExitCode,
    Expectation,
    ExpectedCall,
    ExpectedFile,
    ExpectedRequest,
    ExpectedRow,
    Files,
    ForbiddenCall,
    ForbiddenEvidence,
    ForbiddenTools,
    Grounding,
    Judge,
    Loops,
    Milestone,
    Milestones,
    MinCalls,
    Minefield,
    Minefields,
    ObservationCount,
    ObservationRef,
    ObservationSeverity,
    Patterns,
    Phase,
    Phases,
    Reference,
    ReplySchema,
    RequestEvent,
    Routing,
    Rubric,
    ServerRequests,
    ServerState,
    ServiceStatus,
    Signals,
    Stop,
    StopCondition,
    TextContains,
    TextLacks,
    TextMatches,
    ToolCalls,
    Witnesses,
)


def test_a_trial_can_show_all_that_a_turn_can_show() -> None:
    assert set(TurnExpect.model_fields) < set(Expect.model_fields)


@pytest.mark.parametrize("key", ["server", "files", "exit_code"])
def test_a_turn_has_no_end_of_its_own(key: str) -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        TurnExpect.model_validate({key: 0})


def test_a_reference_may_be_a_text() -> None:
    (found,) = expectations(TurnExpect.model_validate({"reference": "Restart."}))
    assert found == Reference(text="Restart.", min_similarity=0.3)


WRITTEN_AND_MEANT: list[tuple[dict[str, Any], Any]] = [
    ({"text": {"contains": "a1"}}, TextContains(needles=("a1",))),
    (
        {"text": {"contains": ["a1", "b1"], "match": "any"}},
        TextContains(needles=("a1", "b1"), match="any"),
    ),
    ({"text": {"not_contains": ["a1"]}}, TextLacks(needles=("a1",))),
    ({"text": {"regex": "a.c"}}, TextMatches(patterns=("a.c",))),
    ({"text": {"evidence": ["a1"], "required": False}}, Evidence(markers=("a1",), required=False)),
    (
        {"text": {"forbidden_evidence": "a1", "unless": "not"}},
        ForbiddenEvidence(markers=("a1",), unless=("not",)),
    ),
    ({"reply": {"schema": ["diagnosis"]}}, ReplySchema(fields=("diagnosis",))),
    ({"reply": {"schema": {"type": "object"}}}, ReplySchema(json_schema={"type": "object"})),
    ({"reply": {"schema": "python:app:Reply"}}, ReplySchema(model="python:app:Reply")),
    ({"rubric": {"min_score": 1, "criteria": ["a1"]}}, Rubric(min_score=1, criteria=("a1",))),
    (
        {"tools": {"mode": "in_order", "calls": ["a", {"name": "b", "args": {"c": 1}}]}},
        ToolCalls(
            mode="in_order", calls=(ExpectedCall(name="a"), ExpectedCall(name="b", args={"c": 1}))
        ),
    ),
    (
        {"tools": {"mode": "in_order", "calls": ["a", {"unordered": ["b", {"name": "c"}]}]}},
        ToolCalls(
            mode="in_order",
            calls=(
                ExpectedCall(name="a"),
                ExpectedCall(name="b", group="unordered 2"),
                ExpectedCall(name="c", group="unordered 2"),
            ),
        ),
    ),
    ({"tools": {"extra": {"max": 0}}}, ToolCalls(extra_max=0)),
    ({"tools": {"forbidden": ["delete_*"]}}, ForbiddenTools(globs=("delete_*",))),
    ({"tools": {"min": {"search": 2}}}, MinCalls(counts={"search": 2})),
    ({"reference": "Restart."}, Reference(text="Restart.")),
    (
        {"server": {"requests": ["a.*"], "allow_others": False}},
        ServerRequests(requests=(ExpectedRequest(method="a.*"),), allow_others=False),
    ),
    (
        {"server": {"state": {"expect": [{"collection": "users"}], "unchanged": "groups"}}},
        ServerState(rows=(ExpectedRow(collection="users"),), unchanged=("groups",)),
    ),
    (
        {"tools": {"mode": "subset", "calls": [{"name": "a", "count": 2}], "ignore": "t*"}},
        ToolCalls(
            mode="subset",
            calls=(ExpectedCall(name="a", count=Count(min=2, max=2)),),
            ignore=("t*",),
        ),
    ),
    (
        {"tools": {"forbidden": ["a", {"name": "b*", "args": {"x": {"glob": "*"}}}]}},
        ForbiddenTools(globs=("a",), calls=(ForbiddenCall(name="b*", args={"x": {"glob": "*"}}),)),
    ),
    (
        {"milestones": [{"name": "m", "call": "a"}, {"name": "n", "request": "b", "after": "m"}]},
        Milestones(
            milestones=(
                Milestone(name="m", call=CallEvent(name="a")),
                Milestone(name="n", request=RequestEvent(method="b"), after=("m",)),
            )
        ),
    ),
    (
        {"minefields": ["delete*", {"changed": "users"}]},
        Minefields(
            mines=(
                Minefield(call=CallEvent(name="delete*")),
                Minefield(changed=ChangeEvent(collection="users")),
            )
        ),
    ),
    ({"witnesses": {"tools": ["get*"]}}, Witnesses(tools=("get*",))),
    ({"witnesses": {}}, Witnesses()),
    ({"signals": {"words": ["a1", "b1"]}}, Signals(words=("a1", "b1"))),
    (
        {"signals": {"words": "a1", "min_words": 1, "min_length": 9, "required": False}},
        Signals(words=("a1",), min_words=1, min_length=9, required=False),
    ),
    (
        {"grounding": {"kinds": ["email"], "required": False}},
        Grounding(kinds=("email",), required=False),
    ),
    ({"routing": {"to": "a", "among": ["h*"]}}, Routing(to="a", among=("h*",))),
    (
        {"loops": {"generate": "g", "evaluate": "e", "max": 2}},
        Loops(generate="g", evaluate="e", max=2),
    ),
    (
        {"server": {"state": {"allow": ["users", {"collection": "g*", "fields": ["/a"]}]}}},
        ServerState(
            allow=(ChangeEvent(collection="users"), ChangeEvent(collection="g*", fields=("/a",)))
        ),
    ),
    ({"files": ["out.txt"]}, Files(files=(ExpectedFile(path="out.txt"),))),
    ({"exit_code": 0}, ExitCode(code=0)),
    ({"budget": {"rounds": 15}}, Budget(rounds=15)),
    (
        {"stop": {"any": [{"tool": "done", "last": True}]}},
        Stop(any=(StopCondition(tool="done", last=True),)),
    ),
    (
        {"patterns": {"patterns": ["regex:a+"], "match": "any"}},
        Patterns(patterns=("regex:a+",), match="any"),
    ),
    ({"service": {"status": "success"}}, ServiceStatus()),
    (
        {"service": {"status": "client_error", "code": "EMPTY"}},
        ServiceStatus(family="client_error", code="EMPTY"),
    ),
    ({"service": {"observations": {"max": 3}}}, ObservationCount(max=3)),
    (
        {"service": {"observations": {"severities": "warning"}}},
        ObservationSeverity(severity="warning"),
    ),
    ({"service": {"observations": {"refs": "A-1"}}}, ObservationRef(ref="A-1")),
    ({"judge": {"question": "q", "samples": 3}}, Judge(question="q", samples=3)),
    ({"phases": [{"first": 0, "tools": ["*"]}]}, Phases(phases=(Phase(first=0, tools=("*",)),))),
]


@pytest.mark.parametrize(("written", "meant"), WRITTEN_AND_MEANT, ids=lambda value: str(value)[:60])
def test_each_block_becomes_its_expectation(written: dict[str, Any], meant: Expectation) -> None:
    assert expectations(Expect.model_validate(written)) == (meant,)


def test_every_kind_of_expectation_can_be_written() -> None:
    """A kind that no author can write would never be checked."""
    assert {type(meant) for _, meant in WRITTEN_AND_MEANT} == set(CHECKS)


OF_A_TURN = [item for item, _ in WRITTEN_AND_MEANT if item.keys() <= TurnExpect.model_fields.keys()]


@pytest.mark.parametrize("written", OF_A_TURN, ids=lambda value: str(value)[:60])
def test_what_is_written_at_a_turn_speaks_of_it(written: dict[str, Any]) -> None:
    (found,) = expectations(TurnExpect.model_validate(written), 2)
    assert found.turn == 2


def test_nothing_written_expects_nothing() -> None:
    assert expectations(None) == ()
    assert expectations(Expect()) == ()


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
