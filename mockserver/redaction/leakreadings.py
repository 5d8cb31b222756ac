"""Every reading of a content, codings inside codings, within a budget."""

from collections import deque
from collections.abc import Iterator
from itertools import chain

from mockserver.redaction.leakescapes import unescaped
from mockserver.redaction.leaklayers import Layer
from mockserver.redaction.leakpacked import unpacked
from mockserver.redaction.leaksplit import joined

DEEPEST = 6
"""Codings inside one another that are undone."""

_ROOM = 256 * 1024 * 1024
_TIMES = 8
"""All readings together are at most this many times as large as the content, and the room above."""


def readings(content: bytes) -> Iterator[Layer]:
    """The content as it is, then with ever more codings undone; the same bytes only once.

    The last one is marked as `cut` when the budget did not reach for all.

    Yields:
        Each reading once.
    """
    room = _ROOM + _TIMES * len(content)
    waiting = deque([Layer(content)])
    seen: set[int] = set()
    while waiting:
        layer = waiting.popleft()
        room -= len(layer.content)
        layer.cut = layer.cut or room < 0
        yield layer
        if room < 0:
            return
        if len(layer.form) < DEEPEST:
            waiting.extend(_inner(layer, seen))


def _inner(layer: Layer, seen: set[int]) -> Iterator[Layer]:
    for inner in chain(unescaped(layer), unpacked(layer, seen), joined(layer)):
        mark = hash(inner.content)
        if mark not in seen:
            seen.add(mark)
            yield inner
