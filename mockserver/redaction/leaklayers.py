"""The readings of a content: as it is, or with a coding undone, each knowing where it stood."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate

Piece = tuple[int, bytes]
"""Where something stood in the reading it was taken from, and the bytes that it means."""


class Layer:
    """One reading of a content, put together from pieces of the reading that it came from.

    Args:
        content: The bytes of this reading.
        outer: The reading that it came from; None for the content itself.
        coding: What was undone; empty where it is no more than a step.
        pieces: What the content was put together from. Asked for only where something was found.
        text: Whether it is a text that somebody wrote like this, not bytes that could be one.
        packed: Whether a piece's bytes are not at the places where they stood, so that all of a
            piece is told to be where it began.

    Attributes:
        content: As given.
        form: The codings that were undone, outermost first.
        text: As given.
        cut: Whether something in it was too large to be read to its end.

    >>> outer = Layer(b"ann%40corp")
    >>> inner = Layer(b"ann@corp", outer, "escaped", lambda: [(0, b"ann"), (3, b"@"), (6, b"corp")])
    >>> inner.form, inner.origin(3), inner.origin(5)
    (('escaped',), 3, 7)
    """

    __slots__ = ("_outer", "_packed", "_pieces", "_places", "content", "cut", "form", "text")

    def __init__(
        self,
        content: bytes,
        outer: "Layer | None" = None,
        coding: str = "",
        pieces: Callable[[], Iterable[Piece]] = tuple,
        *,
        text: bool = True,
        packed: bool = False,
    ) -> None:
        self.content = content
        self.form: tuple[str, ...] = outer.form if outer else ()
        if coding:
            self.form = (*self.form, coding)
        self.text = text
        self.cut = False
        self._outer = outer
        self._pieces = pieces
        self._packed = packed
        self._places: tuple[list[int], list[int]] | None = None

    def origin(self, offset: int) -> int:
        """Where in the whole content a byte of this reading stood."""
        if self._outer is None:
            return offset
        starts, origins = self._known_places()
        piece = max(0, bisect_right(starts, offset) - 1)
        within = 0 if self._packed else offset - starts[piece]
        return self._outer.origin(origins[piece] + within)

    def _known_places(self) -> tuple[list[int], list[int]]:
        if self._places is None:
            pieces = list(self._pieces()) or [(0, b"")]
            starts = [0, *accumulate(len(part) for _, part in pieces[:-1])]
            self._places = (starts, [offset for offset, _ in pieces])
        return self._places

    def starts(self) -> Iterator[int]:
        """Where in this reading something packed may begin: with each piece, if it was packed."""
        return iter(self._known_places()[0] if self._packed else (0,))
