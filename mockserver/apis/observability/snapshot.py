"""Resources of the Observability API, as a snapshot holds them."""

from mockserver.apis.observability.state import RESOURCES
from mockserver.googleapi import Collection, SnapshotImport, named_rows

_TIMES = (("createTime",), ("updateTime",), ("deleteTime",), ("purgeTime",))
_DESCRIPTIONS = {
    "observabilityBuckets": "buckets of the Observability API",
    "observabilityDatasets": "datasets of observability buckets",
    "observabilityLinks": "links from datasets to BigQuery",
    "observabilityViews": "views of observability datasets",
    "observabilityTraceScopes": "trace scopes",
    "observabilityScopes": "scopes of the Observability API",
}
COLLECTIONS = tuple(Collection(name, about, times=_TIMES) for name, about in _DESCRIPTIONS.items())


def import_snapshot(found: SnapshotImport) -> None:
    """Make the tables."""
    for resource in RESOURCES:
        found.tables[resource.collection] = named_rows(found, resource.collection, resource.pattern)
