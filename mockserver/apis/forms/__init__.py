"""Emulates Google Forms: forms with their items, how they are published, and responses."""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="forms",
    documents=(("forms", "v1"),),
    handlers=LazyHandlers(__name__),
    dialect="one_platform",
    beside_conventions=True,
)

__all__ = ["API"]
