"""Emulates the policies of the Cloud Identity API."""

from collections.abc import Mapping

from mockserver.apis.cloudidentity.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.cloudidentity.methods import HANDLERS

    return HANDLERS


API = Api(
    name="cloudidentity",
    documents=(("cloudidentity", "v1"), ("cloudidentity", "v1beta1")),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="one_platform",
    error_names={"dlpRules": "cloudidentity.policies.list"},
)

__all__ = ["API"]
