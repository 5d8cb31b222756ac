"""The heaviest pairs of rows and columns: the linear assignment problem.

Shortest augmenting paths, after Crouse, "On implementing 2D rectangular assignment algorithms"
(IEEE Transactions on Aerospace and Electronic Systems 52, 2016), as SciPy has it; weights are whole
numbers, so the result is exact.
"""

from collections.abc import Sequence

Weights = Sequence[Sequence[int]]
"""What each pair is worth, row by row; rows of the same length."""

_FREE = -1


def heaviest_pairs(weights: Weights) -> list[tuple[int, int]]:
    """Pair rows with columns, each at most once, as many as there can be.

    Returns:
        Row and column of each pair, by rows, with the greatest weight in sum.

    >>> heaviest_pairs([[3, 2], [4, 1]])
    [(0, 1), (1, 0)]
    """
    if not weights or not weights[0]:
        return []
    if len(weights) > len(weights[0]):
        turned = list(zip(*weights, strict=True))
        return sorted((row, column) for column, row in heaviest_pairs(turned))
    return list(enumerate(_Search(weights).columns()))


class _Search:
    """The search for the pairs of a table that has at least as many columns as rows."""

    def __init__(self, weights: Weights) -> None:
        self._costs = [[-weight for weight in row] for row in weights]
        self._width = len(weights[0])
        self._of_row = [0] * len(weights)
        self._of_column = [0] * self._width
        self._column_of = [_FREE] * len(weights)
        self._row_of = [_FREE] * self._width

    def columns(self) -> list[int]:
        """The column of each row."""
        for row in range(len(self._costs)):
            self._pair(row)
        return self._column_of

    def _pair(self, row: int) -> None:
        """Give a row its column; rows before it may move to another."""
        before = [_FREE] * self._width
        costs: list[int | None] = [None] * self._width
        waiting = list(range(self._width - 1, -1, -1))
        rows, done = [row], list[int]()
        at, spent = row, 0
        while True:
            index = self._nearest(at, spent, waiting, costs, before)
            column = waiting[index]
            spent = costs[column] or 0
            waiting[index] = waiting[-1]
            waiting.pop()
            done.append(column)
            if self._row_of[column] == _FREE:
                break
            at = self._row_of[column]
            rows.append(at)
        self._of_row[row] += spent
        for other in rows[1:]:
            self._of_row[other] += spent - (costs[self._column_of[other]] or 0)
        for each in done:
            self._of_column[each] -= spent - (costs[each] or 0)
        while True:
            other = before[column]
            self._row_of[column] = other
            self._column_of[other], column = column, self._column_of[other]
            if other == row:
                return

    def _nearest(
        self,
        row: int,
        spent: int,
        waiting: Sequence[int],
        costs: list[int | None],
        before: list[int],
    ) -> int:
        """Where in `waiting` the column stands that costs least; a free one of several."""
        own, base = self._costs[row], spent - self._of_row[row]
        found, least = 0, None
        for index, column in enumerate(waiting):
            cost = base + own[column] - self._of_column[column]
            known = costs[column]
            if known is None or cost < known:
                before[column] = row
                costs[column] = known = cost
            if least is None or known < least or (known == least and self._row_of[column] == _FREE):
                found, least = index, known
        return found
