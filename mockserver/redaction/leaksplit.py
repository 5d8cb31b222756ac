"""Puts together what stands in several pieces: folded lines, the events of a stream."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import orjson

from mockserver.model import Json
from mockserver.redaction.leaklayers import Layer, Piece

_FOLDED_FROM = 48
"""Bytes: nobody folds lines that are shorter."""

_EVENT = re.compile(rb"(?:^|[\"'\s])data: ?")
_FOLDED, _SPLIT = "folded over lines", "split over events"


def joined(layer: Layer) -> Iterator[Layer]:
    """The readings of a reading in which lines or events are put together, each way once.

    Yields:
        At most two.
    """
    if b"\n" not in layer.content:
        return
    lines = list(_lines(layer.content))
    if layer.form[-1:] != (_FOLDED,) and (folded := list(_folded(lines, inner=bool(layer.form)))):
        yield _together(layer, folded, _FOLDED, packed=False)
    if _SPLIT not in layer.form and (told := _events(lines)):
        yield _together(layer, told, _SPLIT, packed=True)


def _together(layer: Layer, pieces: list[Piece], coding: str, *, packed: bool) -> Layer:
    # no text as it was written: what stands side by side now may look like a secret
    content = b"".join(part for _, part in pieces)
    return Layer(content, layer, coding, lambda: pieces, text=False, packed=packed)


def _lines(content: bytes) -> Iterator[Piece]:
    offset = 0
    for line in content.split(b"\n"):
        yield offset, line.strip()
        offset += len(line) + 1


def _folded(lines: list[Piece], *, inner: bool) -> Iterator[Piece]:
    """Long lines with the line after them; inside of something else, only lines without spaces.

    Yields:
        Each line of those that are put together.
    """
    folding = False
    for (offset, line), (after, following) in pairwise(lines):
        folds = len(line) >= _FOLDED_FROM and _may_be_one(line, following)
        if not folds or (inner and (b" " in line or b" " in following)):
            folding = False
            continue
        if not folding:
            yield offset, b"\n" + line
        folding = True
        yield after, following


def _may_be_one(line: bytes, following: bytes) -> bool:
    """Whether two lines are not those of a JSON text that is written over several."""
    if not following:
        return False
    return not (line[-1:] in b",{[" and following[:1] in b'"{}[]') and following[:1] not in b"}]"


def _events(lines: list[Piece]) -> list[Piece]:
    """What consecutive events say at the same place, as one text; what is no JSON as it is."""
    told: defaultdict[tuple[str | int, ...], list[Piece]] = defaultdict(list)
    for offset, line in lines:
        if b"data:" in line and (event := _EVENT.search(line)):
            line = line[event.end() :]
        elif not (line.startswith(b"{") and line.endswith((b"}", b"},"))):
            continue
        told[()].append((offset, line.rstrip(b"'\"")))
        for path, text in _texts(line.removesuffix(b",")):
            told[path].append((offset, text))
    return [
        piece
        for pieces in told.values()
        if len(pieces) > 1
        for piece in (*pieces, (pieces[-1][0], b"\n"))
    ]


def _texts(line: bytes) -> Iterator[tuple[tuple[str | int, ...], bytes]]:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return
    yield from _walked(value, ("",))


def _walked(
    value: Json, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], bytes]]:
    if isinstance(value, str):
        yield path, value.encode("utf-8", "replace")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _walked(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _walked(item, (*path, number))
