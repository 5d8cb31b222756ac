"""Emulates the Cloud Identity Policy API."""

from mockserver.apis.cloudidentity.methods import HANDLERS
from mockserver.googleapi import Api

API = Api(
    name="cloudidentity",
    documents=(("cloudidentity", "v1"), ("cloudidentity", "v1beta1")),
    handlers=HANDLERS,
    dialect="one_platform",
    error_names={"dlpRules": "cloudidentity.policies.list"},
)

__all__ = ["API"]
