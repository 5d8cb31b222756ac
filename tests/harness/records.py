"""Small trial records for tests."""

from collections.abc import Iterable, Sequence
from typing import Any

from harness.model import (
    Case,
    CaseDecision,
    Expectation,
    HeldRecords,
    JsonObject,
    Policy,
    Reply,
    RunManifest,
    RunResult,
    TextContains,
    ToolCall,
    TrialDecision,
    TrialRecord,
    TrialStatus,
    Turn,
    facts_of,
)
from harness.verdicts import decide_case, decide_run
from mockserver.model import Journal, JournalEntry


def reply(text: str = "", *calls: ToolCall | str, turn: int = 1, **facts: Any) -> Reply:
    made = tuple(call if isinstance(call, ToolCall) else ToolCall(name=call) for call in calls)
    return Reply(turn=turn, prompt=facts.pop("prompt", "Why?"), text=text, tool_calls=made, **facts)


def record(*replies: Reply | str, **facts: Any) -> TrialRecord:
    """A trial of `C-1`; texts are replies to turns 1, 2, ..."""
    made = tuple(
        each if isinstance(each, Reply) else reply(each, turn=turn)
        for turn, each in enumerate(replies, start=1)
    )
    known: dict[str, Any] = {
        "run": "r1",
        "case": "C-1",
        "case_hash": "h1",
        "number": 1,
        "outcome": "replied",
        "started_at": "2025-01-01T00:00:00Z",
        "replies": made,
    }
    return TrialRecord(**(known | facts))


def call(name: str, /, status: Any = "unknown", step: int = 0, **args: Any) -> ToolCall:
    return ToolCall(name=name, args=args, status=status, step=step)


def entry(method_id: str, seq: int = 1, **facts: Any) -> JournalEntry:
    known: dict[str, Any] = {
        "seq": seq,
        "at": "2025-01-01T00:00:00Z",
        "session": "s1",
        "method_id": method_id,
        "http_method": "POST" if method_id.startswith("tools.") else "GET",
        "path": "/" + method_id,
        "status": 200,
        "source": "state",
        "duration_ms": 1.0,
    }
    return JournalEntry(**(known | facts))


def seen(*entries: JournalEntry, **facts: Any) -> TrialRecord:
    """A trial whose agent said `done`, with what the server saw."""
    return record("done", session="s1", journal=Journal(entries=entries), **facts)


def case(*expect: Expectation, id: str = "C-1", **facts: Any) -> Case:
    facts.setdefault("turns", (Turn(user="Why?"),))
    return Case(id=id, expect=expect, **facts)


def trial(status: TrialStatus, number: int = 1, **facts: Any) -> TrialDecision:
    return TrialDecision(case=facts.pop("case", "C-1"), number=number, status=status, **facts)


def case_decision(case: str, statuses: Sequence[TrialStatus], **facts: Any) -> CaseDecision:
    """A case by the statuses of its trials; its verdict is that of the policy `all`."""
    trials = tuple(trial(status, number, case=case) for number, status in enumerate(statuses, 1))
    return decide_case(
        Case(id=case, turns=(Turn(user="Why?"),)), trials, Policy.model_validate({"pass": "all"})
    ).model_copy(update=facts)


def result(*decisions: CaseDecision, **facts: Any) -> RunResult:
    ids = [decision.case for decision in decisions]
    cases = tuple(case(TextContains(needles=("x",)), id=each) for each in ids)
    known: dict[str, Any] = {
        "manifest": manifest(ids),
        "cases": cases,
        "decisions": decisions,
        "records": HeldRecords(),
    }
    made = RunResult(**(known | facts))
    return made.model_copy(update={"facts": tuple(facts_of(each) for each in made.records)})


def decided(
    asked: RunManifest, cases: Sequence[Case], records: Iterable[TrialRecord], **facts: Any
) -> RunResult:
    return decide_run(
        asked, cases, HeldRecords.of_cases([each.id for each in cases], records), **facts
    )


def manifest(ids: list[str], **facts: Any) -> RunManifest:
    known: JsonObject = {
        "run": "run-1",
        "suite": "fixtures/example",
        "agent": "command:./agent.sh",
        "cases": {each: f"hash-{each}" for each in ids},
        "trials": dict.fromkeys(ids, 1),
    }
    return RunManifest(**(known | facts))
