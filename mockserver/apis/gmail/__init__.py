"""Emulates sending with the Gmail API, and the store of what was sent."""

from collections.abc import Mapping

from mockserver.apis.gmail.snapshot import COLLECTIONS, import_snapshot
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
)

__all__ = ["API"]
