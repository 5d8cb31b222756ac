"""Emulates mailboxes of the Gmail API: what is in them, and sending."""

from mockserver.apis.gmail.collections import COLLECTIONS, LABELS, MAIL
from mockserver.googleapi import Api, LazyHandlers, lazy_import

API = Api(
    name="gmail",
    documents=(("gmail", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS, "resources"),
    dialect="legacy",
    reads=frozenset({MAIL, LABELS}),
)

__all__ = ["API"]
