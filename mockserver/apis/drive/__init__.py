"""What lists of Drive select: its search language, orders, spaces; all else of it is generic."""

from mockserver.googleapi import lazy_attribute

LISTS = lazy_attribute(__name__, "lists", "LISTS")

__all__ = ["LISTS"]
