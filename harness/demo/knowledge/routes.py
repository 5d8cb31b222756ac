"""Which symptoms lead where."""

from harness.demo.knowledge.events import EVENT_KINDS
from harness.demo.knowledge.settings import SETTINGS

ROUTES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("apply_change", ("apply it", "apply that", "go ahead", "make the change", "yes please")),
    ("create_rule", ("create a rule", "create a dlp rule", "add a dlp rule", "new dlp rule")),
    ("draft_change", ("draft", "propose a change", "prepare a change")),
    ("authentication", ("access token", "credentials", "unauthenticated", "scopes", "401")),
    ("tenant", ("overview", "summary of the tenant", "how big")),
    ("rules", ("dlp rule", "dlp rules", "dlp", "data loss", "rule")),
    ("enrollment", ("enroll", "enrolling", "enrollment token", "enrolls", "enrolled")),
    ("events", (*(word for kind in EVENT_KINDS for word in kind.words), "events")),
    ("settings", tuple(word for setting in SETTINGS for word in setting.words)),
    (
        "fleet",
        (
            "outdated",
            "old version",
            "old versions",
            "versions",
            "fleet",
            "stale",
            "machine",
            "machines",
            "stopped syncing",
            "inactive",
        ),
    ),
)
"""Flow, and the symptoms that lead to it; of equals the first."""
