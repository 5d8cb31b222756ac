"""Emulates Error Reporting: events, their groups and figures."""

from collections.abc import Mapping

from mockserver.apis.errorreporting.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.errorreporting.methods import HANDLERS

    return HANDLERS


API = Api(
    name="errorreporting",
    documents=(("clouderrorreporting", "v1beta1"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
)

__all__ = ["API"]
