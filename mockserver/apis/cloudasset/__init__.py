"""Emulates Cloud Asset Inventory: search of resources and policies, lists, history."""

from collections.abc import Mapping

from mockserver.apis.cloudasset.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.cloudasset.methods import HANDLERS

    return HANDLERS


API = Api(
    name="cloudasset",
    documents=(("cloudasset", "v1"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
)

__all__ = ["API"]
