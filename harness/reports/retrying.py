"""Turns that were tried again: what passes only then is not stable."""

from collections import Counter

from harness.model import RunResult, TrialFacts


def retries(result: RunResult) -> dict[str, int]:
    """Further attempts after the first of a turn, by case; cases without any are left out."""
    found: Counter[str] = Counter()
    for facts in result.facts:
        found[facts.case] += _retries(facts)
    return {case: count for case, count in found.items() if count}


def _retries(facts: TrialFacts) -> int:
    """The last turn of a trial that was not answered has attempts too."""
    tried = facts.turns + (facts.outcome != "replied")
    return max(0, facts.attempts - tried)
