from typing import Any, get_args

import pytest

from harness.cases.grammar import Expect, TurnExpect, expectations
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
    kinds = set(get_args(get_args(Expectation)[0]))
    assert {type(meant) for _, meant in WRITTEN_AND_MEANT} == kinds


OF_A_TURN = [item for item, _ in WRITTEN_AND_MEANT if item.keys() <= TurnExpect.model_fields.keys()]


@pytest.mark.parametrize("written", OF_A_TURN, ids=lambda value: str(value)[:60])
def test_what_is_written_at_a_turn_speaks_of_it(written: dict[str, Any]) -> None:
    (found,) = expectations(TurnExpect.model_validate(written), 2)
    assert found.turn == 2


def test_nothing_written_expects_nothing() -> None:
    assert expectations(None) == ()
    assert expectations(Expect()) == ()
