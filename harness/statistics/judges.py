"""How far a judge is to be believed, from labels that people gave."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from harness.statistics.proportions import Interval, wilson
from harness.statistics.resampling import DRAWS

if TYPE_CHECKING:
    import numpy as np

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
    draws = _resampled(labels, verdicts, measured, seed)
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


def _resampled(
    labels: Sequence[bool], verdicts: Sequence[bool], measured: tuple[int, int], seed: int
) -> tuple[Interval, Interval | None]:
    """The intervals of kappa and of the corrected rate."""
    import numpy as np

    generator = np.random.default_rng(seed)
    table = np.array([label * 2 + verdict for label, verdict in zip(labels, verdicts, strict=True)])
    shares = np.bincount(table, minlength=4) / len(table)
    counts = generator.multinomial(len(table), shares, DRAWS).astype(float)
    accepted = generator.binomial(measured[1], measured[0] / measured[1], DRAWS) / measured[1]
    return _ends(_kappas(counts)), _of_rates(counts, accepted)


def _kappas(counts: "np.ndarray") -> "np.ndarray":
    import numpy as np

    shares = counts / counts.sum(axis=1, keepdims=True)
    same = shares[:, 0] + shares[:, 3]
    first, second = shares[:, 2] + shares[:, 3], shares[:, 1] + shares[:, 3]
    chance = first * second + (1 - first) * (1 - second)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(chance >= 1, 1.0, (same - chance) / (1 - chance))


def _of_rates(counts: "np.ndarray", accepted: "np.ndarray") -> Interval | None:
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        tpr = counts[:, 3] / (counts[:, 2] + counts[:, 3])
        tnr = counts[:, 0] / (counts[:, 0] + counts[:, 1])
        rates = np.clip((accepted + tnr - 1) / (tpr + tnr - 1), 0, 1)
    known = rates[np.isfinite(rates) & (tpr + tnr > 1)]
    return _ends(known) if len(known) else None


def _ends(values: "np.ndarray") -> Interval:
    import numpy as np

    low, high = np.quantile(values, [0.025, 0.975])
    return Interval(float(low), float(high))
