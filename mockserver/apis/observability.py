"""Emulates the Observability API: buckets, datasets, links, views, scopes, settings."""

from functools import partial

from mockserver.collections.selections import Selection
from mockserver.googleapi import READ_VERBS, Api, Call, PageRule, Resource, Verb, bad_fields
from mockserver.googleapi.list_rules import ListCall
from mockserver.model import JsonObject

_LOCATION = "projects/{project}/locations/{location}"
_BUCKET = f"{_LOCATION}/buckets/{{bucket}}"
_DATASET = f"{_BUCKET}/datasets/{{dataset}}"
_DATASETS = "observabilityDatasets"
_TIMES = ("createTime", "updateTime", "deleteTime", "purgeTime")


def _start_operation(call: Call, verb: Verb, row: JsonObject) -> JsonObject:
    from mockserver.googleapi import location_operation

    return location_operation(
        call,
        verb,
        row,
        package="google.cloud.observability.v1",
        ident=call.world.ids.uuid("operation"),
        metadata={"apiVersion": "v1"},
    )


def _new_link(call: Call, row: JsonObject) -> JsonObject:
    dataset = row["name"].partition("/links/")[0]
    if dataset not in call.world.table(_DATASETS):
        raise bad_fields([("parent", f"The dataset '{dataset}' was not found.")])
    return row


def _without_deleted(asked: ListCall) -> Selection | None:
    if asked.call.params.get("showDeleted"):
        return None
    return asked.field("deleteTime").equal(asked.table, (), absent=True)


_read = partial(Resource, verbs=READ_VERBS, page=PageRule(default=100, maximum=1000), times=_TIMES)
_written = partial(_read, id_required=True, created=("createTime",), output_only=_TIMES)

API = Api(
    name="observability",
    documents=(("observability", "v1"),),
    resources=(
        _written(
            collection="observabilityBuckets",
            about="buckets of the Observability API",
            pattern=_BUCKET,
            verbs=(*READ_VERBS, "create", "patch"),
            id_param="bucketId",
            filter=_without_deleted,
            updated=("updateTime",),
            reply=_start_operation,
        ),
        _read(
            collection=_DATASETS,
            about="datasets of observability buckets",
            pattern=_DATASET,
            filter=_without_deleted,
        ),
        _written(
            collection="observabilityLinks",
            about="links from datasets to BigQuery",
            pattern=f"{_DATASET}/links/{{link}}",
            verbs=(*READ_VERBS, "create", "patch", "delete"),
            id_param="linkId",
            on_create=_new_link,
            reply=_start_operation,
        ),
        _read(
            collection="observabilityViews",
            about="views of observability datasets",
            pattern=f"{_DATASET}/views/{{view}}",
        ),
        _written(
            collection="observabilityTraceScopes",
            about="trace scopes",
            pattern=f"{_LOCATION}/traceScopes/{{scope}}",
            verbs=(*READ_VERBS, "create", "patch", "delete"),
            id_param="traceScopeId",
            updated=("updateTime",),
        ),
        _read(
            collection="observabilityScopes",
            about="scopes of the Observability API",
            pattern=f"{_LOCATION}/scopes/{{scope}}",
            verbs=("get", "patch"),
            updated=("updateTime",),
            output_only=_TIMES,
        ),
    ),
    locations=tuple(
        f"observability.{owner}.locations" for owner in ("projects", "folders", "organizations")
    ),
)
