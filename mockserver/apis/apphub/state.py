"""App Hub's collections, and its long-running operations."""

from dataclasses import replace

from mockserver.googleapi import (
    Call,
    LocationOperation,
    PageRule,
    Resource,
    bad_fields,
    filter_of,
    ordered,
)
from mockserver.model import JsonObject
from mockserver.state import rfc3339

_OPERATION = LocationOperation(
    package="google.cloud.apphub.v1",
    new_id=lambda ids: f"operation-{ids.hex('operation', 32)}",
    metadata={"requestedCancellation": False, "apiVersion": "v1"},
)
_PLACE = "projects/{project}/locations/{location}"
_SERVER = ("createTime", "updateTime", "uid", "state")
_PAGES = PageRule(default=50, maximum=1000)
DISCOVERED_SERVICES = "apphubDiscoveredServices"
DISCOVERED_WORKLOADS = "apphubDiscoveredWorkloads"
ATTACHMENTS = "apphubServiceProjectAttachments"


def _created(call: Call, row: JsonObject) -> JsonObject:
    now = rfc3339(call.world.clock.now())
    uid = call.world.ids.uuid("apphub")
    return {**row, "createTime": now, "updateTime": now, "uid": uid, "state": "ACTIVE"}


def _application(call: Call, row: JsonObject) -> JsonObject:
    if not row.get("scope", {}).get("type"):
        raise bad_fields([("application.scope.type", "The scope of an application is required.")])
    return _created(call, row)


def _service(call: Call, row: JsonObject) -> JsonObject:
    return _registered(call, row, "discoveredService", DISCOVERED_SERVICES, "service")


def _workload(call: Call, row: JsonObject) -> JsonObject:
    return _registered(call, row, "discoveredWorkload", DISCOVERED_WORKLOADS, "workload")


def _registered(call: Call, row: JsonObject, field: str, collection: str, kind: str) -> JsonObject:
    """A service or workload with what was discovered of it."""
    found = call.world.table(collection).get(str(row.get(field, "")))
    if found is None:
        text = f"The discovered {kind} '{row.get(field, '')}' was not found."
        raise bad_fields([(f"{kind}.discovered_{kind}", text)])
    told = {
        name: found[name] for name in (f"{kind}Reference", f"{kind}Properties") if name in found
    }
    return _created(call, {**row, **told})


def _changed(call: Call, _: JsonObject, after: JsonObject) -> JsonObject:
    return {**after, "updateTime": rfc3339(call.world.clock.now())}


APPLICATIONS = Resource(
    collection="apphubApplications",
    pattern=f"{_PLACE}/applications/{{application}}",
    list_key="applications",
    page=_PAGES,
    id_param="applicationId",
    id_required=True,
    order=ordered,
    filter=filter_of,
    on_create=_application,
    on_change=_changed,
    reply=_OPERATION.of("Application"),
    immutable=("scope",),
    output_only=_SERVER,
    missing="Resource '{name}' was not found",
    exists="Resource '{name}' already exists",
)
SERVICES = replace(
    APPLICATIONS,
    collection="apphubServices",
    pattern=f"{APPLICATIONS.pattern}/services/{{service}}",
    list_key="services",
    id_param="serviceId",
    on_create=_service,
    reply=_OPERATION.of("Service"),
    immutable=("discoveredService",),
    output_only=(*_SERVER, "serviceReference", "serviceProperties"),
)
WORKLOADS = replace(
    SERVICES,
    collection="apphubWorkloads",
    pattern=f"{APPLICATIONS.pattern}/workloads/{{workload}}",
    list_key="workloads",
    id_param="workloadId",
    on_create=_workload,
    reply=_OPERATION.of("Workload"),
    immutable=("discoveredWorkload",),
    output_only=(*_SERVER, "workloadReference", "workloadProperties"),
)
DISCOVERED = (
    Resource(
        collection=DISCOVERED_SERVICES,
        pattern=f"{_PLACE}/discoveredServices/{{service}}",
        list_key="discoveredServices",
        page=_PAGES,
        order=ordered,
        filter=filter_of,
        missing=APPLICATIONS.missing,
    ),
    Resource(
        collection=DISCOVERED_WORKLOADS,
        pattern=f"{_PLACE}/discoveredWorkloads/{{workload}}",
        list_key="discoveredWorkloads",
        page=_PAGES,
        order=ordered,
        filter=filter_of,
        missing=APPLICATIONS.missing,
    ),
)
SERVICE_PROJECTS = replace(
    APPLICATIONS,
    collection=ATTACHMENTS,
    pattern=f"{_PLACE}/serviceProjectAttachments/{{attachment}}",
    list_key="serviceProjectAttachments",
    id_param="serviceProjectAttachmentId",
    on_create=_created,
    on_change=None,
    reply=_OPERATION.of("ServiceProjectAttachment"),
    immutable=(),
)
EVERY = (APPLICATIONS, SERVICES, WORKLOADS, *DISCOVERED, SERVICE_PROJECTS)
