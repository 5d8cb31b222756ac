"""Emulates the Chrome Policy API."""

from mockserver.apis.chromepolicy.methods import HANDLERS
from mockserver.apis.chromepolicy.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="chromepolicy",
    documents=(("chromepolicy", "v1"),),
    handlers=HANDLERS,
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="one_platform",
    error_names={
        "connectorConfig": "chromepolicy.customers.policies.resolve",
        "policySchemas": "chromepolicy.customers.policySchemas.*",
    },
)

__all__ = ["API"]
