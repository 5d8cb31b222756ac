"""An ordered set of tuples whose copies cost nothing, and share what neither of them changed."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from operator import attrgetter
from typing import Any, cast, final

from typing_extensions import override

Entry = tuple[Any, ...]

_WIDTH = 64
"""Parts of a node; a write copies one node of each level, so a wide node makes it dear."""

_COMPARED = 3
"""What entries are told apart by; what stands behind it need not be comparable."""

_FILL = 48
"""Parts of a node that is built at once, so that it has room."""


@final
class Last:
    """Compares as greater than every other value."""

    @override
    def __eq__(self, other: object) -> bool:
        return self is other

    @override
    def __hash__(self) -> int:
        return id(self)

    def __lt__(self, other: object) -> bool:
        """Never."""
        return False

    def __gt__(self, other: object) -> bool:
        """Always, but for itself."""
        return self is not other


LAST = Last()
"""Behind every value: `(parent, LAST)` is behind all entries of a parent."""


class _Node:
    """A part of a tree; only the tree that owns it changes it in place.

    Attributes:
        owner: What the tree is known by that made it.
        parts: Entries in a leaf, nodes elsewhere.
        tops: For each part what no entry of it is greater than, and all of the next are; None in
            a leaf.
        size: How many entries are in it.
    """

    __slots__ = ("owner", "parts", "size", "tops")

    def __init__(self, owner: object, parts: list[Any], tops: list[Entry] | None) -> None:
        self.owner = owner
        self.parts = parts
        self.tops = tops
        self.size = len(parts) if tops is None else sum(part.size for part in parts)

    def copy(self, owner: object) -> "_Node":
        """The same node for another tree to change."""
        twin = _Node.__new__(_Node)
        twin.owner, twin.parts, twin.size = owner, self.parts.copy(), self.size
        twin.tops = None if self.tops is None else self.tops.copy()
        return twin

    def top(self) -> Entry:
        """What no entry is greater than."""
        found: Entry = (self.parts if self.tops is None else self.tops)[-1]
        return found

    def split(self) -> "_Node":
        """Move the upper half into a node of its own."""
        middle = len(self.parts) // 2
        tops = self.tops
        upper = _Node(self.owner, self.parts[middle:], None if tops is None else tops[middle:])
        del self.parts[middle:]
        if tops is not None:
            del tops[middle:]
        self.size -= upper.size
        return upper


class _MovedNode(_Node):
    """A node of another tree with its entries moved, each when somebody looks into it."""

    __slots__ = ("_move", "of")

    def __init__(self, of: _Node, move: Callable[[Entry], Entry]) -> None:
        self.owner, self.size = None, of.size
        self.of, self._move = of, move

    def __getattr__(self, name: str) -> Any:
        """Moves the entries when `parts` or `tops` are first asked for."""
        if name not in {"parts", "tops"}:
            raise AttributeError(name)
        of, move = self.of, self._move
        if of.tops is None:
            self.parts = [move(entry) for entry in of.parts]
            self.tops = None
        else:
            self.parts = [_MovedNode(part, move) for part in of.parts]
            self.tops = [move(top) for top in of.tops]
        return self.parts if name == "parts" else self.tops


@final
class SortedTree:
    """An ordered set of tuples: a B-tree, of which a write copies the nodes on its way.

    Args:
        entries: What is in it; no two are equal.
    """

    __slots__ = ("_owner", "_root")

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._owner = object()
        ordered = iter(sorted(entries))
        level: list[_Node] = []
        while part := list(islice(ordered, _FILL)):
            level.append(_Node(self._owner, part, None))
        while len(level) > 1:
            several = [level[at : at + _FILL] for at in range(0, len(level), _FILL)]
            level = [_Node(self._owner, some, [each.top() for each in some]) for some in several]
        self._root = level[0] if level else _Node(self._owner, [], None)

    def __len__(self) -> int:
        return self._root.size

    def __iter__(self) -> Iterator[Entry]:
        return _entries(self._root)

    def copy(self) -> "SortedTree":
        """A tree of the same entries that can be written apart."""
        twin = SortedTree()
        twin._root = self._root
        self._owner = object()  # what both have belongs to neither
        return twin

    def moved(self, move: Callable[[Entry], Entry]) -> "SortedTree":
        """A tree of the entries as `move` makes them, which keeps their order, as they are read.

        This one is not written any more.
        """
        twin = SortedTree()
        twin._root = _MovedNode(self._root, move)
        return twin

    def add(self, entry: Entry) -> None:
        """Add an entry that is not there."""
        way, leaf = self._way_to(entry)
        insort(leaf.parts, entry)
        leaf.size += 1
        for node, _, _ in way:
            node.size += 1
        part = leaf
        while len(part.parts) > _WIDTH:
            more = part.split()
            if not way:
                self._root = _Node(self._owner, [part, more], [part.top(), more.top()])
                return
            node, tops, at = way.pop()
            node.parts.insert(at + 1, more)
            tops.insert(at, part.top())
            part = node

    def _way_to(self, entry: Entry) -> tuple[list[tuple[_Node, list[Entry], int]], _Node]:
        """The nodes above the leaf that an entry belongs to, with tops and place taken; the leaf.

        All of them are made this tree's own.
        """
        owner, way, place = self._owner, [], entry[:_COMPARED]
        node = self._root
        if node.owner is not owner:
            node = self._root = node.copy(owner)
        while (tops := node.tops) is not None:
            at = bisect_left(tops, place)
            if at == len(tops):
                at -= 1
                tops[at] = entry
            part = node.parts[at]
            if part.owner is not owner:
                part = node.parts[at] = part.copy(owner)
            way.append((node, tops, at))
            node = part
        return way, node

    def remove(self, entry: Entry) -> None:
        """Remove an entry that is there, or the one that begins with it."""
        way, leaf = self._way_to(entry)
        del leaf.parts[bisect_left(leaf.parts, entry)]
        leaf.size -= 1
        part = leaf
        for node, tops, at in reversed(way):
            node.size -= 1
            if not part.parts:
                del node.parts[at], tops[at]
            part = node
        if not part.size:
            self._root = _Node(self._owner, [], None)
        while self._root.tops is not None and len(self._root.parts) == 1:
            self._root = self._root.parts[0]

    def first_from(self, entry: Entry) -> Entry | None:
        """The least entry that is not smaller, or None."""
        return _first_from(self._root, entry)

    def last_before(self, entry: Entry) -> Entry | None:
        """The greatest entry that is smaller, or None."""
        return _last_before(self._root, entry)

    def rank(self, entry: Entry) -> int:
        """How many entries are smaller."""
        node, before = self._root, 0
        while node.tops is not None:
            at = bisect_left(node.tops, entry)
            if at == len(node.tops):
                return before + node.size
            before += sum(map(_size, node.parts[:at]))
            node = node.parts[at]
        return before + bisect_left(node.parts, entry)

    def part(self, start: int, stop: int) -> list[Entry]:
        """The entries from one place up to another."""
        root = self._root
        if root.tops is None:
            return root.parts[max(start, 0) : stop]
        found: list[Entry] = []
        _collect(root, start, stop, found)
        return found

    def places(self, start: int, stop: int) -> list[Entry]:
        """The entries from one place up to another, with values as they were before any move."""
        found: list[Entry] = []
        _collect(self._root, start, stop, found, moved=False)
        return found


_size = attrgetter("size")


def _first_from(node: _Node, entry: Entry) -> Entry | None:
    right: _Node | None = None
    while node.tops is not None:
        at = bisect_left(node.tops, entry)
        if at == len(node.tops):
            break
        if at + 1 < len(node.tops):
            right = node.parts[at + 1]
        node = node.parts[at]
    else:
        at = bisect_left(node.parts, entry)
        if at < len(node.parts):
            return cast("Entry", node.parts[at])
    while right is not None and right.tops is not None:  # the end of a part may have been removed
        right = right.parts[0]
    return None if right is None else right.parts[0]


def _last_before(node: _Node, entry: Entry) -> Entry | None:
    left: _Node | None = None
    while node.tops is not None:
        at = bisect_left(node.tops, entry)
        if at == len(node.tops):
            at -= 1
        if at:
            left = node.parts[at - 1]
        node = node.parts[at]
    at = bisect_left(node.parts, entry)
    if at:
        return cast("Entry", node.parts[at - 1])
    while left is not None and left.tops is not None:
        left = left.parts[-1]
    return None if left is None else left.parts[-1]


def _entries(node: _Node) -> Iterator[Entry]:
    if node.tops is None:
        yield from node.parts
    else:
        for part in node.parts:
            yield from _entries(part)


def _collect(node: _Node, start: int, stop: int, found: list[Entry], *, moved: bool = True) -> None:
    """Take the entries from one place up to another; as they are moved, or as they were."""
    if not moved and isinstance(node, _MovedNode):
        node = node.of
    if node.tops is None:
        found += node.parts[max(start, 0) : stop]
        return
    for part in node.parts:
        if stop <= 0:
            return
        if start < part.size:
            _collect(part, start, stop, found, moved=moved)
        start -= part.size
        stop -= part.size
