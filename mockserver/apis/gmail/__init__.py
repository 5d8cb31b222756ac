"""Emulates mailboxes of the Gmail API: what is in them, and sending."""

from mockserver.apis.gmail.search import LABELS
from mockserver.apis.gmail.snapshot import COLLECTIONS, import_snapshot
from mockserver.apis.gmail.state import MAIL
from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="gmail",
    documents=(("gmail", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="legacy",
    reads=frozenset({MAIL, LABELS}),
)

__all__ = ["API"]
