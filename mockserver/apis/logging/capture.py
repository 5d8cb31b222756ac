"""What captured answers of Cloud Logging are in a snapshot, and what in them is secret."""

from mockserver.model import Capture, Captures
from mockserver.redaction import Rule

CAPTURES: Captures = {
    "logging.entries.list": (
        Capture("logEntries", "entries", ("logName", "timestamp", "insertId")),
    )
}
"""Discovery id to what its answers fill, beside buckets, views and links."""

RULES: tuple[Rule, ...] = (
    Rule("logging_instance", "instance", ("instanceid",), check="opaque", about="ids of machines"),
    Rule("logging_principal", "username", ("principalsubject", "thirdpartyprincipal"),
         about="who did it"),
)  # fmt: skip
"""The table."""
