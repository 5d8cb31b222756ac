"""Emulates the Admin SDK Directory API."""

from mockserver.apis.directory.collections import COLLECTIONS
from mockserver.apis.directory.snapshot import import_snapshot
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute

API = Api(
    name="directory",
    documents=(("admin", "directory_v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="legacy",
    error_names={"orgUnits": "directory.orgunits.list"},
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
    redaction=lazy_attribute(__name__, "capture", "RULES"),
)
