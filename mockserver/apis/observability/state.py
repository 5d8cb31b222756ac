"""The Observability API's collections, declared as data."""

from mockserver.collections.selections import Selection
from mockserver.googleapi import Call, LocationOperation, PageRule, Resource, bad_fields
from mockserver.googleapi.list_rules import ListCall
from mockserver.model import JsonObject

_LOCATION = "projects/{project}/locations/{location}"
_BUCKET = f"{_LOCATION}/buckets/{{bucket}}"
_DATASET = f"{_BUCKET}/datasets/{{dataset}}"
_OPERATION = LocationOperation(
    package="google.cloud.observability.v1",
    new_id=lambda ids: ids.uuid("operation"),
    metadata={"apiVersion": "v1"},
)
_PAGES = PageRule(default=100, maximum=1000)
_OUTPUT_ONLY = ("createTime", "updateTime", "deleteTime", "purgeTime")


def _new_link(call: Call, row: JsonObject) -> JsonObject:
    dataset = row["name"].partition("/links/")[0]
    if dataset not in call.world.table(DATASETS.collection):
        raise bad_fields([("parent", f"The dataset '{dataset}' was not found.")])
    return row


def _without_deleted(asked: ListCall) -> Selection | None:
    if asked.call.params.get("showDeleted"):
        return None
    return asked.field("deleteTime").equal(asked.table, (), absent=True)


BUCKETS = Resource(
    collection="observabilityBuckets",
    pattern=_BUCKET,
    list_key="buckets",
    page=_PAGES,
    id_param="bucketId",
    id_required=True,
    filter=_without_deleted,
    created=("createTime",),
    updated=("updateTime",),
    reply=_OPERATION.of("Bucket"),
    output_only=_OUTPUT_ONLY,
)
DATASETS = Resource(
    collection="observabilityDatasets",
    pattern=_DATASET,
    list_key="datasets",
    page=_PAGES,
    filter=_without_deleted,
)
LINKS = Resource(
    collection="observabilityLinks",
    pattern=f"{_DATASET}/links/{{link}}",
    list_key="links",
    page=_PAGES,
    id_param="linkId",
    id_required=True,
    created=("createTime",),
    on_create=_new_link,
    reply=_OPERATION.of("Link"),
    output_only=_OUTPUT_ONLY,
)
VIEWS = Resource(
    collection="observabilityViews",
    pattern=f"{_DATASET}/views/{{view}}",
    list_key="views",
    page=_PAGES,
)
TRACE_SCOPES = Resource(
    collection="observabilityTraceScopes",
    pattern=f"{_LOCATION}/traceScopes/{{scope}}",
    list_key="traceScopes",
    page=_PAGES,
    id_param="traceScopeId",
    id_required=True,
    created=("createTime",),
    updated=("updateTime",),
    output_only=_OUTPUT_ONLY,
)
SCOPES = Resource(
    collection="observabilityScopes",
    pattern=f"{_LOCATION}/scopes/{{scope}}",
    list_key="scopes",
    updated=("updateTime",),
    output_only=_OUTPUT_ONLY,
)
RESOURCES = (BUCKETS, DATASETS, LINKS, VIEWS, TRACE_SCOPES, SCOPES)
