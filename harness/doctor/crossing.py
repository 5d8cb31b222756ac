"""Whether answers to other cases pass a case, too: then it asks for nothing of its own."""

from collections.abc import Mapping, Sequence

from harness.checks import decide_trial
from harness.model import Case, TrialRecord

MOST_OTHERS = 40
"""A case is held against so many others at most, spread evenly over the suite."""


def confused_with(
    cases: Sequence[Case], records: Mapping[str, TrialRecord]
) -> dict[str, tuple[tuple[str, ...], int]]:
    """By case: the cases whose records pass it, and how many were tried.

    Args:
        cases: The cases, in suite order.
        records: A record of each that has one in which the agent did well.
    """
    found: dict[str, tuple[tuple[str, ...], int]] = {}
    for case in cases:
        others = _spread([each for each in cases if each.id in records and each.id != case.id])
        alike = [
            each.id for each in others if decide_trial(case, records[each.id]).status == "pass"
        ]
        found[case.id] = (tuple(alike), len(others))
    return found


def _spread(cases: Sequence[Case]) -> Sequence[Case]:
    if len(cases) <= MOST_OTHERS:
        return cases
    return [cases[number * len(cases) // MOST_OTHERS] for number in range(MOST_OTHERS)]
