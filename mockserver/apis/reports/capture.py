"""What captured answers of the Reports API are in a snapshot, and what in them is secret."""

from mockserver.model import Capture, Captures
from mockserver.redaction import Rule

_IDENTITY = ("id.time", "id.uniqueQualifier", "id.applicationName")

CAPTURES: Captures = {"reports.activities.list": (Capture("auditEvents", "items", _IDENTITY),)}
"""Discovery id to what its answers fill."""


RULES: tuple[Rule, ...] = (
    Rule("reports_user", "username",
         ("deviceuser", "triggeruser", "profileusername", "loginusername", "actoruser",
          "loginuser", "evidencelockerfilepath"),
         about="users in the parameters of events"),
    Rule("reports_device", "device", ("virtualdeviceid", "clientdeviceid", "browserid"),
         check="opaque", about="devices in the parameters of events"),
    Rule("reports_hash", "hash", ("contenthash", "filehash"), within=("parameters",),
         about="hashes of files in the parameters of events"),
    Rule("reports_file", "content_name", ("contentname",), about="names of files"),
)  # fmt: skip
"""The table."""
