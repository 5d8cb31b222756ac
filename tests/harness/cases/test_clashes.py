from typing import Any

import pytest

from harness.cases.clashes import clashes
from harness.checks import Expect, expectations
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
