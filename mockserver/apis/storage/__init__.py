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
    relies=(
        "Rely on: contents, generations and preconditions, versions and soft deletion, holds and "
        "retention, lists of access, customers' keys, HMAC keys, notifications into Pub/Sub, "
        "compositions, copies, resumable uploads; objects, lists, uploads in parts and forms of "
        "the XML API. Not there: signatures are not verified, URLs and forms expire only; "
        "relocation, bulk restore. Proof: recordings (84 % of exchanges in every field), 183 of "
        "190 system tests of google-cloud-storage; `tests/mockserver/apis/storage`."
    ),
)

__all__ = ["API"]
