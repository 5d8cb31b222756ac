"""Emulates People: contacts, their groups, and the people of the Directory."""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="people",
    documents=(("people", "v1"),),
    handlers=LazyHandlers(__name__),
    dialect="one_platform",
    beside_conventions=True,
)

__all__ = ["API"]
