"""Emulates the clusters and node pools of the Kubernetes Engine API."""

from mockserver.apis.container.collections import COLLECTIONS
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute, lazy_import

API = Api(
    name="container",
    documents=(("container", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
)

__all__ = ["API"]
