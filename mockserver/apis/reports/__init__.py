"""Emulates the Admin SDK Reports API."""

from collections.abc import Mapping

from mockserver.apis.reports.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.reports.methods import HANDLERS

    return HANDLERS


API = Api(
    name="reports",
    documents=(("admin", "reports_v1"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="legacy",
    error_names={"chromeEvents": "reports.activities.list"},
)

__all__ = ["API"]
