"""What was asked of judges in a run, and how far they are to be believed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from harness.checks.judge import Judge, JudgeNumbers
from harness.model import Calibration, CheckResult, RunResult, TrialShape, select_trials


@dataclass(frozen=True, slots=True)
class Judgement:
    """One question to one judge, over a run.

    Attributes:
        question: What was asked.
        asked: Its hash.
        model: The judge.
        prompt: The hash of its instructions.
        checks: How many checks it was asked for.
        open: How many of them it left undecided.
        known: What is known of the judge, in words.
    """

    question: str
    asked: str
    model: str
    prompt: str
    checks: int
    open: int
    known: str


def judgements(result: RunResult) -> list[Judgement]:
    """Every question that a judge was asked, in the order of the cases."""
    found: dict[tuple[str, str, str], Judgement] = {}
    for check in _judge_checks(result):
        numbers = cast("JudgeNumbers", check.numbers)
        key = (numbers["asked"], numbers["model"], numbers["prompt"])
        if key not in found:
            known = _calibration_state(key, result.calibrations)
            found[key] = Judgement(numbers["question"], *key, checks=0, open=0, known=known)
        so_far = found[key]
        undecided = check.status == "not_evaluated"
        found[key] = replace(so_far, checks=so_far.checks + 1, open=so_far.open + undecided)
    return list(found.values())


def judge_lines(result: RunResult) -> list[str]:
    """A line for each question, for a terminal."""
    return [
        f"judge {each.model}: {each.question!r}, {each.checks} checks"
        + (f", {each.open} undecided" if each.open else "")
        + f"; {each.known}"
        for each in judgements(result)
    ]


def _judge_checks(result: RunResult) -> Iterable[CheckResult]:
    return (
        check
        for decision in result.decisions
        for trial in select_trials(decision.trials, _asks_judge)
        for check in trial.checks
        if check.kind == Judge.kind_name() and "model" in check.numbers
    )


def _asks_judge(shape: TrialShape) -> bool:
    return any(check.kind == Judge.kind_name() for check in shape.checks)


def _calibration_state(key: tuple[str, str, str], calibrations: Sequence[Calibration]) -> str:
    asked, model, prompt = key
    for each in calibrations:
        if (each.model, each.prompt) == (model, prompt):
            figures = f"TPR {each.tpr[0]:.0%}, TNR {each.tnr[0]:.0%}, kappa {each.kappa[0]:.2f}"
            other = "" if asked in each.questions else " on other questions"
            return f"calibrated{other}: {figures}"
    if any(each.model == model for each in calibrations):
        return "stale: calibrated with other instructions"
    return "stale: another model was calibrated" if calibrations else "never calibrated"
