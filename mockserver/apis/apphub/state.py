"""App Hub's collections, and its long-running operations."""

from dataclasses import replace

from mockserver.googleapi import (
    Call,
    LocationOperation,
    PageRule,
    Resource,
    bad_fields,
)
from mockserver.googleapi.list_rules import filter_rows
from mockserver.model import JsonObject

_OPERATION = LocationOperation(
    package="google.cloud.apphub.v1",
    new_id=lambda ids: f"operation-{ids.hex('operation', 32)}",
    metadata={"requestedCancellation": False, "apiVersion": "v1"},
)
_LOCATION = "projects/{project}/locations/{location}"
_OUTPUT_ONLY = ("createTime", "updateTime", "uid", "state")
_PAGES = PageRule(default=50, maximum=1000)
DISCOVERED_SERVICES = "apphubDiscoveredServices"
DISCOVERED_WORKLOADS = "apphubDiscoveredWorkloads"
ATTACHMENTS = "apphubServiceProjectAttachments"


def _new_row(call: Call, row: JsonObject) -> JsonObject:
    return {**row, "uid": call.world.ids.uuid("apphub"), "state": "ACTIVE"}


def _new_application(call: Call, row: JsonObject) -> JsonObject:
    if not row.get("scope", {}).get("type"):
        raise bad_fields([("application.scope.type", "The scope of an application is required.")])
    return _new_row(call, row)


def _new_service(call: Call, row: JsonObject) -> JsonObject:
    return _with_discovered(call, row, "discoveredService", DISCOVERED_SERVICES, "service")


def _new_workload(call: Call, row: JsonObject) -> JsonObject:
    return _with_discovered(call, row, "discoveredWorkload", DISCOVERED_WORKLOADS, "workload")


def _with_discovered(
    call: Call, row: JsonObject, field: str, collection: str, kind: str
) -> JsonObject:
    """A service or workload with what was discovered of it."""
    found = call.world.table(collection).get(str(row.get(field, "")))
    if found is None:
        text = f"The discovered {kind} '{row.get(field, '')}' was not found."
        raise bad_fields([(f"{kind}.discovered_{kind}", text)])
    told = {
        name: found[name] for name in (f"{kind}Reference", f"{kind}Properties") if name in found
    }
    return _new_row(call, {**row, **told})


APPLICATIONS = Resource(
    collection="apphubApplications",
    pattern=f"{_LOCATION}/applications/{{application}}",
    list_key="applications",
    page=_PAGES,
    id_param="applicationId",
    id_required=True,
    order="",
    filter=filter_rows,
    created=("createTime",),
    updated=("updateTime",),
    on_create=_new_application,
    reply=_OPERATION.of("Application"),
    immutable=("scope",),
    output_only=_OUTPUT_ONLY,
    missing="Resource '{name}' was not found",
    exists="Resource '{name}' already exists",
)
SERVICES = replace(
    APPLICATIONS,
    collection="apphubServices",
    pattern=f"{APPLICATIONS.pattern}/services/{{service}}",
    list_key="services",
    id_param="serviceId",
    on_create=_new_service,
    reply=_OPERATION.of("Service"),
    immutable=("discoveredService",),
    output_only=(*_OUTPUT_ONLY, "serviceReference", "serviceProperties"),
)
WORKLOADS = replace(
    SERVICES,
    collection="apphubWorkloads",
    pattern=f"{APPLICATIONS.pattern}/workloads/{{workload}}",
    list_key="workloads",
    id_param="workloadId",
    on_create=_new_workload,
    reply=_OPERATION.of("Workload"),
    immutable=("discoveredWorkload",),
    output_only=(*_OUTPUT_ONLY, "workloadReference", "workloadProperties"),
)
DISCOVERED_RESOURCES = (
    Resource(
        collection=DISCOVERED_SERVICES,
        pattern=f"{_LOCATION}/discoveredServices/{{service}}",
        list_key="discoveredServices",
        page=_PAGES,
        order="",
        filter=filter_rows,
        missing=APPLICATIONS.missing,
    ),
    Resource(
        collection=DISCOVERED_WORKLOADS,
        pattern=f"{_LOCATION}/discoveredWorkloads/{{workload}}",
        list_key="discoveredWorkloads",
        page=_PAGES,
        order="",
        filter=filter_rows,
        missing=APPLICATIONS.missing,
    ),
)
SERVICE_PROJECTS = replace(
    APPLICATIONS,
    collection=ATTACHMENTS,
    pattern=f"{_LOCATION}/serviceProjectAttachments/{{attachment}}",
    list_key="serviceProjectAttachments",
    id_param="serviceProjectAttachmentId",
    on_create=_new_row,
    reply=_OPERATION.of("ServiceProjectAttachment"),
    immutable=(),
)
RESOURCES = (APPLICATIONS, SERVICES, WORKLOADS, *DISCOVERED_RESOURCES, SERVICE_PROJECTS)
