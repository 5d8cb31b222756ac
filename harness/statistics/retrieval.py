"""How well a retriever finds what is relevant: hit at one, recall, mean reciprocal rank."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What one query brought.

    Attributes:
        retrieved: The ids that were found, best first.
        relevant: The ids that should be; at least one.
    """

    retrieved: Sequence[str]
    relevant: Collection[str]


@dataclass(frozen=True, slots=True)
class RetrievalFigures:
    """What several queries come to; each figure is a mean over queries, 0 to 1.

    Attributes:
        queries: How many.
        hit_at_1: Share of queries whose first result is relevant.
        recall: Share of the relevant ids that were found.
        mrr: One divided by the rank of the first relevant result; 0 where there is none.
    """

    queries: int
    hit_at_1: float
    recall: float
    mrr: float


def retrieval_figures(found: Sequence[Retrieval], *, k: int | None = None) -> RetrievalFigures:
    """Judge a retriever by its results.

    An id that was found twice counts where it stands first, so that repeating it gains nothing.

    Args:
        found: The queries, at least one.
        k: Look at the first so many results alone; None looks at all.

    Raises:
        ValueError: There is no query, one has nothing relevant, or `k` is below 1.

    >>> retrieval_figures([Retrieval(["b", "a"], {"a", "c"})])
    RetrievalFigures(queries=1, hit_at_1=0.0, recall=0.5, mrr=0.5)
    """
    if not found:
        raise ValueError("no queries: there is nothing to judge")
    if k is not None and k < 1:
        raise ValueError(f"k is {k}; at least 1 is needed")
    if any(not each.relevant for each in found):
        raise ValueError("a query names nothing relevant, so that nothing could be missed")
    ranked = [(list(dict.fromkeys(each.retrieved))[:k], set(each.relevant)) for each in found]
    return RetrievalFigures(
        queries=len(found),
        hit_at_1=fmean(bool(ids) and ids[0] in wanted for ids, wanted in ranked),
        recall=fmean(len(wanted.intersection(ids)) / len(wanted) for ids, wanted in ranked),
        mrr=fmean(_reciprocal(ids, wanted) for ids, wanted in ranked),
    )


def _reciprocal(ids: Sequence[str], wanted: Collection[str]) -> float:
    ranks = (rank for rank, id in enumerate(ids, start=1) if id in wanted)
    return 1 / rank if (rank := next(ranks, 0)) else 0.0
