"""Emulates the Chrome Policy API."""

from mockserver.apis.chromepolicy.methods import HANDLERS
from mockserver.googleapi import Api

API = Api(
    name="chromepolicy",
    documents=(("chromepolicy", "v1"),),
    handlers=HANDLERS,
    dialect="one_platform",
    error_names={"connectorConfig": "chromepolicy.customers.policies.resolve"},
)

__all__ = ["API"]
