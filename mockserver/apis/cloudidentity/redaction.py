"""What in answers of the Cloud Identity API is secret."""

from mockserver.redaction import Rule

RULES: tuple[Rule, ...] = (
    Rule("identity_policy", "policy", collections=("policies",), check="opaque",
         about="ids of policies"),
    Rule("identity_group", "group", collections=("groups", "memberships"), check="opaque",
         about="ids of groups and memberships"),
)  # fmt: skip
