"""Methods of App Hub: Discovery id to handler."""

from collections.abc import Mapping
from functools import partial
from operator import itemgetter

from mockserver.apis.apphub.state import (
    APPLICATIONS,
    ATTACHMENTS,
    DISCOVERED_RESOURCES,
    RESOURCES,
    SERVICE_PROJECTS,
    SERVICES,
    WORKLOADS,
)
from mockserver.collections import Index
from mockserver.googleapi import (
    Call,
    Handler,
    Resource,
    Verb,
    cancel_operation,
    crud_handlers,
    delete_operation,
    get_location,
    get_operation,
    get_policy,
    granted_permissions,
    invalid,
    list_locations,
    list_operations,
    parent_of,
    set_policy,
)
from mockserver.model import JsonObject
from mockserver.state import find_project

_PLACE = "apphub.projects.locations"
_HOST = "//apphub.googleapis.com"
_WRITABLE: tuple[Verb, ...] = ("list", "get", "create", "patch", "delete")
_COLLECTIONS = tuple(resource.collection for resource in RESOURCES)


def _lookup_discovered(resource: Resource, kind: str, call: Call) -> JsonObject:
    """Answers `lookup`: what was discovered of a URI; an empty answer when nothing was."""
    uri = str(call.params.get("uri", ""))
    if not uri:
        raise invalid("The uri is required.", location="uri")
    table, index = call.world.table(resource.collection), _BY_URI[kind]
    parents = resource.parents(call, table)
    for row in table.find(index, uri):
        if parent_of(row["name"], resource.depth) in parents:
            return {resource.list_key.removesuffix("s"): row}
    return {}


def _by_uri(kind: str) -> Index:
    return Index(lambda _, row: (str(row.get(f"{kind}Reference", {}).get("uri", "")),))


_BY_URI = {kind: _by_uri(kind) for kind in ("service", "workload")}
_BY_PROJECT = Index(lambda _, row: (str(row.get("serviceProject", "")),))


def _lookup_attachment(call: Call) -> JsonObject:
    """Answers `lookupServiceProjectAttachment`: the one that attaches the named project."""
    project = str(call.params["name"]).split("/")[1]
    known = find_project(call.world, project) or {"projectId": project, "name": ""}
    names = {f"projects/{known['projectId']}", known["name"], f"projects/{project}"}
    table = call.world.table(ATTACHMENTS)
    found = [entry for name in names for entry in table.find(_BY_PROJECT, name).entries(0, 1)]
    first = table.rows_of(sorted(found, key=itemgetter(1))[:1])
    return {"serviceProjectAttachment": first[0]} if first else {}


def _get_policy(call: Call) -> JsonObject:
    return get_policy(call, f"{_HOST}/{call.params['resource']}")


def _set_policy(call: Call) -> JsonObject:
    return set_policy(call, f"{_HOST}/{call.params['resource']}")


def _standard_handlers(
    resource: Resource, path: str, verbs: tuple[Verb, ...]
) -> Mapping[str, Handler]:
    return crud_handlers(resource, {verb: f"{_PLACE}.{path}.{verb}" for verb in verbs})


HANDLERS: Mapping[str, Handler] = {
    **_standard_handlers(APPLICATIONS, "applications", _WRITABLE),
    **_standard_handlers(SERVICES, "applications.services", _WRITABLE),
    **_standard_handlers(WORKLOADS, "applications.workloads", _WRITABLE),
    **_standard_handlers(DISCOVERED_RESOURCES[0], "discoveredServices", ("list", "get")),
    **_standard_handlers(DISCOVERED_RESOURCES[1], "discoveredWorkloads", ("list", "get")),
    **_standard_handlers(
        SERVICE_PROJECTS, "serviceProjectAttachments", ("list", "get", "create", "delete")
    ),
    f"{_PLACE}.discoveredServices.lookup": partial(
        _lookup_discovered, DISCOVERED_RESOURCES[0], "service"
    ),
    f"{_PLACE}.discoveredWorkloads.lookup": partial(
        _lookup_discovered, DISCOVERED_RESOURCES[1], "workload"
    ),
    f"{_PLACE}.lookupServiceProjectAttachment": _lookup_attachment,
    f"{_PLACE}.applications.getIamPolicy": _get_policy,
    f"{_PLACE}.applications.setIamPolicy": _set_policy,
    f"{_PLACE}.applications.testIamPermissions": granted_permissions,
    f"{_PLACE}.list": list_locations(_COLLECTIONS),
    f"{_PLACE}.get": get_location(_COLLECTIONS),
    f"{_PLACE}.operations.list": list_operations,
    f"{_PLACE}.operations.get": get_operation,
    f"{_PLACE}.operations.delete": delete_operation,
    f"{_PLACE}.operations.cancel": cancel_operation,
}
