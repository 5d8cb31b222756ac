"""Emulates the clusters and node pools of the Kubernetes Engine API."""

from collections.abc import Mapping

from mockserver.apis.container.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later
from mockserver.model import Captures


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.container.methods import HANDLERS

    return HANDLERS


def _captures() -> Captures:
    from mockserver.apis.container.capture import CAPTURES

    return CAPTURES


API = Api(
    name="container",
    documents=(("container", "v1"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    captures=_captures,
)

__all__ = ["API"]
