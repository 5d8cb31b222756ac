"""Says where in a file a byte is: its line and, in a cassette, the interaction and the part.

Only words that every cassette has are ever told: other keys may hold what must not be told.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]', re.DOTALL)
_KEY = re.compile(
    rb"""^(?P<indent>[ ]*(?:-[ ]+)*)["']?(?P<key>[A-Za-z_]+)["']?[ ]*:(?:[ \r\n]|$)"""
)
_LISTS = (b"interactions", b"http_interactions", b"entries", b"mappings")
"""What a list of interactions is called in cassettes, in HAR files, by WireMock."""

_LIST = re.compile(
    rb"""^["']?(?P<name>(?:%b))["']?:[ ]*\r?\n(?P<dash>[ ]*-)""" % b"|".join(_LISTS), re.MULTILINE
)
_LONGEST_KEY = 200

_PARTS = {
    b"body": "body", b"content": "body", b"postData": "body", b"cookies": "cookies",
    b"headers": "headers", b"metadata": "metadata", b"queryString": "query", b"recorded": "notes",
    b"recorded_with": "header", b"status": "status", b"uri": "URL", b"url": "URL",
}  # fmt: skip
_SIDES = {b"request": "request", b"response": "response"}

_DEEPEST = 6

_Path = tuple[bytes | int, ...]


class Places:
    """The places of one file.

    Args:
        content: The whole file.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer(rb"\n", self._content))]

    @cached_property
    def _is_json(self) -> bool:
        return self._content.lstrip()[:1] in (b"{", b"[")

    def line(self, offset: int) -> int:
        """The number of a byte's line, from 1."""
        return bisect_right(self._lines, offset)

    def where(self, offset: int) -> str:
        r"""A byte's line, interaction and part, as far as there are any.

        >>> Places(b"interactions:\n- request:\n    body: hunter2\n").where(36)
        'line 3, interaction 1, request body'
        """
        told = self._json_part(offset) if self._is_json else _told(self._yaml_path(offset))
        return f"line {self.line(offset)}{told}"

    def _json_part(self, offset: int) -> str:
        starts, told = self._json_parts
        return told[bisect_right(starts, offset) - 1]

    @cached_property
    def _json_parts(self) -> tuple[list[int], list[str]]:
        """Where in a JSON text what is to be told changes, and to what."""
        starts, told = [0], [""]
        for offset, path in _json_paths(self._content):
            now = _told(path)
            if now != told[-1]:
                starts.append(offset)
                told.append(now)
        return starts, told

    def _yaml_path(self, offset: int) -> _Path:
        """The keys above a line, by indentation, up to the item of the list of interactions."""
        name, items = self._items
        item = bisect_right(items, offset)
        first = self.line(items[item - 1]) - 1 if item else 0
        path: list[bytes | int] = []
        limit = 1 << 30
        for number in range(self.line(offset) - 1, first - 1, -1):
            match = _KEY.match(self._text(number))
            if match is not None and len(match["indent"]) < limit:
                limit = len(match["indent"])
                path.append(match["key"])
        path.reverse()
        return (name, item - 1, *path) if item and limit else tuple(path)

    @cached_property
    def _items(self) -> tuple[bytes, list[int]]:
        """What the list of interactions is called, and where each of them begins."""
        listed = _LIST.search(self._content)
        if listed is None:
            return b"", []
        items = re.compile(rb"^%b" % listed["dash"], re.MULTILINE)
        return listed["name"], [
            match.start() for match in items.finditer(self._content, listed.start("dash"))
        ]

    def _text(self, number: int) -> bytes:
        start = self._lines[number]
        return self._content[start : start + _LONGEST_KEY].split(b"\n", 1)[0]


def _json_paths(content: bytes) -> Iterator[tuple[int, _Path]]:
    """Where in a JSON text the path changes, as deep as cassettes have words of their own.

    Yields:
        Offset and path.
    """
    path: list[bytes | int] = []
    last = b""
    for match in _TOKENS.finditer(content):
        token = match[0]
        if token in b"{[":
            path.append(b"" if token == b"{" else 0)
        elif token in b"}]":
            del path[-1:]
        elif len(path) > _DEEPEST:
            continue
        elif token == b"," and path:
            item = path[-1]
            path[-1] = item + 1 if isinstance(item, int) else b""
        elif token == b":" and path:
            path[-1] = last
        else:
            last = token.strip(b'"')
            continue
        if len(path) <= _DEEPEST:
            yield match.start(), tuple(path)


def _told(path: _Path) -> str:
    told = [
        f"interaction {after + 1}"
        for key, after in pairwise(path)
        if key in _LISTS and isinstance(after, int)
    ]
    side = next((_SIDES[key] for key in path if key in _SIDES), "")
    part = next((_PARTS[key] for key in path if key in _PARTS), "")
    if side or part:
        told.append(f"{side} {part}".strip())
    return "".join(f", {word}" for word in told)
