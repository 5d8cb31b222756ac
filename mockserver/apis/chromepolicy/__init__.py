"""Emulates the Chrome Policy API."""

from collections.abc import Mapping

from mockserver.apis.chromepolicy.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.chromepolicy.methods import HANDLERS

    return HANDLERS


API = Api(
    name="chromepolicy",
    documents=(("chromepolicy", "v1"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="one_platform",
    error_names={
        "connectorConfig": "chromepolicy.customers.policies.resolve",
        "policySchemas": "chromepolicy.customers.policySchemas.*",
    },
)

__all__ = ["API"]
