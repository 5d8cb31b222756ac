"""Emulates what administrators do beside people and groups: roles, devices, licences, Vault.

Collections are listed, read and deleted by the conventions of their documents; accounts and org
units that rows name are those of the Directory.
"""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="administration",
    documents=(
        ("admin", "directory_v1"),
        ("admin", "datatransfer_v1"),
        ("licensing", "v1"),
        ("groupssettings", "v1"),
    ),
    handlers=LazyHandlers(__name__),
    dialect="legacy",
    beside_conventions=True,
)
NEWER_API = Api(
    name="administration-newer",
    documents=(
        ("vault", "v1"),
        ("alertcenter", "v1beta1"),
        ("cloudidentity", "v1"),
        ("cloudidentity", "v1beta1"),
    ),
    handlers=LazyHandlers(__name__, name="NEWER_HANDLERS"),
    beside_conventions=True,
)
