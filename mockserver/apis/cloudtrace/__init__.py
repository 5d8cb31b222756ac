"""Emulates Cloud Trace: traces of version 1, and writing spans of version 2."""

from collections.abc import Mapping

from mockserver.apis.cloudtrace.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later
from mockserver.model import Captures


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.cloudtrace.methods import HANDLERS

    return HANDLERS


def _captures() -> Captures:
    from mockserver.apis.cloudtrace.capture import CAPTURES

    return CAPTURES


API = Api(
    name="cloudtrace",
    documents=(("cloudtrace", "v1"), ("cloudtrace", "v2")),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    captures=_captures,
)

__all__ = ["API"]
