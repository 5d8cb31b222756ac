"""Trials as results of tasks: the fields that reports of the coding format have."""

from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean

from harness.model import (
    Case,
    CheckResult,
    JsonObject,
    RunResult,
    TrialDecision,
    TrialRecord,
)

_OUTSIDE = {"not_evaluated", "infra_error", "replay_miss", "skipped"}


def task_result(case: Case, trial: TrialDecision, record: TrialRecord | None) -> JsonObject:
    """One trial as the result of a task.

    `taskId`, `taskCategory`, `passed`, `score` (0 to 1; null outside of the rates), `durationMs`,
    `tokensUsed` and `costUsd` (null where the agent does not say), `toolCallsMade`, `error` (null
    on a pass), and `details`: for each check `check`, `passed`, `expected` and `actual`.
    """
    usages = [reply.usage for reply in record.replies] if record else []
    tokens = [
        used
        for usage in usages
        for used in (usage.input_tokens, usage.output_tokens)
        if used is not None
    ]
    costs = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
    return {
        "taskId": case.id,
        "taskCategory": case.category,
        "passed": trial.status == "pass",
        "score": trial.score,
        "durationMs": round(record.duration_ms, 3) if record else 0,
        "tokensUsed": sum(tokens) if tokens else None,
        "costUsd": sum(costs) if costs else None,
        "toolCallsMade": len(record.tool_calls) if record else 0,
        "error": trial.reason or None,
        "details": [row for check in trial.checks for row in _details(check)],
    }


def category_scores(result: RunResult) -> dict[str, JsonObject]:
    """For each category, in alphabetical order: trials `passed` and `failed`, and `avgScore`."""
    trials: dict[str, list[TrialDecision]] = {}
    for case, decision in zip(result.cases, result.decisions, strict=True):
        trials.setdefault(case.category, []).extend(decision.trials)
    return {name: _scored(trials[name]) for name in sorted(trials)}


def mean_score(trials: Iterable[TrialDecision]) -> float | None:
    """The mean of the scores of trials that have one; None when none has."""
    scores = [trial.score for trial in trials if trial.score is not None]
    return fmean(scores) if scores else None


def _scored(trials: list[TrialDecision]) -> JsonObject:
    valid = [trial for trial in trials if trial.status not in _OUTSIDE]
    passed = sum(trial.status == "pass" for trial in valid)
    return {"passed": passed, "failed": len(valid) - passed, "avgScore": mean_score(trials)}


def _details(check: CheckResult) -> Iterator[JsonObject]:
    rows: list[Mapping[str, object]] = check.numbers.get("details") or []
    for row in rows if check.kind == "patterns" else []:
        yield {
            "check": "pattern",
            "passed": row["passed"],
            "expected": row["pattern"],
            "actual": row["detail"],
        }
    if not rows or check.kind != "patterns":
        passed = check.status == "pass" or check.numbers.get("passed") is True
        yield {
            "check": check.kind,
            "passed": passed,
            "expected": _expected(check),
            "actual": check.reason or "as expected",
        }


def _expected(check: CheckResult) -> str:
    named = ("expected", "max_rounds", "mode", "files")
    return ", ".join(f"{name} {check.numbers[name]}" for name in named if name in check.numbers)
