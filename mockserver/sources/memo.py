"""What was made of a value before, found by the identity of the value or of what is in it."""

from typing import Any, Generic, TypeVar

from mockserver.model import JsonObject

V = TypeVar("V")


class IdentityMemo(Generic[V]):
    """Keeps what was made of the most recent values; for values that nobody changes in place.

    Each entry holds on to its value, so that an identity is never that of another one.

    Args:
        limit: How many are kept; the oldest leaves first.

    Attributes:
        kept: Each value with what was made of it, by the identity of the value.
    """

    __slots__ = ("_limit", "kept")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.kept: dict[int, tuple[Any, V]] = {}

    def __len__(self) -> int:
        return len(self.kept)

    def get(self, value: object) -> V | None:
        """What was made of this very value, or None."""
        found = self.kept.get(id(value))
        return None if found is None else found[1]

    def keep(self, value: object, result: V) -> V:
        """Keep what was made of a value."""
        if len(self.kept) >= self._limit:
            del self.kept[next(iter(self.kept))]
        self.kept[id(value)] = (value, result)
        return result


class AnswerMemo(Generic[V]):
    """Keeps what was made of the most recent answers; for rows that nobody changes in place.

    An answer made anew of the very rows of an earlier one is found, too: each page of a list is.
    Each entry holds on to its rows, so that an identity is never that of another one.

    Args:
        limit: How many are kept; the oldest leaves first.
    """

    __slots__ = ("_kept", "_limit")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: dict[tuple[object, ...], tuple[Any, V]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, answer: JsonObject) -> V | None:
        """What was made of an answer of these very values, or None."""
        found = self._kept.get(_values(answer))
        return None if found is None else found[1]

    def keep(self, answer: JsonObject, result: V) -> V:
        """Keep what was made of an answer."""
        if len(self._kept) >= self._limit:
            del self._kept[next(iter(self._kept))]
        values = [list(value) if isinstance(value, list) else value for value in answer.values()]
        self._kept[_values(answer)] = (values, result)
        return result


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
