from typing import Any

import pytest

from harness.cases.contradictions import clashes, contradictions, doubts
from harness.checks.expect_block import Expect, expectations
from harness.model import (
    Case,
    Evidence,
    Expectation,
    ExpectedCall,
    ForbiddenEvidence,
    MaxCalls,
    ReferenceTurn,
    TextContains,
    TextLacks,
    ToolCalls,
    Turn,
)
from tests.harness.records import case


def told(**expect: Any) -> list[str]:
    asked = case(*expectations(Expect.model_validate(expect)))
    return [remark.message for remark in clashes(asked)]


REQUESTS = [{"method": "directory.users.insert"}]
ROW = {"collection": "users", "where": {"id": "1"}}


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        (
            {"text": {"contains": ["it is done"], "not_contains": ["done"]}},
            "'it is done' is required, but 'done', which is in it, is forbidden",
        ),
        (
            {"tools": {"calls": ["getUser"]}, "minefields": ["GET*"]},
            "the tool 'getUser' is both required and forbidden, by 'GET*'",
        ),
        (
            {"tools": {"forbidden": ["look"]}, "milestones": [{"name": "a", "call": "look"}]},
            "the tool 'look' is both required and forbidden",
        ),
        (
            {"tools": {"mode": "exact", "calls": ["a1"], "min": {"a1": 2}}},
            "'a1' must be called 2 times, but mode 'exact' allows no calls but those listed, with 1"
            " of it",
        ),
        (
            {"server": {"requests": [*REQUESTS, {"method": "*.insert", "min": 0, "max": 0}]}},
            "the request 'directory.users.insert' is both required and forbidden, by '*.insert'",
        ),
        (
            {
                "milestones": [{"name": "a", "request": "directory.users.patch"}],
                "minefields": [{"request": "directory.users.patch"}],
            },
            "the request 'directory.users.patch' is both required and forbidden",
        ),
        (
            {"server": {"requests": REQUESTS, "state": {"unchanged": ["use*"]}}},
            "'directory.users.insert' is required, but 'use*' must stay unchanged",
        ),
        (
            {"server": {"state": {"expect": [ROW, {**ROW, "count": 0}]}}},
            "there must be at least one of users where {'id': '1'}, and also 0",
        ),
        (
            {"server": {"state": {"expect": [{**ROW, "count": 2}, {**ROW, "count": 1}]}}},
            "there must be 2 of users where {'id': '1'}, and also 1",
        ),
        (
            {"routing": {"to": "handle_a", "among": ["hanlde_*"]}},
            "the handler must be 'handle_a', which is none of 'hanlde_*'",
        ),
        (
            {"files": ["a.txt", {"path": "a.txt", "absent": True}]},
            "the file 'a.txt' must be there, and must not",
        ),
    ],
)
def test_rules_that_cannot_both_be_kept_are_told(expect: dict[str, Any], said: str) -> None:
    assert told(**expect) == [said]


@pytest.mark.parametrize(
    "expect",
    [
        {"text": {"contains": ["not done"], "forbidden_evidence": ["done"], "unless": ["not"]}},
        {"text": {"contains": ["a1", "b1"], "match": "any", "not_contains": ["a1"]}},
        {"tools": {"calls": ["get"]}, "minefields": [{"call": {"name": "get", "args": {"a": 1}}}]},
        {"tools": {"calls": ["put", {"name": "get", "optional": True}]}, "minefields": ["get"]},
        {"tools": {"mode": "exact", "calls": [{"name": "a1", "count": {"min": 1}}],
                   "min": {"a1": 2}}},
        {"server": {"requests": [*REQUESTS, {"method": "*.insert", "status": 403, "min": 0,
                                             "max": 0}]}},
        {"server": {"requests": [{**REQUESTS[0], "status": 403}],
                    "state": {"unchanged": ["users"]}}},
        {"server": {"requests": ["directory.users.list"], "state": {"unchanged": ["users"]}}},
        {"server": {"state": {"expect": [ROW, {**ROW, "count": 1}]}}},
        {"routing": {"to": "handle_a", "among": ["handle_*"]}},
        {"routing": {"to": "handle_a", "field": "route"}},
        {"files": ["a.txt", {"path": "b.txt", "absent": True}]},
    ],
)  # fmt: skip
def test_rules_that_can_be_kept_together_are_not(expect: dict[str, Any]) -> None:
    assert told(**expect) == []


def ruled_case(*expect: Expectation, reference: tuple[ReferenceTurn, ...] = ()) -> Case:
    turns = (Turn(user="One."), Turn(user="Two."))
    return Case(id="EC-001", turns=turns, expect=expect, reference=reference)


SOUND = TextContains(needles=("restart",))


@pytest.mark.parametrize(
    ("judged", "reasons"),
    [
        (ruled_case(SOUND), []),
        (
            ruled_case(
                *(ToolCalls(calls=(ExpectedCall(name="a"),), turn=turn) for turn in (1, 2)),
                MaxCalls(counts={"a": 1, "b": 1}),
            ),
            ["'a' must be called 2 times, and at most 1 times"],
        ),
        (
            ruled_case(
                ToolCalls(calls=(ExpectedCall(name="a"),), turn=1),
                ToolCalls(calls=(ExpectedCall(name="a"),)),
                ToolCalls(calls=(ExpectedCall(name="a", optional=True),), turn=2),
                MaxCalls(counts={"a": 1}),
            ),
            [],
        ),
        (
            ruled_case(SOUND, Evidence(markers=("a1",), turn=3)),
            ["evidence speaks of turn 3, but the case has turns 1 to 2"],
        ),
        (
            ruled_case(
                ToolCalls(calls=(ExpectedCall(name="a", turn=3), ExpectedCall(name="b", turn=2)))
            ),
            ["the call of 'a' is expected in turn 3, where it is not looked for"],
        ),
        (
            ruled_case(ToolCalls(turn=1, calls=(ExpectedCall(name="a", turn=2),))),
            ["the call of 'a' is expected in turn 2, where it is not looked for"],
        ),
        (
            ruled_case(SOUND, reference=(ReferenceTurn(),)),
            ["the reference has 1 turns, the case has 2"],
        ),
        (
            ruled_case(Evidence(markers=("Dis-able",)), ForbiddenEvidence(markers=("dis_able",))),
            ["'Dis-able' is both required and forbidden"],
        ),
        (
            ruled_case(TextContains(needles=("a1",), turn=2), TextLacks(needles=("a1",))),
            ["'a1' is both required and forbidden"],
        ),
        (ruled_case(TextContains(needles=("a1",)), TextLacks(needles=("a1",), turn=2)), []),
        (
            ruled_case(TextContains(needles=("a1", "b1"), match="any"), TextLacks(needles=("a1",))),
            [],
        ),
    ],
    ids=str,
)
def test_a_case_that_cannot_be_judged_is_told(judged: Case, reasons: list[str]) -> None:
    assert [remark.message for remark in contradictions(judged)] == reasons


@pytest.mark.parametrize(
    ("judged", "count"),
    [
        (ruled_case(SOUND), 0),
        (ruled_case(), 1),
        (ruled_case(TextContains(needles=("a1",), required=False)), 1),
    ],
    ids=["sound", "nothing", "informational"],
)
def test_a_case_that_cannot_fail_is_doubtful(judged: Case, count: int) -> None:
    assert sum("expects nothing" in remark.message for remark in doubts(judged)) == count
