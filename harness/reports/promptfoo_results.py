"""Results as `promptfoo eval -o results.json` writes them and `promptfoo import` reads them."""

import hashlib
from collections.abc import Iterable

from pydantic_core import to_json

from harness.model import JsonObject, RunResult
from harness.reports.reported_trials import (
    EPOCH,
    OWN,
    ReportedTrial,
    moment,
    own_run,
    reported_trials,
)
from harness.reports.texts import inert

_PROMPT = "{{prompt}}"
_BROKEN = frozenset({"infra_error", "replay_miss", "skipped"})
"""Statuses that say nothing of the agent: promptfoo counts them as errors."""


def promptfoo_report(result: RunResult) -> str:
    """The run as results of an eval with one prompt: a trial is a test, a check an assertion."""
    manifest = result.manifest
    agent = inert(manifest.agent)
    results = [
        _result(number, trial, agent) for number, trial in enumerate(reported_trials(result))
    ]
    started = moment(manifest.started_at)
    created = started.isoformat() if started else EPOCH
    stats = _stats(results)
    return (
        to_json(
            {
                "evalId": f"eval-{manifest.run}",
                "results": {
                    "version": 3,
                    "timestamp": created,
                    "prompts": [_prompt(agent, results, stats)],
                    "results": results,
                    "stats": stats,
                },
                "config": {
                    "description": inert(manifest.suite),
                    "prompts": [_PROMPT],
                    "providers": [agent],
                    "tests": [each["testCase"] for each in results],
                    "metadata": {OWN: own_run(result)},
                },
                "shareableUrl": None,
                "metadata": {
                    "exportedAt": created,
                    "evaluationCreatedAt": created,
                    "author": None,
                },
                "vars": ["prompt"],
                "runtimeOptions": {},
            },
            indent=1,
            inf_nan_mode="null",
        ).decode()
        + "\n"
    )


def _result(number: int, trial: ReportedTrial, agent: str) -> JsonObject:
    decision, record = trial.decision, trial.record
    prompts = trial.prompts
    raw = "\n\n".join(prompts)
    passed = decision.status == "pass"
    reason = inert(decision.reason)
    used = _tokens(trial)
    costs = [
        reply.usage.cost_usd
        for reply in (record.replies if record else ())
        if reply.usage.cost_usd is not None
    ]
    held: JsonObject = {
        "id": _digest(f"{trial.case.id}/{decision.number}"),
        "testIdx": number,
        "promptIdx": 0,
        "promptId": _digest(_PROMPT) * 2,
        "provider": {"id": agent, "label": ""},
        "prompt": {"raw": raw, "label": _PROMPT},
        "vars": {"prompt": raw},
        "testCase": {
            "description": f"{trial.case.id} {inert(trial.case.title)}".strip(),
            "vars": {"prompt": raw},
            "metadata": {OWN: trial.own},
        },
        "success": passed,
        "score": decision.score if decision.score is not None else float(passed),
        "latencyMs": round(trial.duration_ms),
        "cost": sum(costs),
        "namedScores": {},
        "tokenUsage": used,
        "response": {
            "output": inert(record.text) if record else "",
            "tokenUsage": used,
        },
        "metadata": {},
        "failureReason": 0 if passed else 2 if decision.status in _BROKEN else 1,
    }
    if not passed:
        held["error"] = reason or decision.status
    if decision.status not in _BROKEN:
        held["gradingResult"] = {
            "pass": passed,
            "score": held["score"],
            "reason": reason or "All assertions passed",
            "namedScores": {},
            "componentResults": [
                {
                    "pass": check.is_met,
                    "score": float(check.is_met),
                    "reason": inert(check.reason) or "Assertion passed",
                    "assertion": {"type": "python", "metric": name},
                }
                for name, check in trial.checks()
            ],
        }
    return held


def _tokens(trial: ReportedTrial) -> JsonObject:
    sides = trial.tokens()
    if sides == (None, None):
        return {}
    return {
        "prompt": sides[0] or 0,
        "completion": sides[1] or 0,
        "total": (sides[0] or 0) + (sides[1] or 0),
    }


def _stats(results: Iterable[JsonObject]) -> JsonObject:
    reasons = [each["failureReason"] for each in results]
    return {
        "successes": reasons.count(0),
        "failures": reasons.count(1),
        "errors": reasons.count(2),
        "tokenUsage": {"prompt": 0, "completion": 0, "cached": 0, "total": 0, "numRequests": 0},
    }


def _prompt(agent: str, results: list[JsonObject], stats: JsonObject) -> JsonObject:
    parts = [
        part["pass"]
        for each in results
        for part in each.get("gradingResult", {}).get("componentResults", [])
    ]
    return {
        "id": _digest(_PROMPT) * 2,
        "raw": _PROMPT,
        "label": _PROMPT,
        "provider": agent,
        "metrics": {
            "score": sum(each["score"] for each in results),
            "testPassCount": stats["successes"],
            "testFailCount": stats["failures"],
            "testErrorCount": stats["errors"],
            "assertPassCount": sum(parts),
            "assertFailCount": len(parts) - sum(parts),
            "totalLatencyMs": sum(each["latencyMs"] for each in results),
            "tokenUsage": stats["tokenUsage"],
            "namedScores": {},
            "namedScoresCount": {},
            "cost": sum(each["cost"] for each in results),
        },
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
