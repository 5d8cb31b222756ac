"""Sequences whose items are made when they are asked for."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar, overload

from typing_extensions import override

_Item = TypeVar("_Item", covariant=True)


class StoredSequence(Sequence[_Item]):
    """Items that are kept in another form than their own; equal to any sequence of equal items."""

    @abstractmethod
    def item_at(self, place: int) -> _Item:
        """Make one item; its place is from 0 to the length."""

    @overload
    def __getitem__(self, place: int) -> _Item: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[_Item, ...]: ...

    @override
    def __getitem__(self, place: int | slice) -> _Item | tuple[_Item, ...]:
        places = range(len(self))[place]
        return self.item_at(places) if isinstance(places, int) else tuple(map(self.item_at, places))

    @override
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # as of any sequence that grows

    @override
    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)})"
