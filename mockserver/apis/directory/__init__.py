"""Emulates the Admin SDK Directory API."""

from mockserver.apis.directory.collections import COLLECTIONS
from mockserver.apis.directory.snapshot import import_snapshot
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute

API = Api(
    name="directory",
    documents=(("admin", "directory_v1"),),
    handlers=LazyHandlers(__name__),
    relies=(
        "Rely on: users, groups, members, org units and domains that exist once for all APIs, "
        "queries of users and groups, aliases, groups in groups, the tree of units with what "
        "a move carries along, accounts that are deleted and restored, etags, channels that "
        "are told of changes. Not there: how long a change takes to arrive, unless a fault "
        "says so. Proof: `tests/mockserver/apis/directory`, and GAM in "
        "`tests/clients/test_gam.py`."
    ),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="legacy",
    error_names={"orgUnits": "directory.orgunits.list"},
    captures=lazy_attribute(__name__, "snapshot", "CAPTURES"),
    redaction=lazy_attribute(__name__, "redaction", "RULES"),
)
