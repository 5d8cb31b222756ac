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
    crud_handlers,
    invalid,
    location_handlers,
    parent_of,
    policy_handlers,
)
from mockserver.model import JsonObject
from mockserver.state import find_project

_PLACE = "apphub.projects.locations"
_HOST = "//apphub.googleapis.com"


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


HANDLERS: Mapping[str, Handler] = {
    **crud_handlers(APPLICATIONS, f"{_PLACE}.applications"),
    **crud_handlers(SERVICES, f"{_PLACE}.applications.services"),
    **crud_handlers(WORKLOADS, f"{_PLACE}.applications.workloads"),
    **crud_handlers(DISCOVERED_RESOURCES[0], f"{_PLACE}.discoveredServices", "list", "get"),
    **crud_handlers(DISCOVERED_RESOURCES[1], f"{_PLACE}.discoveredWorkloads", "list", "get"),
    **crud_handlers(
        SERVICE_PROJECTS, f"{_PLACE}.serviceProjectAttachments", "list", "get", "create", "delete"
    ),
    f"{_PLACE}.discoveredServices.lookup": partial(
        _lookup_discovered, DISCOVERED_RESOURCES[0], "service"
    ),
    f"{_PLACE}.discoveredWorkloads.lookup": partial(
        _lookup_discovered, DISCOVERED_RESOURCES[1], "workload"
    ),
    f"{_PLACE}.lookupServiceProjectAttachment": _lookup_attachment,
    **policy_handlers(f"{_PLACE}.applications", lambda call: f"{_HOST}/{call.params['resource']}"),
    **location_handlers(_PLACE, [resource.collection for resource in RESOURCES]),
}
