"""Pairing expected with actual items, each actual item consumed at most once.

Expected items stand in groups: within a group any order, from group to group the given one. One
group is matching in any order, groups of one are matching in order. The pairs within a stretch of
the actual items are those of the greatest weight (an assignment, so the order in which a group is
written never matters); where one group ends and the next begins, by dynamic programming.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from harness.checks.assignment import heaviest_pairs

Group = Sequence[int]
Pairs = dict[int, int]
Weights = Mapping[int, Mapping[int, int]]
"""For each expected item what a pair with an actual item, by position, is worth: above 0."""

Cut = tuple[int, int]
"""Where a group begins among the actual items, and behind its end."""


def align(groups: Sequence[Group], weights: Weights, *, fine: int = 1) -> Pairs:
    """The pairs of expected with actual items whose weight in sum is the greatest.

    Args:
        groups: Expected items by number, in groups.
        weights: What each possible pair is worth.
        fine: What is worth less than this decides between pairs of one group alone.

    Returns:
        Expected item to actual item.
    """
    if len(groups) == 1:
        return assign(groups[0], weights)
    coarse = {
        item: {at: weight // fine for at, weight in of_item.items()}
        for item, of_item in weights.items()
    }
    stretches = [_Stretches(group, coarse) for group in groups]
    cuts = _greedy(stretches)
    most = sum(each.weigh(0, each.end) for each in stretches)
    reached = sum(each.weigh(*cut) for each, cut in zip(stretches, cuts, strict=True))
    if reached < most:
        cuts = _best(stretches, most, reached)
    pairs: Pairs = {}
    for group, cut in zip(groups, cuts, strict=True):
        pairs.update(assign(group, _within(group, cut, weights)))
    return pairs


def assign(items: Group, weights: Weights) -> Pairs:
    """The heaviest pairs where no order is kept."""
    pairs: Pairs = {}
    for rows, columns in _contests(items, weights):
        pairs.update(_assign_in_order(rows, columns, weights))
    return pairs


class _Stretches:
    """A group's pairs in any stretch of the actual items.

    Attributes:
        places: The positions that matter to the group, ascending.
        end: One behind the last of them.
    """

    def __init__(self, group: Group, weights: Weights) -> None:
        self._group = group
        self._weights = weights
        self._known: dict[tuple[int, int], int] = {}
        self.places = sorted({at for item in group for at in weights[item]})
        self.end = self.places[-1] + 1 if self.places else 0

    def weigh(self, start: int, end: int) -> int:
        """What the best pairs are worth."""
        key = bisect_left(self.places, start), bisect_left(self.places, end)
        if key not in self._known:
            self._known[key] = self._weigh(*key) if key[0] < key[1] else 0
        return self._known[key]

    def _weigh(self, first: int, last: int) -> int:
        if len(self._group) == 1:
            of_item = self._weights[self._group[0]]
            return max(of_item[at] for at in self.places[first:last])
        inside = [row[first:last] for row in self._worth]
        return sum(inside[row][column] for row, column in heaviest_pairs(inside))

    @cached_property
    def _worth(self) -> list[list[int]]:
        return _table(self._group, self.places, self._weights)

    def candidates(self, worth: Sequence[int], least: int) -> Iterator[tuple[int, int, int]]:
        """Stretches to try.

        Args:
            worth: What the groups before come to, by how many actual items they spend.
            least: What they and this one must come to, to be of use.

        Yields:
            Start, end, and what it is worth: for each start each end where it is worth more.
        """
        if len(self._group) == 1:
            for at, weight in self._weights[self._group[0]].items():
                if worth[at] + weight >= least:
                    yield at, at + 1, weight
            return
        for start in range(self.end):
            if start and worth[start] == worth[start - 1]:
                continue  # the start before is as good
            total, gained = self.weigh(start, self.end), 0
            while gained < total and worth[start] + total >= least:
                end = self.soonest(start, gained + 1)
                gained = self.weigh(start, end)
                yield start, end, gained

    def soonest(self, start: int, weight: int) -> int:
        """The earliest end of a stretch that is worth so much."""
        first = bisect_left(self.places, start)
        ends = [at + 1 for at in self.places[first:]]
        return ends[bisect_left(ends, weight, key=lambda end: self.weigh(start, end))]


def _within(group: Group, cut: Cut, weights: Weights) -> Weights:
    start, end = cut
    return {
        item: {at: weight for at, weight in weights[item].items() if start <= at < end}
        for item in group
    }


def _greedy(stretches: Sequence[_Stretches]) -> list[Cut]:
    """Where each group ends as soon as no more of it can be paired: perfect when all can be."""
    cuts, start = [], 0
    for each in stretches:
        most = each.weigh(start, max(start, each.end))
        end = each.soonest(start, most) if most else start
        cuts.append((start, end))
        start = end
    return cuts


def _best(stretches: Sequence[_Stretches], left: int, reached: int) -> list[Cut]:
    """Where the groups lie best.

    Args:
        stretches: The groups.
        left: What all groups could be worth at most.
        reached: What is known to be possible; what cannot come to as much is given up.
    """
    last = max(each.end for each in stretches)
    worth = [0] * (last + 1)  # of the groups so far, by how many actual items are spent
    tables: list[list[Cut | None]] = []
    for each in stretches:
        left -= each.weigh(0, each.end)
        table: list[Cut | None] = [None] * (last + 1)  # None: the group is left out
        longer = worth[:]
        for start, end, gained in each.candidates(worth, reached - left):
            _reach(longer, table, (start, end), worth[start] + gained)
        worth = longer
        tables.append(table)
    return _walked_back(tables, last)


def _reach(worth: list[int], table: list[Cut | None], cut: Cut, weight: int) -> None:
    """Notes what can be had from an end on, as far as nothing better is known."""
    for spent in range(cut[1], len(worth)):
        if worth[spent] >= weight:
            return
        worth[spent], table[spent] = weight, cut


def _walked_back(tables: Sequence[list[Cut | None]], cost: int) -> list[Cut]:
    cuts = []
    for table in reversed(tables):
        cut = table[cost] or (cost, cost)
        cost = cut[0]
        cuts.append(cut)
    return cuts[::-1]


def _contests(items: Group, weights: Weights) -> list[tuple[list[int], list[int]]]:
    """Expected items and the positions that they compete for, each competition by itself."""
    of_place: dict[int, list[int]] = {}
    for item in items:
        for at in weights[item]:
            of_place.setdefault(at, []).append(item)
    found, seen = [], set[int]()
    for item in items:
        if item in seen or not weights[item]:
            continue
        seen.add(item)
        rows, columns = [item], dict[int, None]()
        for row in rows:
            for at in weights[row]:
                if at in columns:
                    continue
                columns[at] = None
                rows += [other for other in of_place[at] if other not in seen]
                seen.update(of_place[at])
        found.append((rows, list(columns)))
    return found


def _assign_in_order(rows: Group, columns: Sequence[int], weights: Weights) -> Pairs:
    if len(rows) == 1:
        of_item = weights[rows[0]]
        return {rows[0]: max(sorted(of_item), key=of_item.__getitem__)}
    if len(columns) == 1:
        at = columns[0]
        return {max(rows, key=lambda item: weights[item][at]): at}
    return _assign(sorted(rows), sorted(columns), weights)


def _assign(rows: Group, columns: Sequence[int], weights: Weights) -> Pairs:
    chosen = heaviest_pairs(_table(rows, columns, weights))
    pairs = ((rows[row], columns[column]) for row, column in chosen)
    return {item: at for item, at in pairs if at in weights[item]}


def _table(rows: Group, columns: Sequence[int], weights: Weights) -> list[list[int]]:
    """What is no pair is worth nothing."""
    return [[weights[item].get(at, 0) for at in columns] for item in rows]
