"""Which case got worse: exact tests a case, corrected for how many were looked at."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import comb

from harness.statistics.distributions import hypergeometric_share


@lru_cache(maxsize=4096)
def fisher_worse(before: tuple[int, int], after: tuple[int, int]) -> float:
    """The one-sided p-value that a case got worse.

    Args:
        before: Passes and valid trials of the earlier run.
        after: Those of the later one.

    >>> round(fisher_worse((5, 5), (2, 5)), 5)
    0.08333
    """
    (old, of_old), (new, of_new) = before, after
    if not of_old or not of_new:
        return 1.0
    return hypergeometric_share(new, of_new, old + new, of_old + of_new)


def stratified(pairs: Sequence[tuple[tuple[int, int], tuple[int, int]]]) -> float:
    """The two-sided p-value that the trials of several cases together came out differently.

    Fisher's exact test, case by case, joined: given how many trials of each case passed in both
    runs, the passes of the later run are a sum of independent hypergeometric counts. It sees what
    happens in few cases with several trials, where a test over cases cannot see anything.

    Args:
        pairs: For each case passes and valid trials, before and after.

    >>> round(stratified([((3, 3), (0, 3)), ((3, 3), (0, 3))]), 3)
    0.005
    """
    chances = [1.0]
    seen = 0
    for (old, of_old), (new, of_new) in pairs:
        passed, total = old + new, of_old + of_new
        ways = comb(total, of_new)
        own = [
            comb(passed, count) * comb(total - passed, of_new - count) / ways
            for count in range(of_new + 1)
        ]
        joined = [0.0] * (len(chances) + of_new)
        for place, chance in enumerate(chances):
            for count, share in enumerate(own):
                joined[place + count] += chance * share
        chances, seen = joined, seen + new
    return min(1.0, 2 * min(sum(chances[: seen + 1]), sum(chances[seen:])))


def least_p_value(before: tuple[int, int], after: tuple[int, int]) -> float:
    """The smallest p-value that `fisher_worse` could give, knowing only how many passed in all.

    A case that passed in every trial of both runs, or in none, can never be significant.

    >>> least_p_value((3, 3), (3, 3)), round(least_p_value((3, 3), (1, 3)), 3)
    (1.0, 0.2)
    """
    (old, of_old), (new, of_new) = before, after
    fewest = max(0, old + new - of_old)
    return fisher_worse((old + new - fewest, of_old), (fewest, of_new))


def tarone(
    p_values: Mapping[str, float], least: Mapping[str, float], alpha: float
) -> frozenset[str]:
    """The keys that stay significant when the chance of any false one is held at alpha.

    Tarone's correction (Biometrics 46, 1990): a test that could not reach significance whatever
    its outcome can raise no false alarm either, so only the others are counted.

    Args:
        p_values: Of exact tests.
        least: For each key the smallest p-value that its test could have given.
        alpha: The chance of any false alarm.
    """
    for tests in range(1, len(p_values) + 1):
        able = [key for key in p_values if least[key] <= alpha / tests]
        if len(able) <= tests:
            return frozenset(key for key in able if p_values[key] <= alpha / tests)
    return frozenset()


def benjamini_hochberg(p_values: Mapping[str, float], alpha: float = 0.05) -> frozenset[str]:
    """The keys of which at most a share of alpha is expected to be false; for exploring."""
    ranked = sorted(p_values.items(), key=lambda item: item[1])
    last = max(
        (rank for rank, (_, p) in enumerate(ranked, 1) if p <= alpha * rank / len(ranked)),
        default=0,
    )
    return frozenset(key for key, _ in ranked[:last])


def mcnemar(worse: int, better: int, *, mid_p: bool = False) -> float:
    """The p-value of discordant pairs; for one trial a case on each side, never for more.

    >>> mcnemar(5, 0), mcnemar(5, 0, mid_p=True)
    (0.0625, 0.03125)
    """
    total = worse + better
    if not total:
        return 1.0
    least, pairs = min(worse, better), 1 << total
    tail = 2 * sum(comb(total, count) for count in range(least + 1))
    return min(1.0, (tail - (comb(total, least) if mid_p else 0)) / pairs)
