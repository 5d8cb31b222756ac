"""The keys of snapshots that this API owns."""

from mockserver.googleapi import IAM_POLICIES, Collection

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
