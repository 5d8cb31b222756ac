"""Emulates the Admin SDK Reports API."""

from mockserver.googleapi import Api, Collection, LazyHandlers, lazy_attribute, lazy_import

AUDIT_EVENTS = "auditEvents"
USAGE_REPORTS = "usageReports"
COLLECTIONS = (
    Collection(
        AUDIT_EVENTS, "activities of the audit log", (("id", "time"),), "admin:reports_v1#Activity"
    ),
    Collection(
        USAGE_REPORTS,
        "usage reports of days, beside what the Directory tells",
        resource="admin:reports_v1#UsageReport",
    ),
)

API = Api(
    name="reports",
    documents=(("admin", "reports_v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    dialect="legacy",
    error_names={"chromeEvents": "reports.activities.list"},
    captures=lazy_attribute(__name__, "snapshot", "CAPTURES"),
    redaction=lazy_attribute(__name__, "redaction", "RULES"),
    long=("reports.activities.list",),
    searched={"reports.activities.list": (AUDIT_EVENTS,)},
)
