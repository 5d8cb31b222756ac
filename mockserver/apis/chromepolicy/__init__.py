"""Emulates the Chrome Policy API."""

from collections.abc import Mapping

from mockserver.apis.chromepolicy.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later
from mockserver.model import Captures


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.chromepolicy.methods import HANDLERS

    return HANDLERS


def _captures() -> Captures:
    from mockserver.apis.chromepolicy.capture import CAPTURES

    return CAPTURES


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
    captures=_captures,
)

__all__ = ["API"]
