from collections.abc import Sequence

import pytest

from harness.model import CheckResult, Comparison, TrialDecision
from harness.model.comparison import CaseComparison
from harness.server.console.views import (
    Step,
    align_steps,
    call_steps,
    check_pairs,
    compared_cases,
    neighbours,
    page_of,
    request_steps,
)
from tests.harness.records import call, case_decision, entry, record, reply, result, seen, trial


@pytest.mark.parametrize(
    ("number", "items", "landed"),
    [(1, (0, 1), 1), (3, (4,), 3), (9, (4,), 3)],
)
def test_the_pages_of_a_list(number: int, items: tuple[int, ...], landed: int) -> None:
    found = page_of(range(5), number, 2)
    assert (found.items, found.number, found.pages, found.total) == (items, landed, 3, 5)


def step(name: str, sent: object = None, status: str = "") -> Step:
    return Step(name, status, sent, "")


def written(pairs: Sequence[object]) -> list[str]:
    return [
        (pair.left.name if pair.left else "-")  # type: ignore[attr-defined]
        + ("=" if pair.same else "|")  # type: ignore[attr-defined]
        + (pair.right.name if pair.right else "-")  # type: ignore[attr-defined]
        for pair in pairs
    ]


@pytest.mark.parametrize(
    ("left", "right", "rows"),
    [
        ("", "", []),
        ("ab", "ab", ["a=a", "b=b"]),
        ("ab", "b", ["a|-", "b=b"]),
        ("b", "ab", ["-|a", "b=b"]),
        ("axb", "ayb", ["a=a", "x|-", "-|y", "b=b"]),
        ("aab", "ab", ["a|-", "a=a", "b=b"]),
    ],
)
def test_what_both_did_in_the_same_order_stands_side_by_side(
    left: str, right: str, rows: list[str]
) -> None:
    assert written(align_steps([*map(step, left)], [*map(step, right)])) == rows


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (step("a", {"y": 2, "x": 1}), True),
        (step("a", {"x": 1}), False),
        (step("a", {"x": 1, "y": 2}, "error"), False),
        (step("a", "not JSON"), False),
    ],
)
def test_steps_are_the_same_when_they_sent_the_same(other: Step, same: bool) -> None:
    (pair,) = align_steps([step("a", {"x": 1, "y": 2})], [other])
    assert pair.same is same


def test_steps_of_a_trial() -> None:
    told = record(reply("ok", call("find", "error", id=1), call("stop")))
    assert call_steps(told) == [
        Step("find", "error", {"id": 1}, "bad"),
        Step("stop", "", None, ""),
    ]
    asked = seen(
        entry("users.get", params={"id": 1}),
        entry("", 2, host="example.com", path="/x", body={"a": 1}, status=400, source="none"),
    )
    assert request_steps(asked) == [
        Step("GET users.get", "200 state", {"params": {"id": 1}}, ""),
        Step("GET example.com/x", "400 none", {"body": {"a": 1}}, "bad"),
    ]
    assert call_steps(None) == request_steps(None) == []


def test_checks_that_differ_come_first_and_those_of_a_changed_case_stand_alone() -> None:
    def decided(*checks: tuple[str, str]) -> TrialDecision:
        return trial(
            "fail",
            checks=tuple(CheckResult(kind=kind, status=status) for kind, status in checks),
        )

    pairs = check_pairs(
        decided(("a", "pass"), ("a", "pass"), ("b", "fail")),
        decided(("a", "pass"), ("a", "fail"), ("c", "pass")),
    )
    rows = [(pair.left and pair.left.status, pair.right and pair.right.status, pair.same)
            for pair in pairs]  # fmt: skip
    assert rows == [
        ("pass", "fail", False),
        ("fail", None, False),
        (None, "pass", False),
        ("pass", "pass", True),
    ]


def test_the_gravest_cases_of_a_comparison_come_first() -> None:
    flags = {"A": "same", "B": "improved", "C": "suspect", "D": "significant", "E": "suspect"}
    before = result(*(case_decision(each, ["pass"]) for each in flags))
    after = result(*(case_decision(each, ["pass", "fail"]) for each in flags))
    deltas = {"E": -0.5}
    found = Comparison(
        baseline="1",
        candidate="2",
        cases=tuple(
            CaseComparison(
                case=each, before=(1, 1), after=(1, 2), delta=deltas.get(each, -0.1),
                flag=flag,
            )
            for each, flag in flags.items()
        ),
    )  # fmt: skip
    rows = compared_cases(found, before, after)
    assert [row.figures.case for row in rows] == ["D", "E", "C", "B", "A"]
    assert [(row.before and row.before.number, row.after and row.after.number) for row in rows] == [
        (1, 2)
    ] * 5


@pytest.mark.parametrize(
    ("case", "before", "after"),
    [("A", None, "B"), ("B", None, "D"), ("C", "B", "D"), ("D", "B", None)],
)
def test_one_reads_on_from_failure_to_failure(
    case: str, before: str | None, after: str | None
) -> None:
    decisions = [
        case_decision("A", ["pass"]), case_decision("B", ["pass", "fail"]),
        case_decision("C", ["pass"]), case_decision("D", ["fail"]),
    ]  # fmt: skip
    found = neighbours(decisions, case)
    assert [each and each.case for each in found] == [before, after]
