"""Methods of the Observability API: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.apis.observability.state import (
    BUCKETS,
    DATASETS,
    LINKS,
    RESOURCES,
    SCOPES,
    TRACE_SCOPES,
    VIEWS,
)
from mockserver.googleapi import Handler, crud_handlers, location_handlers

_PLACE = "observability.projects.locations"
_COLLECTIONS = tuple(resource.collection for resource in RESOURCES)

HANDLERS: Mapping[str, Handler] = {
    **crud_handlers(BUCKETS, f"{_PLACE}.buckets", "list", "get", "create", "patch"),
    **crud_handlers(DATASETS, f"{_PLACE}.buckets.datasets", "list", "get"),
    **crud_handlers(LINKS, f"{_PLACE}.buckets.datasets.links"),
    **crud_handlers(VIEWS, f"{_PLACE}.buckets.datasets.views", "list", "get"),
    **crud_handlers(TRACE_SCOPES, f"{_PLACE}.traceScopes"),
    **crud_handlers(SCOPES, f"{_PLACE}.scopes", "get", "patch"),
    **location_handlers(_PLACE, _COLLECTIONS),
    **location_handlers("observability.folders.locations", _COLLECTIONS),
    **location_handlers("observability.organizations.locations", _COLLECTIONS),
}
