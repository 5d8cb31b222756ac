"""What captured answers of the Reports API are in a snapshot."""

from mockserver.model import Capture, Captures

_IDENTITY = ("id.time", "id.uniqueQualifier", "id.applicationName")

CAPTURES: Captures = {
    "reports.activities.list": (Capture("auditEvents", "items", _IDENTITY),),
}
"""Discovery id to what its answers fill."""
