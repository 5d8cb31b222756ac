"""Emulates the policies of the Cloud Identity API."""

from mockserver.apis.cloudidentity.methods import HANDLERS
from mockserver.apis.cloudidentity.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="cloudidentity",
    documents=(("cloudidentity", "v1"), ("cloudidentity", "v1beta1")),
    handlers=HANDLERS,
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="one_platform",
    error_names={"dlpRules": "cloudidentity.policies.list"},
)

__all__ = ["API"]
