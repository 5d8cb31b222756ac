"""Emulates Cloud Trace: traces of version 1, and writing spans of version 2."""

from mockserver.apis.cloudtrace.collections import COLLECTIONS
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute, lazy_import

API = Api(
    name="cloudtrace",
    documents=(("cloudtrace", "v1"), ("cloudtrace", "v2")),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
)

__all__ = ["API"]
