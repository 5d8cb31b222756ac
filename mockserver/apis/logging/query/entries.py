"""A log entry as queries look at it: the row, when it was, and its text."""

from collections.abc import Iterator

import orjson

from mockserver.model import Json, JsonObject

_NOT_SEARCHED = frozenset({"timestamp", "receiveTimestamp"})
"""Times are in stored time, so their text is not what a session shows."""


class Entry:
    """One log entry, in stored time.

    Attributes:
        row: The entry, API-shaped.
        key: Its key in the table.
        ns: Its timestamp, nanoseconds since 1970.
    """

    __slots__ = ("_text", "_written", "key", "ns", "row")

    def __init__(self, row: JsonObject, key: str, ns: int) -> None:
        self.row = row
        self.key = key
        self.ns = ns
        self._text: str | None = None
        self._written: str | None = None

    @property
    def text(self) -> str:
        """All its values, in lower case, a line each; made once."""
        if self._text is None:
            values = {name: each for name, each in self.row.items() if name not in _NOT_SEARCHED}
            self._text = folded_text(values)
        return self._text

    @property
    def written(self) -> str:
        """The entry as JSON in lower case; made once, and far faster than `text`.

        What is in a value of it is in here as `as_written` says; what is in here may be a name.
        """
        if self._written is None:
            self._written = orjson.dumps(self.row).decode().casefold()
        return self._written


def as_written(text: str) -> str:
    """A text as it is inside JSON, in lower case.

    >>> as_written("Größe")
    'grösse'
    """
    return orjson.dumps(text).decode()[1:-1].casefold()


def folded_text(value: Json) -> str:
    r"""The values inside a JSON value, in lower case, a line each.

    >>> folded_text({"a": "One", "b": [2, True, None]})
    'one\n2\ntrue'
    """
    return "\n".join(_scalars(value)).casefold()


def _scalars(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _scalars(each)
    elif isinstance(value, list):
        for each in value:
            yield from _scalars(each)
    elif isinstance(value, bool):
        yield "true" if value else "false"
    elif value is not None:
        yield orjson.dumps(value).decode()
