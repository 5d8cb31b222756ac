"""Rows by key, each made of something else when it is first read."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from typing_extensions import override

from mockserver.model import JsonObject


class LazyRows(Mapping[str, JsonObject]):
    """Rows of which only those are made that somebody reads.

    Attributes:
        sources: What each row is made of, by its key.
        known: The rows that were made.

    Args:
        sources: What each row is made of.
        make: Makes the row with a key.
    """

    __slots__ = ("_make", "known", "sources")

    def __init__(self, sources: Mapping[str, Any], make: Callable[[str, Any], JsonObject]) -> None:
        self.sources = sources
        self.known: dict[str, JsonObject] = {}
        self._make = make

    @override
    def __getitem__(self, key: str) -> JsonObject:
        found = self.known.get(key)
        if found is None:  # another thread may make it, too: all get the first
            found = self.known.setdefault(key, self._make(key, self.sources[key]))
        return found

    @override
    def get(self, key: str, default: Any = None) -> Any:
        found = self.known.get(key)
        if found is None and key in self.sources:
            return self[key]
        return default if found is None else found

    @override
    def __contains__(self, key: object) -> bool:
        return key in self.sources

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self.sources)

    @override
    def __len__(self) -> int:
        return len(self.sources)
