"""Emulates the clusters and node pools of the Kubernetes Engine API."""

from mockserver.apis.container.methods import HANDLERS
from mockserver.apis.container.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="container",
    documents=(("container", "v1"),),
    handlers=HANDLERS,
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
)

__all__ = ["API"]
