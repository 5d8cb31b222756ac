"""Which case got worse: exact tests a case, corrected for how many were looked at."""

from collections.abc import Mapping
from math import comb


def fisher_worse(before: tuple[int, int], after: tuple[int, int]) -> float:
    """The one-sided p-value that a case got worse.

    Args:
        before: Passes and valid trials of the earlier run.
        after: Those of the later one.

    >>> round(fisher_worse((5, 5), (2, 5)), 5)
    0.08333
    """
    from scipy.stats import fisher_exact

    (old, of_old), (new, of_new) = before, after
    if not of_old or not of_new:
        return 1.0
    table = [[new, of_new - new], [old, of_old - old]]
    return float(fisher_exact(table, alternative="less").pvalue)


def holm(p_values: Mapping[str, float], alpha: float = 0.05) -> frozenset[str]:
    """The keys that stay significant when the chance of any false one is held at alpha."""
    found: list[str] = []
    ranked = sorted(p_values.items(), key=lambda item: item[1])
    for rank, (key, p_value) in enumerate(ranked):
        if p_value > alpha / (len(ranked) - rank):
            break
        found.append(key)
    return frozenset(found)


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
