"""Emulates objects of Cloud Storage: contents, generations, preconditions, compositions, copies."""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="storage",
    documents=(("storage", "v1"),),
    handlers=LazyHandlers(__name__, "objects"),
    dialect="legacy",
    beside_conventions=True,
)

__all__ = ["API"]
