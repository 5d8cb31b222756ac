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
from mockserver.googleapi import (
    Handler,
    Resource,
    Verb,
    cancel_operation,
    crud_handlers,
    delete_operation,
    get_location,
    get_operation,
    list_locations,
    list_operations,
)

_PLACE = "observability.projects.locations"
_OWNERS = ("projects", "folders", "organizations")
_COLLECTIONS = tuple(resource.collection for resource in RESOURCES)


def _standard_handlers(resource: Resource, path: str, *verbs: Verb) -> Mapping[str, Handler]:
    return crud_handlers(resource, {verb: f"{_PLACE}.{path}.{verb}" for verb in verbs})


_PLACES: Mapping[str, Handler] = {
    f"observability.{owner}.locations.{name}": handler
    for owner in _OWNERS
    for name, handler in (
        ("list", list_locations(_COLLECTIONS)),
        ("get", get_location(_COLLECTIONS)),
        ("operations.list", list_operations),
        ("operations.get", get_operation),
        ("operations.delete", delete_operation),
        ("operations.cancel", cancel_operation),
    )
}

HANDLERS: Mapping[str, Handler] = {
    **_standard_handlers(BUCKETS, "buckets", "list", "get", "create", "patch"),
    **_standard_handlers(DATASETS, "buckets.datasets", "list", "get"),
    **_standard_handlers(
        LINKS, "buckets.datasets.links", "list", "get", "create", "patch", "delete"
    ),
    **_standard_handlers(VIEWS, "buckets.datasets.views", "list", "get"),
    **_standard_handlers(TRACE_SCOPES, "traceScopes", "list", "get", "create", "patch", "delete"),
    **_standard_handlers(SCOPES, "scopes", "get", "patch"),
    **_PLACES,
}
