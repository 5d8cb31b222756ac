"""What captured answers of Cloud Logging are in a snapshot, and what in them is secret."""

from mockserver.model import Capture, Captures
from mockserver.redaction import Rule

_PLACES = ("", "projects.", "folders.", "organizations.", "billingAccounts.")
_BUCKETS = "locations.buckets"

CAPTURES: Captures = {
    "logging.entries.list": (
        Capture("logEntries", "entries", ("logName", "timestamp", "insertId")),
    ),
    **{
        f"logging.{place}{_BUCKETS}.{method}": (Capture(collection, items),)
        for place in _PLACES
        for method, collection, items in (
            ("list", "logBuckets", "buckets"),
            ("views.list", "logViews", "views"),
            ("links.list", "logLinks", "links"),
        )
    },
}
"""Discovery id to what its answers fill."""


RULES: tuple[Rule, ...] = (
    Rule("logging_instance", "instance", ("instanceid",), check="opaque", about="ids of machines"),
    Rule("logging_principal", "username", ("principalsubject", "thirdpartyprincipal"),
         about="who did it"),
)  # fmt: skip
"""The table."""
