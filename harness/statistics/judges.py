"""How far a judge is to be believed, from labels that people gave."""

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random  # noqa: TID251  (seeded)
from typing import NamedTuple

from harness.statistics.distributions import draw_passes, quantile_between
from harness.statistics.proportions import Interval, wilson
from harness.statistics.resampling import DRAWS, draw_counts

FEWEST_NEGATIVES = 20
"""With fewer labels `fail` nothing is known of how often a judge accepts what is bad."""


class Agreement(NamedTuple):
    """A judge beside people.

    Attributes:
        positives: Items that people accepted.
        negatives: Items that they did not.
        true_positive: Of the positives, those that the judge accepted too.
        true_negative: Of the negatives, those that it did not accept either.
        tpr: The share of the former, with its Wilson interval.
        tnr: The share of the latter.
        kappa: Cohen's, with its bootstrap interval.
        corrected: The share of passes that the judge measured, corrected for its errors, with an
            interval that resamples both the labels and the trials; None for a judge that does no
            better than chance.
    """

    positives: int
    negatives: int
    true_positive: int
    true_negative: int
    tpr: tuple[float, float, float]
    tnr: tuple[float, float, float]
    kappa: tuple[float, float, float]
    corrected: tuple[float, float, float] | None


def judge_agreement(
    pairs: Sequence[tuple[bool, bool]], measured: tuple[int, int], *, seed: int = 0
) -> Agreement:
    """How a judge agrees with people.

    Args:
        pairs: For each item the person's label and the judge's verdict.
        measured: Trials that the judge accepted, and all that it judged.
        seed: Of the resampling.

    Raises:
        ValueError: There is no positive or no negative.
    """
    labels, verdicts = zip(*pairs, strict=True) if pairs else ((), ())
    positives, negatives = sum(labels), len(labels) - sum(labels)
    if not positives or not negatives:
        raise ValueError("a judge is measured on items that pass and on items that fail")
    both = sum(label and verdict for label, verdict in pairs)
    neither = sum(not label and not verdict for label, verdict in pairs)
    tpr, tnr = both / positives, neither / negatives
    draws = _resample_intervals(labels, verdicts, measured, seed)
    share = measured[0] / measured[1]
    point = corrected_rate(share, tpr, tnr)
    return Agreement(
        positives,
        negatives,
        both,
        neither,
        (tpr, *wilson(both, positives)),
        (tnr, *wilson(neither, negatives)),
        (kappa(pairs), *draws[0]),
        None if point is None or draws[1] is None else (point, *draws[1]),
    )


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float:
    """Cohen's kappa: 1 is perfect agreement, 0 what chance gives.

    >>> kappa([(True, True), (False, False)]), kappa([(True, True), (False, True)])
    (1.0, 0.0)
    """
    count = len(pairs)
    same = sum(label == verdict for label, verdict in pairs) / count
    first = sum(label for label, _ in pairs) / count
    second = sum(verdict for _, verdict in pairs) / count
    chance = first * second + (1 - first) * (1 - second)
    return 1.0 if chance == 1 else (same - chance) / (1 - chance)


def corrected_rate(measured: float, tpr: float, tnr: float) -> float | None:
    """The true rate behind one that a judge with these errors measured, from 0 to 1.

    >>> corrected_rate(0.5, 1.0, 1.0), corrected_rate(0.7, 0.5, 0.5)
    (0.5, None)
    """
    informed = tpr + tnr - 1
    if informed <= 0:
        return None
    return min(1.0, max(0.0, (measured + tnr - 1) / informed))


def _resample_intervals(
    labels: Sequence[bool], verdicts: Sequence[bool], measured: tuple[int, int], seed: int
) -> tuple[Interval, Interval | None]:
    """The intervals of kappa and of the corrected rate."""
    generator = Random(seed)  # noqa: S311  (statistics, not secrets)
    kinds = Counter(zip(labels, verdicts, strict=True))
    counts = list(draw_counts([kinds[each] for each in _KINDS], DRAWS, generator))
    of = measured[1]
    accepted = [draw_passes(generator, of, measured[0] / of) / of for _ in range(DRAWS)]
    rates = [
        rate
        for drawn, share in zip(counts, accepted, strict=True)
        if (rate := _correct_rate(drawn, share)) is not None
    ]
    return _ends([_kappa(drawn) for drawn in counts]), _ends(rates) if rates else None


_KINDS = ((False, False), (False, True), (True, False), (True, True))
"""Label and verdict, in the order of the counts that are drawn."""


def _kappa(counts: Sequence[int]) -> float:
    total = sum(counts)
    same = (counts[0] + counts[3]) / total
    first, second = (counts[2] + counts[3]) / total, (counts[1] + counts[3]) / total
    chance = first * second + (1 - first) * (1 - second)
    return 1.0 if chance >= 1 else (same - chance) / (1 - chance)


def _correct_rate(counts: Sequence[int], accepted: float) -> float | None:
    negatives, positives = counts[0] + counts[1], counts[2] + counts[3]
    if not negatives or not positives:
        return None
    return corrected_rate(accepted, counts[3] / positives, counts[0] / negatives)


def _ends(values: Iterable[float]) -> Interval:
    ranked = sorted(values)
    return Interval(quantile_between(ranked, 0.025), quantile_between(ranked, 0.975))
