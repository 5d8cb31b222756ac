"""Collections of rows: kept in order, found by indexes, written apart by many who share them."""

from mockserver.collections.sorted_tree import LAST, Entry, SortedTree
from mockserver.collections.store import Index, Range, Store, text_range

__all__ = ["LAST", "Entry", "Index", "Range", "SortedTree", "Store", "text_range"]
