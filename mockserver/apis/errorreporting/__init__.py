"""Emulates Error Reporting: events, their groups and figures."""

from collections.abc import Mapping

from mockserver.apis.errorreporting.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later
from mockserver.model import Captures


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.errorreporting.methods import HANDLERS

    return HANDLERS


def _captures() -> Captures:
    from mockserver.apis.errorreporting.capture import CAPTURES

    return CAPTURES


API = Api(
    name="errorreporting",
    documents=(("clouderrorreporting", "v1beta1"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    captures=_captures,
)

__all__ = ["API"]
