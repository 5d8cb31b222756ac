"""What captured answers of the Observability API are in a snapshot."""

from mockserver.model import Capture, Captures

_PLACE = "observability.projects.locations"
_RESOURCES = (
    ("buckets", "observabilityBuckets"),
    ("buckets.datasets", "observabilityDatasets"),
    ("buckets.datasets.links", "observabilityLinks"),
    ("buckets.datasets.views", "observabilityViews"),
    ("traceScopes", "observabilityTraceScopes"),
)

CAPTURES: Captures = {
    **{
        f"{_PLACE}.{path}.list": (Capture(collection, path.rpartition(".")[2]),)
        for path, collection in _RESOURCES
    },
    f"{_PLACE}.scopes.get": (Capture("observabilityScopes"),),
}
"""Discovery id to what its answers fill."""
