"""Emulates App Hub: applications, their services and workloads, and what is discovered."""

from functools import partial
from operator import itemgetter

from mockserver.collections import Index
from mockserver.googleapi import (
    READ_VERBS,
    Api,
    Call,
    Resource,
    Verb,
    bad_fields,
    filter_rows,
    invalid,
    parent_of,
    policy_handlers,
)
from mockserver.model import JsonObject
from mockserver.state import find_project

_IDS = "apphub.projects.locations"
_LOCATION = "projects/{project}/locations/{location}"
_APPLICATION = f"{_LOCATION}/applications/{{application}}"
_OUTPUT_ONLY = ("createTime", "updateTime", "uid", "state")


def _start_operation(call: Call, verb: Verb, row: JsonObject) -> JsonObject:
    from mockserver.googleapi import location_operation

    return location_operation(
        call,
        verb,
        row,
        package="google.cloud.apphub.v1",
        ident=f"operation-{call.world.ids.hex('operation', 32)}",
        metadata={"requestedCancellation": False, "apiVersion": "v1"},
    )


def _new_row(call: Call, row: JsonObject) -> JsonObject:
    return {**row, "uid": call.world.ids.uuid("apphub"), "state": "ACTIVE"}


def _new_application(call: Call, row: JsonObject) -> JsonObject:
    if not row.get("scope", {}).get("type"):
        raise bad_fields([("application.scope.type", "The scope of an application is required.")])
    return _new_row(call, row)


def _new_member(collection: str, kind: str, call: Call, row: JsonObject) -> JsonObject:
    """A service or workload with what was discovered of it."""
    name = str(row.get(f"discovered{kind.title()}", ""))
    found = call.world.table(collection).get(name)
    if found is None:
        text = f"The discovered {kind} '{name}' was not found."
        raise bad_fields([(f"{kind}.discovered_{kind}", text)])
    told = {key: found[key] for key in (f"{kind}Reference", f"{kind}Properties") if key in found}
    return _new_row(call, {**row, **told})


_read = partial(
    Resource,
    order="",
    filter=filter_rows,
    times=("createTime", "updateTime"),
    missing="Resource '{name}' was not found",
    exists="Resource '{name}' already exists",
)
_written = partial(
    _read,
    id_required=True,
    created=("createTime",),
    updated=("updateTime",),
    reply=_start_operation,
    output_only=_OUTPUT_ONLY,
)
_DISCOVERED_SERVICES = _read(
    collection="apphubDiscoveredServices",
    about="services that App Hub has discovered",
    pattern=f"{_LOCATION}/discoveredServices/{{service}}",
    verbs=READ_VERBS,
)
_DISCOVERED_WORKLOADS = _read(
    collection="apphubDiscoveredWorkloads",
    about="workloads that App Hub has discovered",
    pattern=f"{_LOCATION}/discoveredWorkloads/{{workload}}",
    verbs=READ_VERBS,
)
_ATTACHMENTS = _written(
    collection="apphubServiceProjectAttachments",
    about="service projects attached to an App Hub host project",
    pattern=f"{_LOCATION}/serviceProjectAttachments/{{attachment}}",
    verbs=(*READ_VERBS, "create", "delete"),
    id_param="serviceProjectAttachmentId",
    on_create=_new_row,
)


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
    table = call.world.table(_ATTACHMENTS.collection)
    found = [entry for name in names for entry in table.find(_BY_PROJECT, name).entries(0, 1)]
    first = table.rows_of(sorted(found, key=itemgetter(1))[:1])
    return {"serviceProjectAttachment": first[0]} if first else {}


def _full_name(call: Call) -> str:
    return f"//apphub.googleapis.com/{call.params['resource']}"


API = Api(
    name="apphub",
    documents=(("apphub", "v1"),),
    resources=(
        _written(
            collection="apphubApplications",
            about="applications of App Hub",
            pattern=_APPLICATION,
            id_param="applicationId",
            on_create=_new_application,
            immutable=("scope",),
        ),
        _written(
            collection="apphubServices",
            about="services of App Hub applications",
            pattern=f"{_APPLICATION}/services/{{service}}",
            id_param="serviceId",
            on_create=partial(_new_member, _DISCOVERED_SERVICES.collection, "service"),
            immutable=("discoveredService",),
            output_only=(*_OUTPUT_ONLY, "serviceReference", "serviceProperties"),
        ),
        _written(
            collection="apphubWorkloads",
            about="workloads of App Hub applications",
            pattern=f"{_APPLICATION}/workloads/{{workload}}",
            id_param="workloadId",
            on_create=partial(_new_member, _DISCOVERED_WORKLOADS.collection, "workload"),
            immutable=("discoveredWorkload",),
            output_only=(*_OUTPUT_ONLY, "workloadReference", "workloadProperties"),
        ),
        _DISCOVERED_SERVICES,
        _DISCOVERED_WORKLOADS,
        _ATTACHMENTS,
    ),
    locations=(_IDS,),
    handlers={
        f"{_IDS}.discoveredServices.lookup": partial(
            _lookup_discovered, _DISCOVERED_SERVICES, "service"
        ),
        f"{_IDS}.discoveredWorkloads.lookup": partial(
            _lookup_discovered, _DISCOVERED_WORKLOADS, "workload"
        ),
        f"{_IDS}.lookupServiceProjectAttachment": _lookup_attachment,
        **policy_handlers(f"{_IDS}.applications", _full_name),
    },
)
