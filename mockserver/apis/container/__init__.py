"""Emulates the clusters and node pools of the Kubernetes Engine API."""

from mockserver.apis.container.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute

API = Api(
    name="container",
    documents=(("container", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
)

__all__ = ["API"]
