"""Pairing expected with actual items, each actual item consumed at most once.

Expected items stand in groups: within a group any order, from group to group the given one. One
group is matching in any order, groups of one are matching in order. Pairs are found by augmenting
paths (a maximum matching, so the order in which a group is written never matters); where one group
ends and the next begins, by dynamic programming over the actual items.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Group = Sequence[int]
Pairs = dict[int, int]


@dataclass(frozen=True, slots=True)
class _Segments:
    """Where the groups so far lie best.

    Attributes:
        end: The actual items before this are spent.
        weight: Of the pairs so far.
        cuts: For each group where it begins and ends.
    """

    end: int
    weight: int
    cuts: tuple[tuple[int, int], ...]


def align(
    groups: Sequence[Group], fits: Mapping[int, Sequence[int]], optional: frozenset[int]
) -> Pairs:
    """Pairs expected with actual items so that most required, then most optional ones are paired.

    Args:
        groups: Expected items by number, in groups.
        fits: For each expected item the actual items that suit it, by position, ascending.
        optional: Expected items that may be missing.

    Returns:
        Expected item to actual item.
    """
    weights = _Weights(fits, optional)
    best = [_Segments(0, 0, ())]
    for group in groups:
        best = _pruned([longer for so_far in best for longer in _extended(so_far, group, weights)])
    pairs: Pairs = {}
    for group, (start, end) in zip(groups, best[-1].cuts, strict=True):
        pairs.update(weights.matching(group, start, end))
    return pairs


class _Weights:
    def __init__(self, fits: Mapping[int, Sequence[int]], optional: frozenset[int]) -> None:
        self._fits = fits
        self._optional = optional
        self.last = max((places[-1] for places in fits.values() if places), default=-1) + 1

    def matching(self, group: Group, start: int, end: int) -> Pairs:
        """The heaviest matching of a group with the actual items from start to before end.

        Offering the required items first is enough: what an augmenting path once paired stays
        paired (sets that can be paired form a matroid).
        """
        inside = {item: [at for at in self._fits[item] if start <= at < end] for item in group}
        pairs: Pairs = {}
        owners: dict[int, int] = {}
        for item in sorted(group, key=lambda item: item in self._optional):
            _augment(item, inside, pairs, owners)
        return pairs

    def weigh(self, group: Group, start: int, end: int) -> int:
        """A required item outweighs all optional ones."""
        pairs = self.matching(group, start, end)
        required = sum(item not in self._optional for item in pairs)
        return required * (len(self._fits) + 1) + len(pairs) - required


def _extended(so_far: _Segments, group: Group, weights: _Weights) -> Iterator[_Segments]:
    """How to go on: without the group, or with it.

    Yields:
        The group left out; then it ended at each place where one more of it is paired.
    """
    start = so_far.end
    yield _Segments(start, so_far.weight, (*so_far.cuts, (start, start)))
    ends = range(start + 1, weights.last + 1)
    total = weights.weigh(group, start, weights.last)
    reached = 0
    while reached < total:
        end = ends[bisect_right(ends, reached, key=lambda end: weights.weigh(group, start, end))]
        reached = weights.weigh(group, start, end)
        yield _Segments(end, so_far.weight + reached, (*so_far.cuts, (start, end)))


def _pruned(candidates: list[_Segments]) -> list[_Segments]:
    """Only those that are heavier than everything that ends earlier; the heaviest is the last."""
    kept: list[_Segments] = []
    for candidate in sorted(candidates, key=lambda each: (each.end, -each.weight)):
        if not kept or candidate.weight > kept[-1].weight:
            kept.append(candidate)
    return kept


def _augment(
    item: int, fits: Mapping[int, Sequence[int]], pairs: Pairs, owners: dict[int, int]
) -> None:
    """Pairs one more item, moving others to where they fit too, if that is possible."""
    came_from: dict[int, int] = {}
    queue = [item]
    for current in queue:
        for place in fits[current]:
            if place in came_from:
                continue
            came_from[place] = current
            if place not in owners:
                _flip(place, came_from, pairs, owners)
                return
            queue.append(owners[place])


def _flip(place: int, came_from: dict[int, int], pairs: Pairs, owners: dict[int, int]) -> None:
    free: int | None = place
    while free is not None:
        mover = came_from[free]
        owners[free] = mover
        left = pairs.get(mover)
        pairs[mover] = free
        free = left
