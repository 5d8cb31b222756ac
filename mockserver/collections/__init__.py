"""Collections of rows: kept in order, found by indexes, written apart by many who share them."""

from mockserver.collections.lazy_rows import LazyRows
from mockserver.collections.moved_trees import later_seconds
from mockserver.collections.sorted_tree import LAST, Entry, SortedTree
from mockserver.collections.store import AS_PUT, BY_KEY, Index, Range, Store, text_range
from mockserver.collections.words import WordIndex, text_of_lines

__all__ = [
    "AS_PUT",
    "BY_KEY",
    "LAST",
    "Entry",
    "Index",
    "LazyRows",
    "Range",
    "SortedTree",
    "Store",
    "WordIndex",
    "later_seconds",
    "text_of_lines",
    "text_range",
]
