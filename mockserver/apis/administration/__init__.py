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
    relies=(
        "Rely on: roles with privileges and who has them, licences by product, settings of "
        "groups, transfers of data, states of Chrome OS and mobile devices and what each "
        "action makes of them, commands, rooms and features, custom schemas. Not there: when "
        "a device carries a command out. Proof: `tests/mockserver/apis/administration`, and "
        "GAM in `tests/clients/test_gam.py`."
    ),
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
    relies=(
        "Rely on: states of Vault's matters and what each allows, holds of accounts that the "
        "Directory has, permissions of matters, alerts that are deleted and brought back, "
        "users of devices by account. Not there: contents of exports, searches of held data. "
        "Proof: `tests/mockserver/apis/administration`, and GAM in "
        "`tests/clients/test_gam.py`."
    ),
    beside_conventions=True,
)
