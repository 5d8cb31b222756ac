"""Emulates the policies and groups of the Cloud Identity API."""

from mockserver.apis.cloudidentity.collections import COLLECTIONS, READS
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute, lazy_import

API = Api(
    name="cloudidentity",
    documents=(("cloudidentity", "v1"), ("cloudidentity", "v1beta1")),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    dialect="one_platform",
    reads=READS,
    error_names={"dlpRules": "cloudidentity.policies.list"},
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
    redaction=lazy_attribute(__name__, "capture", "RULES"),
    long=("cloudidentity.policies.list",),
)

__all__ = ["API"]
