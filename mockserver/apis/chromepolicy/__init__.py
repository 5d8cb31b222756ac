"""Emulates the Chrome Policy API."""

from mockserver.googleapi import Api, Collection, LazyHandlers, lazy_attribute, lazy_import

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

API = Api(
    name="chromepolicy",
    documents=(("chromepolicy", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    error_names={
        "connectorConfig": "chromepolicy.customers.policies.resolve",
        "policySchemas": "chromepolicy.customers.policySchemas.*",
    },
    captures=lazy_attribute(__name__, "snapshot", "CAPTURES"),
)
