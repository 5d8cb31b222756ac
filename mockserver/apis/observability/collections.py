"""The keys of snapshots that this API owns."""

from mockserver.googleapi import Collection

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
