"""Which trials are shown in full: those that tell most, until there are enough."""

from collections.abc import Iterator, Sequence

from harness.model import CaseDecision, TrialDecision

MOST = 200
"""So many trials are shown in full."""


def chosen(decisions: Sequence[CaseDecision], most: int = MOST) -> list[TrialDecision]:
    """Trials in the order of what they tell, at most so many.

    The first trial of each case that did not pass; then the others that did not, those of all cases
    by turns; then the first pass of each case; then the rest by turns.
    """
    found: dict[tuple[str, int], TrialDecision] = {}
    for trial in _ranked(decisions):
        if len(found) >= most:
            break
        found.setdefault((trial.case, trial.number), trial)
    return list(found.values())


def _ranked(decisions: Sequence[CaseDecision]) -> Iterator[TrialDecision]:
    yield from _by_turns([_not_passed(decision) for decision in decisions])
    yield from _by_turns([_passed(decision) for decision in decisions])


def _by_turns(lists: Sequence[Sequence[TrialDecision]]) -> Iterator[TrialDecision]:
    for place in range(max(map(len, lists), default=0)):
        yield from (trials[place] for trials in lists if place < len(trials))


def _not_passed(decision: CaseDecision) -> list[TrialDecision]:
    return [trial for trial in decision.trials if trial.status != "pass"]


def _passed(decision: CaseDecision) -> list[TrialDecision]:
    return [trial for trial in decision.trials if trial.status == "pass"]
