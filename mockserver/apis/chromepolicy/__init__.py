"""Emulates the Chrome Policy API."""

from mockserver.apis.chromepolicy.collections import COLLECTIONS
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute, lazy_import

API = Api(
    name="chromepolicy",
    documents=(("chromepolicy", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    dialect="one_platform",
    error_names={
        "connectorConfig": "chromepolicy.customers.policies.resolve",
        "policySchemas": "chromepolicy.customers.policySchemas.*",
    },
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
)

__all__ = ["API"]
