"""Resources of the Observability API, as a snapshot holds them."""

from mockserver.apis.observability.state import EVERY
from mockserver.googleapi import Collection, Import, named_rows

_TIMES = (("createTime",), ("updateTime",), ("deleteTime",), ("purgeTime",))
_ABOUT = {
    "observabilityBuckets": "buckets of the Observability API",
    "observabilityDatasets": "datasets of observability buckets",
    "observabilityLinks": "links from datasets to BigQuery",
    "observabilityViews": "views of observability datasets",
    "observabilityTraceScopes": "trace scopes",
    "observabilityScopes": "scopes of the Observability API",
}
COLLECTIONS = tuple(Collection(name, about, times=_TIMES) for name, about in _ABOUT.items())


def import_snapshot(found: Import) -> None:
    """Make the tables."""
    for resource in EVERY:
        found.tables[resource.collection] = named_rows(found, resource.collection, resource.pattern)
