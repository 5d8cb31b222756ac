"""Matching 100 calls against 100 expected ones, the alignment with its reasons included."""

from collections.abc import Iterator
from time import process_time

from harness.checks import check
from harness.model import ExpectedCall, Reply, ToolCall, ToolCalls, TrialRecord
from tests.benchmarks.figures import Figure

CALLS = 100
ROUNDS = 20


def figures() -> Iterator[Figure]:
    same = [{"id": number, "q": f"q{number}"} for number in range(CALLS)]
    wrong = [{**args, "q": "other"} for args in same]
    for name, mode, made in (
        ("in any order", "any_order", same[::-1]),
        ("in reversed order", "in_order", same[::-1]),
        ("each with a wrong argument", "exact", wrong),
    ):
        yield Figure(f"match {CALLS} calls of one tool {name}", _each(mode, same, made), 10, "ms")


def _each(mode: str, wanted: list[dict[str, object]], made: list[dict[str, object]]) -> float:
    calls = tuple(ExpectedCall(name="search", args=args) for args in wanted)
    expectation = ToolCalls.model_validate({"mode": mode, "calls": calls})
    reply = Reply(
        turn=1,
        prompt="Find them.",
        tool_calls=tuple(ToolCall(name="search", args=args, status="ok") for args in made),
    )
    record = TrialRecord(
        run="r", case="C-1", case_hash="h", number=1, outcome="replied",
        started_at="2026-11-20T09:00:00Z", replies=(reply,),
    )  # fmt: skip
    check(record, expectation)  # what is imported on first use is not matching
    before = process_time()
    for _ in range(ROUNDS):
        check(record, expectation)
    return (process_time() - before) / ROUNDS * 1000
