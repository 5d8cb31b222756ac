"""Emulates App Hub: applications, their services and workloads, and what is discovered."""

from collections.abc import Mapping

from mockserver.apis.apphub.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later
from mockserver.model import Captures


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.apphub.methods import HANDLERS

    return HANDLERS


def _captures() -> Captures:
    from mockserver.apis.apphub.capture import CAPTURES

    return CAPTURES


API = Api(
    name="apphub",
    documents=(("apphub", "v1"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    captures=_captures,
)

__all__ = ["API"]
