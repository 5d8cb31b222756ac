"""What was made of a value before, found by the value's identity."""

from typing import Any, Generic, TypeVar

V = TypeVar("V")


class IdentityMemo(Generic[V]):
    """Keeps what was made of the most recent values; for values that nobody changes in place.

    Each entry holds on to its value, so that an identity is never that of another one.

    Args:
        limit: How many are kept; the oldest leaves first.
    """

    __slots__ = ("_kept", "_limit")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: dict[int, tuple[Any, V]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, value: object) -> V | None:
        """What was made of this very value, or None."""
        found = self._kept.get(id(value))
        return None if found is None else found[1]

    def keep(self, value: object, made: V) -> V:
        """Keep what was made of a value."""
        if len(self._kept) >= self._limit:
            del self._kept[next(iter(self._kept))]
        self._kept[id(value)] = (value, made)
        return made
