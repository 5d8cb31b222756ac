"""How alike the trials of one case are: items matched by key as multisets, over all pairs."""

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations
from math import comb
from typing import Literal, NamedTuple

Label = Literal["ideal", "acceptable", "watch", "problem", "n/a"]
Items = Sequence[tuple[Hashable, Hashable]]
"""Key and value of each item that a trial found; a key may come several times."""

_ACCEPTABLE, _WATCH = 0.8, 0.6


class Stability(NamedTuple):
    """How alike trials are.

    Attributes:
        numerator: Sum over all pairs of the items that agree.
        denominator: Sum over all pairs of the items that either has.
        value: The mean over the pairs that can be compared; None where there is none.
        label: In words.
    """

    numerator: int
    denominator: int
    value: float | None
    label: Label


def label_of(value: float | None) -> Label:
    """The word for a share.

    >>> label_of(1.0), label_of(0.8), label_of(0.6), label_of(0.59), label_of(None)
    ('ideal', 'acceptable', 'watch', 'problem', 'n/a')
    """
    if value is None:
        return "n/a"
    if value >= 1:
        return "ideal"
    if value >= _ACCEPTABLE:
        return "acceptable"
    return "watch" if value >= _WATCH else "problem"


def agreement(one: Items, other: Items) -> tuple[int, int]:
    """Items of equal key and value, and all items that one or the other has."""
    matched = sum((Counter(one) & Counter(other)).values())
    keys_one, keys_other = Counter(key for key, _ in one), Counter(key for key, _ in other)
    return matched, sum((keys_one | keys_other).values())


def stability(trials: Sequence[Items]) -> Stability:
    """The stability of what several valid trials found; missing items count as disagreement.

    >>> stability([[("A", 1)], []]).value, stability([[], []]).value
    (0.0, None)
    """
    known: dict[tuple[int, int], tuple[int, int]] = {}
    alike: dict[tuple[tuple[Hashable, Hashable], ...], int] = {}
    kinds = [alike.setdefault(tuple(trial), len(alike)) for trial in trials]
    different = list(alike)
    same = total = compared = 0
    shares = 0.0
    for pair in combinations(kinds, 2):
        found = known.get(pair)
        if found is None:
            found = known[pair] = agreement(different[pair[0]], different[pair[1]])
        if found[1]:
            same, total, compared = same + found[0], total + found[1], compared + 1
            shares += found[0] / found[1]
    value = shares / compared if compared else None
    return Stability(same, total, value, label_of(value))


def share_of_equal(values: Sequence[Hashable]) -> Stability:
    """The share of pairs of trials that are equal: whole answers, or sequences of tools.

    >>> share_of_equal(["a", "a", "b"]).value
    0.3333333333333333
    """
    same = sum(comb(count, 2) for count in Counter(values).values())
    pairs = comb(len(values), 2)
    value = same / pairs if pairs else None
    return Stability(same, pairs, value, label_of(value))


def first_run_stability(trials: Sequence[Items]) -> float:
    """The number of the original review runner: against the first trial, doubles collapsed.

    It is 1.0 where nothing can be compared; kept to be read beside old results, never to gate.
    """
    if not trials:
        return 1.0
    first = dict(trials[0])
    same = total = 0
    for trial in trials[1:]:
        for key, value in dict(trial).items():
            if key in first:
                total += 1
                same += first[key] == value
    return same / total if total else 1.0
