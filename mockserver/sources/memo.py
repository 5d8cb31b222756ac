"""What was made of a value before, found by the identity of the value or of what is in it."""

from collections import OrderedDict
from typing import Any, Generic, TypeVar

from mockserver.model import JsonObject

V = TypeVar("V")


class _Memo(Generic[V]):
    """What was made last, of which each entry holds on to what its key names by identities.

    Args:
        limit: How many are kept; the oldest leaves first.
        budget: How many bytes all that is kept may come to; the oldest leaves first.

    Attributes:
        limit: How many are kept.
        kept: By key what is held on to, what was made of it, and what that costs.
    """

    __slots__ = ("_budget", "_held", "kept", "limit")

    def __init__(self, limit: int, budget: int = 1 << 62) -> None:
        self.limit = limit
        self._budget = budget
        self._held = 0
        self.kept: OrderedDict[object, tuple[Any, V, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self.kept)

    def _keep(self, key: object, value: object, result: V, size: int) -> V:
        kept = self.kept
        if size > self._budget // 8:
            return result
        known = kept.pop(key, None)
        if known is not None:
            self._held -= known[2]
        while kept and (len(kept) >= self.limit or self._held + size > self._budget):
            self._held -= kept.popitem(last=False)[1][2]
        kept[key] = (value, result, size)
        self._held += size
        return result


class IdentityMemo(_Memo[V]):
    """Keeps what was made of the most recent values; for values that nobody changes in place."""

    __slots__ = ()

    def get(self, value: object) -> V | None:
        """What was made of this very value, or None."""
        found = self.kept.get(id(value))
        return None if found is None else found[1]

    def keep(self, value: object, result: V, size: int = 0) -> V:
        """Keep what was made of a value, unless it alone takes an eighth of the budget.

        Args:
            value: The value.
            result: What was made of it.
            size: What both cost, in bytes.
        """
        return self._keep(id(value), value, result, size)


class AnswerMemo(_Memo[V]):
    """Keeps what was made of the most recent answers; for rows that nobody changes in place.

    An answer made anew of the very rows of an earlier one is found, too: each page of a list is.
    """

    __slots__ = ()

    def get(self, answer: JsonObject) -> V | None:
        """What was made of an answer of these very values, or None."""
        found = self.kept.get(_values(answer))
        return None if found is None else found[1]

    def keep(self, answer: JsonObject, result: V, size: int) -> V:
        """Keep what was made of an answer, unless it alone takes an eighth of the budget.

        Args:
            answer: The answer.
            result: What was made of it.
            size: What that costs, in bytes.
        """
        values = [list(value) if isinstance(value, list) else value for value in answer.values()]
        return self._keep(_values(answer), values, result, size)


def _values(answer: JsonObject) -> tuple[object, ...]:
    """The names in an answer, and of each value the text, or else the identity of what it is."""
    key: list[object] = []
    for name, value in answer.items():
        key.append(name)
        if isinstance(value, list):
            key.append(tuple(map(id, value)))
        else:
            key.append(value if isinstance(value, str) else id(value))
    return tuple(key)
