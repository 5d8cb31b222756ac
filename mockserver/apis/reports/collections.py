"""The keys of snapshots that this API owns."""

from mockserver.googleapi import Collection

AUDIT_EVENTS = "auditEvents"

COLLECTIONS = (
    Collection(
        AUDIT_EVENTS, "activities of the audit log", (("id", "time"),), "admin:reports_v1#Activity"
    ),
)
