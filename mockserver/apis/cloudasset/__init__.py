"""Emulates Cloud Asset Inventory: search of resources and policies, lists, history."""

from mockserver.googleapi import (
    IAM_POLICIES,
    Api,
    Collection,
    LazyHandlers,
    lazy_attribute,
    lazy_import,
)

ASSETS = "assets"
HISTORY = "assetHistory"
_RESOURCE_TIMES = (
    ("resource", "data", "createTime"),
    ("resource", "data", "updateTime"),
    ("resource", "data", "creationTimestamp"),
)

_TIMES = (("createTime",), ("updateTime",), *_RESOURCE_TIMES)
COLLECTIONS = (
    Collection(ASSETS, "assets of Cloud Asset Inventory", times=_TIMES),
    Collection(
        HISTORY,
        "what was of assets before",
        times=(
            ("window", "startTime"),
            ("window", "endTime"),
            ("asset", "updateTime"),
            *(("asset", *path) for path in _RESOURCE_TIMES),
        ),
    ),
    Collection(IAM_POLICIES, "allow policies by full resource name"),
)

API = Api(
    name="cloudasset",
    documents=(("cloudasset", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    captures=lazy_attribute(__name__, "snapshot", "CAPTURES"),
)
