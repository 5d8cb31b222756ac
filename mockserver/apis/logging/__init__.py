"""Emulates Cloud Logging: entries and their query language, logs, buckets, views and links."""

from collections.abc import Mapping

from mockserver.apis.logging.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.logging.methods import HANDLERS

    return HANDLERS


API = Api(
    name="logging",
    documents=(("logging", "v2"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
)

__all__ = ["API"]
