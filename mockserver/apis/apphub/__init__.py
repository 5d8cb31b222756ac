"""Emulates App Hub: applications, their services and workloads, and what is discovered."""

from collections.abc import Mapping

from mockserver.apis.apphub.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.apphub.methods import HANDLERS

    return HANDLERS


API = Api(
    name="apphub",
    documents=(("apphub", "v1"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
)

__all__ = ["API"]
