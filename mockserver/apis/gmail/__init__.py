"""Emulates sending with the Gmail API, and the store of what was sent."""

from mockserver.apis.gmail.methods import HANDLERS
from mockserver.apis.gmail.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="gmail",
    documents=(("gmail", "v1"),),
    handlers=HANDLERS,
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="legacy",
)

__all__ = ["API"]
