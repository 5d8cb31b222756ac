"""Methods of the Observability API: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.apis.observability.state import (
    BUCKETS,
    DATASETS,
    EVERY,
    LINKS,
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
_COLLECTIONS = tuple(resource.collection for resource in EVERY)


def _crud(resource: Resource, path: str, *verbs: Verb) -> Mapping[str, Handler]:
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
    **_crud(BUCKETS, "buckets", "list", "get", "create", "patch"),
    **_crud(DATASETS, "buckets.datasets", "list", "get"),
    **_crud(LINKS, "buckets.datasets.links", "list", "get", "create", "patch", "delete"),
    **_crud(VIEWS, "buckets.datasets.views", "list", "get"),
    **_crud(TRACE_SCOPES, "traceScopes", "list", "get", "create", "patch", "delete"),
    **_crud(SCOPES, "scopes", "get", "patch"),
    **_PLACES,
}
