"""Emulates Cloud Trace: traces of version 1, and writing spans of version 2."""

from collections.abc import Mapping

from mockserver.apis.cloudtrace.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.cloudtrace.methods import HANDLERS

    return HANDLERS


API = Api(
    name="cloudtrace",
    documents=(("cloudtrace", "v1"), ("cloudtrace", "v2")),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
)

__all__ = ["API"]
