"""Emulates objects of Cloud Storage: contents, generations, preconditions, compositions, copies."""

from mockserver.googleapi import Api, Call, LazyHandlers, lazy_attribute

_XML = lazy_attribute(__name__, "xml", "answer")


def _answer_xml(call: Call) -> None:
    _XML()(call)


API = Api(
    name="storage",
    documents=(("storage", "v1"),),
    handlers=LazyHandlers(__name__, "objects"),
    dialect="legacy",
    beside_conventions=True,
    raw=_answer_xml,
)

__all__ = ["API"]
