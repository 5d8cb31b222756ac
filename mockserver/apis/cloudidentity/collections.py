"""The keys of snapshots that this API owns."""

from mockserver.googleapi import Collection

POLICIES = "identityPolicies"

RULES = "dlpRules"

_TIMES = (("setting", "value", "createTime"), ("setting", "value", "updateTime"))

COLLECTIONS = (
    Collection(POLICIES, "Cloud Identity policies", _TIMES, "cloudidentity:v1#Policy"),
    Collection(RULES, "data loss prevention rules, flat or as policies", is_table=False),
)

READS = frozenset(
    f"cloudidentity:{version}/{name}"
    for version in ("v1", "v1beta1")
    for name in ("groups", "memberships")
)
"""Tables of `resources` whose groups are served beside those of the Directory."""
