"""Judges trajectories and replies by ADK's evaluators; run by an interpreter that has ADK.

Reads trials as JSON from the standard input, writes verdicts as JSON.
"""

import json
import sys
from importlib import import_module
from typing import Any


def main() -> None:
    """Judge what is read."""
    trials = json.load(sys.stdin)
    verdicts: dict[str, Any] = {mode: _judged(trials, mode) for mode in _MODES}
    verdicts["rouge"] = [_replied(trial) for trial in trials]
    json.dump(verdicts, sys.stdout)


_MODES = ("EXACT", "IN_ORDER", "ANY_ORDER")


def _part(name: str) -> Any:
    return import_module(f"google.adk.evaluation.{name}")


def _judged(trials: Any, mode: str) -> list[bool]:
    metrics, evaluators = _part("eval_metrics"), _part("trajectory_evaluator")

    kind = metrics.ToolTrajectoryCriterion
    criterion = kind(threshold=1.0, match_type=kind.MatchType[mode])
    metric = metrics.EvalMetric(
        metric_name="tool_trajectory_avg_score", threshold=1.0, criterion=criterion
    )
    evaluator = evaluators.TrajectoryEvaluator(eval_metric=metric)
    found = []
    for trial in trials:
        result = evaluator.evaluate_invocations(
            [_invocation(trial["actual"], trial["reply"])],
            [_invocation(trial["expected"], trial["reference"])],
        )
        found.append(result.overall_score == 1.0)
    return found


def _replied(trial: Any) -> bool:
    evaluator = _part("final_response_match_v1").RougeEvaluator(
        _part("eval_metrics").EvalMetric(
            metric_name="response_match_score", threshold=trial["threshold"]
        )
    )
    result = evaluator.evaluate_invocations(
        [_invocation([], trial["reply"])], [_invocation([], trial["reference"])]
    )
    return bool(result.overall_eval_status == _part("evaluator").EvalStatus.PASSED)


def _invocation(calls: Any, text: str) -> Any:
    cases, types = _part("eval_case"), import_module("google.genai.types")

    return cases.Invocation(
        user_content=types.Content(parts=[types.Part(text="Go.")], role="user"),
        final_response=types.Content(parts=[types.Part(text=text)], role="model"),
        intermediate_data=cases.IntermediateData(
            tool_uses=[types.FunctionCall(name=call["name"], args=call["args"]) for call in calls]
        ),
    )


if __name__ == "__main__":
    main()
