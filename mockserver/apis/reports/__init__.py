"""Emulates the Admin SDK Reports API."""

from mockserver.apis.reports.methods import HANDLERS
from mockserver.apis.reports.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="reports",
    documents=(("admin", "reports_v1"),),
    handlers=HANDLERS,
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="legacy",
    error_names={"chromeEvents": "reports.activities.list"},
)

__all__ = ["API"]
