"""Emulates Google Docs: documents with paragraphs, lists, tables and named ranges."""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="docs",
    documents=(("docs", "v1"),),
    handlers=LazyHandlers(__name__),
    dialect="one_platform",
    reads=frozenset({"docs:v1/documents"}),
)

__all__ = ["API"]
