"""Emulates mailboxes of the Gmail API: what is in them, and sending."""

from collections.abc import Mapping

from mockserver.apis.gmail.search import LABELS
from mockserver.apis.gmail.snapshot import COLLECTIONS, import_snapshot
from mockserver.apis.gmail.state import MAIL
from mockserver.googleapi import Api, Handler, Later


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.gmail.methods import HANDLERS

    return HANDLERS


API = Api(
    name="gmail",
    documents=(("gmail", "v1"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="legacy",
    reads=frozenset({MAIL, LABELS}),
)

__all__ = ["API"]
