"""Collections of rows: kept in order, found by indexes, written apart by many who share them."""

from mockserver.collections.sorted_tree import LAST, SortedTree
from mockserver.collections.store import Index, Range, Store

__all__ = ["LAST", "Index", "Range", "SortedTree", "Store"]
