"""Emulates what conventions do not tell of Drive: copies, exports, conversions, search, orders."""

from mockserver.googleapi import Api, LazyHandlers, lazy_attribute

LISTS = lazy_attribute(__name__, "lists", "LISTS")

API = Api(
    name="drive",
    documents=(("drive", "v3"), ("drive", "v2")),
    handlers=LazyHandlers(__name__),
    dialect="legacy",
    beside_conventions=True,
)

__all__ = ["API", "LISTS"]
