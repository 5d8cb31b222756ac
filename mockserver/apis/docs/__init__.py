"""Emulates Google Docs: documents with paragraphs, lists, tables and named ranges."""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="docs",
    documents=(("docs", "v1"),),
    handlers=LazyHandlers(__name__),
    dialect="one_platform",
    reads=frozenset({"docs:v1/documents"}),
    relies=(
        "Rely on: texts, styles, lists, tables, named ranges, headers and tabs, with indices "
        "exact in UTF-16, and stale revisions refused; a document is a file of Drive. Not "
        "there: suggestions, and what a page looks like. Proof: "
        "`tests/clients/test_usual_calls.py`, `tests/mockserver/apis/docs`."
    ),
)

__all__ = ["API"]
