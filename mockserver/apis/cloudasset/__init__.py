"""Emulates Cloud Asset Inventory: search of resources and policies, lists, history."""

from collections.abc import Mapping

from mockserver.apis.cloudasset.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later
from mockserver.model import Captures


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.cloudasset.methods import HANDLERS

    return HANDLERS


def _captures() -> Captures:
    from mockserver.apis.cloudasset.capture import CAPTURES

    return CAPTURES


API = Api(
    name="cloudasset",
    documents=(("cloudasset", "v1"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    captures=_captures,
)

__all__ = ["API"]
