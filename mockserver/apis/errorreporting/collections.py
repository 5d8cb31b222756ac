"""The keys of snapshots that this API owns."""

from mockserver.googleapi import Collection

ERROR_EVENTS = "errorEvents"

ERROR_GROUPS = "errorGroups"

COLLECTIONS = (
    Collection(ERROR_EVENTS, "error events", (("event", "eventTime"),)),
    Collection(ERROR_GROUPS, "what was said of groups of errors"),
)
