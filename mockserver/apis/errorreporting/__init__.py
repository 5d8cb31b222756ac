"""Emulates Error Reporting: events, their groups and figures."""

from mockserver.apis.errorreporting.methods import HANDLERS
from mockserver.apis.errorreporting.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="errorreporting",
    documents=(("clouderrorreporting", "v1beta1"),),
    handlers=HANDLERS,
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
)

__all__ = ["API"]
