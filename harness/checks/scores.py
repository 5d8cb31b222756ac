"""How much of what was expected a trial showed, from 0 to 1."""

from collections.abc import Mapping, Sequence

from harness.model import CheckResult, Expectation, Patterns


def score_of(
    expect: Sequence[Expectation], checks: Sequence[CheckResult], weights: Mapping[str, float]
) -> float:
    """The weighted share of the required checks that passed.

    Each check counts once, but every pattern of a `patterns` check counts on its own. What could
    not be evaluated did not pass.

    Args:
        expect: What was expected.
        checks: What came of it, in the same order.
        weights: Kind to what a check of it weighs; 1 where it names none.
    """
    total = reached = 0.0
    for expectation, result in zip(expect, checks, strict=True):
        if not expectation.required:
            continue
        weight = weights.get(expectation.kind, 1.0) * _parts(expectation)
        total += weight
        reached += weight * _share(result)
    return reached / total if total else 0.0


def _parts(expectation: Expectation) -> int:
    return max(1, len(expectation.patterns)) if isinstance(expectation, Patterns) else 1


def _share(result: CheckResult) -> float:
    if result.kind == "patterns":
        return float(result.numbers.get("score", 0.0))
    return float(result.status == "pass")
