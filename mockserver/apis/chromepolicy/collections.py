"""The keys of snapshots that this API owns."""

from mockserver.googleapi import Collection

SCHEMAS = "policySchemas"

POLICIES = "policies"

CONNECTORS = "connectorPolicies"

_MESSAGE = "chromepolicy:v1#GoogleChromePolicyVersionsV1"

COLLECTIONS = (
    Collection(SCHEMAS, "Chrome policy schemas", resource=f"{_MESSAGE}PolicySchema"),
    Collection(POLICIES, "explicit Chrome policy values"),
    Collection(
        CONNECTORS,
        "resolved Chrome connector policies",
        resource=f"{_MESSAGE}ResolvedPolicy",
        is_table=False,
    ),
)
