"""Emulates the Resource Manager API: organizations, folders and projects."""

from collections.abc import Mapping

from mockserver.apis.resourcemanager.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later
from mockserver.model import Captures


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.resourcemanager.methods import HANDLERS

    return HANDLERS


def _captures() -> Captures:
    from mockserver.apis.resourcemanager.capture import CAPTURES

    return CAPTURES


API = Api(
    name="resourcemanager",
    documents=(("cloudresourcemanager", "v3"), ("cloudresourcemanager", "v1")),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    captures=_captures,
)

__all__ = ["API"]
