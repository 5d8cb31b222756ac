"""Emulates the Admin SDK Reports API."""

from mockserver.apis.reports.methods import HANDLERS
from mockserver.googleapi import Api

API = Api(
    name="reports",
    documents=(("admin", "reports_v1"),),
    handlers=HANDLERS,
    dialect="legacy",
    error_names={"chromeEvents": "reports.activities.list"},
)

__all__ = ["API"]
