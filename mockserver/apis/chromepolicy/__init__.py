"""Emulates the Chrome Policy API."""

from mockserver.apis.chromepolicy.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute

API = Api(
    name="chromepolicy",
    documents=(("chromepolicy", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="one_platform",
    error_names={
        "connectorConfig": "chromepolicy.customers.policies.resolve",
        "policySchemas": "chromepolicy.customers.policySchemas.*",
    },
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
)

__all__ = ["API"]
