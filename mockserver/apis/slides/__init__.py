"""Emulates Google Slides: presentations with slides, shapes, texts, tables and images."""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="slides",
    documents=(("slides", "v1"),),
    handlers=LazyHandlers(__name__),
    dialect="one_platform",
    beside_conventions=True,
)

__all__ = ["API"]
