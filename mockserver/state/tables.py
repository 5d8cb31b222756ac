"""Collections of resources: shared until written, indexed on demand."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from mockserver.model import JsonObject

T = TypeVar("T")


class Table:
    """One collection: resources by key, in the order they were put.

    Rows are values: a caller replaces a row, it never changes one in place. What is derived from
    the rows
    (an index, a tree, a sorted list) is kept until the next write, and is shared by all sessions
    while the
    table is.
    """

    __slots__ = ("_derived", "_rows")

    def __init__(
        self, rows: Mapping[str, JsonObject] | Iterable[tuple[str, JsonObject]] = ()
    ) -> None:
        self._rows: dict[str, JsonObject] = dict(rows)
        self._derived: dict[Any, Any] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: str) -> bool:
        return key in self._rows

    def get(self, key: str) -> JsonObject | None:
        """The row with this key, or None."""
        return self._rows.get(key)

    def rows(self) -> Mapping[str, JsonObject]:
        """All rows by key, in order."""
        return self._rows

    def derived(self, build: Callable[["Table"], T]) -> T:
        """What `build` makes of the rows; built once, then kept until the next write."""
        try:
            found: T = self._derived[build]
        except KeyError:
            found = self._derived[build] = build(self)
        return found

    def copy(self) -> "Table":
        """A table of the same rows that can be written apart."""
        return Table(self._rows)

    def put(self, key: str, row: JsonObject) -> None:
        """Add or replace a row."""
        self._rows[key] = row
        self._derived.clear()

    def delete(self, key: str) -> None:
        """Remove a row; a key that is not there is ignored."""
        self._rows.pop(key, None)
        self._derived.clear()
