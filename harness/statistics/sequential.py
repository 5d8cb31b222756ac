"""Topping a run up until it is decided: at planned looks, each with a share of alpha."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness.model import Comparison
from harness.statistics.comparison import DEFAULT_TERMS, Outcomes, Terms, compare, verdict_of
from harness.statistics.power import LOOKS, corrected_alpha


@dataclass(frozen=True, slots=True)
class SequentialRun:
    """A run that is topped up.

    Attributes:
        outcomes: The run; its counts are made anew for each look.
        passed: Case id to the numbers of its valid trials, and whether each passed.
        planned: Case id to how many trials it was given so far.
    """

    outcomes: Outcomes
    passed: Mapping[str, Mapping[int, bool]]
    planned: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class LookResult:
    """What a look shows.

    Attributes:
        comparison: The run against its baseline, at the last look that it has the trials for.
        wanted: Case id to the trials it is to have at the next look; empty when all is decided.
    """

    comparison: Comparison
    wanted: Mapping[str, int] = field(default_factory=dict)


def look_at(
    baseline: Outcomes,
    tried: SequentialRun,
    terms: Terms = DEFAULT_TERMS,
    looks: Sequence[int] = LOOKS,
) -> LookResult:
    """Go through the looks that a run has the trials for, as they were gone through then.

    While the suite is inconclusive all cases are topped up, so that its rate is not that of chosen
    cases. A suspect is held against the baseline by the trials alone that came after those that
    made it one: cases picked for a bad result do better the next time, whatever they are. Nothing
    is topped up once the suite or a case is known to be worse.

    Args:
        baseline: What the run is held against.
        tried: The run.
        terms: How the two are judged; each look spends an equal share of alpha.
        looks: Trials a case at which may be looked, ascending.
    """
    each = replace(terms, alpha=corrected_alpha(terms.alpha, len(looks)))
    since: dict[str, int] = {}
    settled, found, wanted = 0, compare(baseline, tried.outcomes, each), dict[str, int]()
    for place, trials in enumerate(looks):
        found = _at(baseline, tried, each, (settled or trials, trials, since))
        found = found.model_copy(update={"looks": tuple(looks[: place + 1])})
        if found.verdict != "inconclusive":
            settled = settled or trials
        for case in found.flagged("suspect"):
            since.setdefault(case.case, trials)
        later = looks[place + 1] if place + 1 < len(looks) else 0
        wanted = dict.fromkeys(_open(found, settled), later) if later else {}
        if any(tried.planned.get(case, 0) < count for case, count in wanted.items()) or not wanted:
            break
    return LookResult(found, wanted)


def _open(found: Comparison, settled: int) -> list[str]:
    """The cases that are to be tried again."""
    if found.flagged("significant", "changed_outcome") or found.verdict == "regressed":
        return []
    if settled:
        return [case.case for case in found.flagged("suspect")]
    return [*(case.case for case in found.cases), *found.invalid] if found.cases else []


def _at(
    baseline: Outcomes, tried: SequentialRun, terms: Terms, at: tuple[int, int, Mapping[str, int]]
) -> Comparison:
    """A look: the suite by the trials up to one number, suspects by those between two."""
    settled, trials, since = at
    whole = compare(baseline, _outcomes_until(tried, settled), terms)
    if not since:
        return whole
    newer = {case: _count(tried, case, number, trials) for case, number in since.items()}
    newer = {case: count for case, count in newer.items() if count[1]}
    counts = {**_outcomes_until(tried, settled).counts, **newer}
    alone = compare(baseline, replace(tried.outcomes, counts=counts, scores={}), terms)
    cases = tuple(
        case.model_copy(update={"since": since[case.case]}) if case.case in newer else case
        for case in alone.cases
    )
    named = {"over_threshold": alone.over_threshold, "explored": alone.explored}
    found = whole.model_copy(update={"cases": cases, **named})
    return found.model_copy(update={"verdict": verdict_of(found)})


def _outcomes_until(tried: SequentialRun, last: int) -> Outcomes:
    counts = {case: _count(tried, case, 0, last) for case in tried.outcomes.hashes}
    return replace(tried.outcomes, counts=counts, scores={})  # the scores are of all trials


def _count(tried: SequentialRun, case: str, after: int, last: int) -> tuple[int, int]:
    found = [
        passed for number, passed in tried.passed.get(case, {}).items() if after < number <= last
    ]
    return sum(found), len(found)
