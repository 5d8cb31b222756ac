"""What captured answers of the Cloud Identity API are in a snapshot, and what in them is secret."""

from mockserver.model import Capture, Captures
from mockserver.redaction import Rule

CAPTURES: Captures = {
    "cloudidentity.policies.list": (Capture("identityPolicies", "policies"),),
    "cloudidentity.policies.get": (Capture("identityPolicies"),),
}
"""Discovery id to what its answers fill."""


RULES: tuple[Rule, ...] = (
    Rule("identity_policy", "policy", collections=("policies",), check="opaque",
         about="ids of policies"),
    Rule("identity_group", "group", collections=("groups", "memberships"), check="opaque",
         about="ids of groups and memberships"),
)  # fmt: skip
"""The table."""
