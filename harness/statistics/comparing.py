"""Two runs, case by case: what came, what went, what got worse, and whether chance explains it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import fmean

from harness.model import (
    CaseComparison,
    Comparison,
    ComparisonVerdict,
    Discordant,
    Flag,
    Totals,
)
from harness.statistics.flags import benjamini_hochberg, fisher_worse, holm, mcnemar
from harness.statistics.resampling import bootstrap_mean, sign_flip

_FEWEST_FOR_BROKEN = 3
_NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What is compared of a run.

    Attributes:
        run: Its id.
        hashes: Case id to case hash, in run order.
        counts: Case id to passes and valid trials.
        deterministic: Cases that allow no difference at all.
        totals: The run, counted; None where that is not known.
    """

    run: str
    hashes: Mapping[str, str]
    counts: Mapping[str, tuple[int, int]]
    deterministic: Collection[str] = ()
    totals: Totals | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """How two runs are judged.

    Attributes:
        margin: How much worse is still not worse, as a share.
        alpha: The chance of a false alarm.
        seed: Of the resampling.
        threshold: Name the cases whose rate fell by more than this; None names none.
        explore: Also name the cases that Benjamini and Hochberg would.
    """

    margin: float = 0.05
    alpha: float = 0.05
    seed: int = 0
    threshold: float | None = None
    explore: bool = False


DEFAULT_TERMS = Terms()


def compare(baseline: Outcomes, candidate: Outcomes, terms: Terms = DEFAULT_TERMS) -> Comparison:
    """Hold a run against an earlier one."""
    both = [case for case in baseline.hashes if case in candidate.hashes]
    changed = tuple(case for case in both if baseline.hashes[case] != candidate.hashes[case])
    invalid = tuple(
        case for case in both if case not in changed and not _is_valid(case, baseline, candidate)
    )
    matched = [case for case in both if case not in {*changed, *invalid}]
    cases = _flagged(matched, baseline, candidate, terms)
    deltas = [case.delta for case in cases]
    effect = fmean(deltas) if deltas else None
    confidence = 1 - terms.alpha
    interval = bootstrap_mean(deltas, confidence=confidence, seed=terms.seed) if deltas else None
    p_value = sign_flip(deltas, seed=terms.seed)
    return Comparison(
        baseline=baseline.run,
        candidate=candidate.run,
        cases=cases,
        added=tuple(case for case in candidate.hashes if case not in baseline.hashes),
        removed=tuple(case for case in baseline.hashes if case not in candidate.hashes),
        changed=changed,
        invalid=invalid,
        effect=effect,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        p_value=p_value,
        margin=terms.margin,
        alpha=terms.alpha,
        seed=terms.seed,
        verdict=_verdict(effect, interval.low if interval else None, p_value, terms),
        threshold=terms.threshold,
        over_threshold=_fallen(cases, terms.threshold),
        explored=_explored(cases, terms),
        discordant=_discordant(cases),
        before=baseline.totals,
        after=candidate.totals,
        warnings=_warnings(cases, terms),
    )


def _is_valid(case: str, *runs: Outcomes) -> bool:
    return all(run.counts.get(case, (0, 0))[1] for run in runs)


def _flagged(
    matched: list[str], baseline: Outcomes, candidate: Outcomes, terms: Terms
) -> tuple[CaseComparison, ...]:
    p_values = {
        case: fisher_worse(baseline.counts[case], candidate.counts[case]) for case in matched
    }
    significant = holm(p_values, terms.alpha)
    return tuple(
        _compared(
            case,
            baseline.counts[case],
            candidate.counts[case],
            p_values[case],
            significant=case in significant,
            deterministic=case in candidate.deterministic,
        )
        for case in matched
    )


def _compared(
    case: str,
    before: tuple[int, int],
    after: tuple[int, int],
    p_value: float,
    *,
    significant: bool,
    deterministic: bool,
) -> CaseComparison:
    delta = after[0] / after[1] - before[0] / before[1]
    flag: Flag = "same"
    if deterministic and abs(delta) > _NOTHING:
        flag = "changed_outcome"
    elif delta < -_NOTHING:
        flag = _worse(before, after, significant=significant)
    elif delta > _NOTHING:
        flag = "improved"
    return CaseComparison(
        case=case, before=before, after=after, delta=delta, p_value=p_value, flag=flag
    )


def _worse(before: tuple[int, int], after: tuple[int, int], *, significant: bool) -> Flag:
    was_whole = before[0] == before[1]
    if was_whole and not after[0] and min(before[1], after[1]) >= _FEWEST_FOR_BROKEN:
        return "broken"
    return "significant" if significant else "suspect"


def _verdict(
    effect: float | None, low: float | None, p_value: float, terms: Terms
) -> ComparisonVerdict:
    if effect is None or low is None:
        return "inconclusive"
    if p_value < terms.alpha and effect < 0:
        return "regressed"
    return "not_worse" if low > -terms.margin else "inconclusive"


def _warnings(cases: tuple[CaseComparison, ...], terms: Terms) -> tuple[str, ...]:
    found = []
    if any(case.before[1] != case.after[1] for case in cases):
        found.append(
            "the runs have different numbers of valid trials a case: the paired test is not exact"
        )
    if cases and all(case.before[1] == case.after[1] == 1 for case in cases):
        found.append("one trial a case: a change of one case cannot be told from chance")
    if terms.threshold is not None:
        found.append(
            f"a fall of one case by more than {terms.threshold:g} is an alarm that chance alone"
            " raises nearly always in a suite of 20 cases with few trials each"
        )
    return tuple(found)


def _explored(cases: tuple[CaseComparison, ...], terms: Terms) -> tuple[str, ...]:
    if not terms.explore:
        return ()
    found = benjamini_hochberg({case.case: case.p_value for case in cases}, terms.alpha)
    return tuple(case.case for case in cases if case.case in found)


def _discordant(cases: tuple[CaseComparison, ...]) -> Discordant | None:
    """Only for one trial a side: repeats of a case hang together, pairing them lies."""
    if not cases or any((case.before[1], case.after[1]) != (1, 1) for case in cases):
        return None
    worse = sum(case.delta < 0 for case in cases)
    better = sum(case.delta > 0 for case in cases)
    return Discordant(worse=worse, better=better, p_value=mcnemar(worse, better))


def _fallen(cases: tuple[CaseComparison, ...], threshold: float | None) -> tuple[str, ...]:
    if threshold is None:
        return ()
    return tuple(case.case for case in cases if -case.delta > threshold + _NOTHING)
