"""Log buckets, their views, and their links to datasets: plain collections.

Source: Discovery document; every project has the buckets `_Default` and `_Required` in `global`.
"""

from collections.abc import Mapping

from mockserver.apis.logging.parents import BUILT_IN_BUCKETS, LOG_BUCKETS, LOG_VIEWS
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    PageRule,
    Resource,
    Verb,
    crud_handlers,
    done,
)
from mockserver.model import JsonObject
from mockserver.state import rfc3339

LOG_LINKS = "logLinks"

BUCKET = "{kind}/{id}/locations/{location}/buckets/{bucket}"
LINK = f"{BUCKET}/links/{{link}}"
VIEW = f"{BUCKET}/views/{{view}}"
_PAGES = PageRule(default=50, maximum=1000)
_OWNERS = ("", "projects.", "folders.", "organizations.", "billingAccounts.")
"""Where Discovery has these methods; the first takes any parent."""


def _new_bucket(call: Call, row: JsonObject) -> JsonObject:
    now = rfc3339(call.world.clock.now())
    return {"retentionDays": 30, **row, "lifecycleState": "ACTIVE", "createTime": now}


def _changed_bucket(call: Call, before: JsonObject, after: JsonObject) -> JsonObject:
    if before.get("locked") and before.get("retentionDays") != after.get("retentionDays"):
        raise _precondition("The retention period of a locked bucket cannot be changed.")
    return {**after, "updateTime": rfc3339(call.world.clock.now())}


def _deleted_bucket(_call: Call, row: JsonObject) -> None:
    if str(row["name"]).rpartition("/")[2] in BUILT_IN_BUCKETS:
        raise _precondition("The built-in buckets cannot be deleted.")


def _precondition(text: str) -> ApiError:
    return ApiError(400, text, reason="failedPrecondition", code_name="FAILED_PRECONDITION")


def _new_view(call: Call, row: JsonObject) -> JsonObject:
    now = rfc3339(call.world.clock.now())
    return {**row, "createTime": now, "updateTime": now}


def _new_link(call: Call, row: JsonObject) -> JsonObject:
    """A link comes with a dataset of its id in the bucket's project."""
    _, project, *_, link = str(row["name"]).split("/")
    dataset = f"bigquery.googleapis.com/projects/{project}/datasets/{link}"
    return {
        **row,
        "createTime": rfc3339(call.world.clock.now()),
        "lifecycleState": "ACTIVE",
        "bigqueryDataset": {"datasetId": dataset},
    }


def _link_operation(call: Call, verb: Verb, row: JsonObject) -> JsonObject:
    location = "/".join(str(row["name"]).split("/")[:4])
    name = f"{location}/operations/{call.world.ids.uuid('logOperation')}"
    made = None if verb == "delete" else row
    return done(name, made, "type.googleapis.com/google.logging.v2.Link")


_BUCKETS = Resource(
    collection=LOG_BUCKETS,
    pattern=BUCKET,
    list_key="buckets",
    page=_PAGES,
    id_param="bucketId",
    id_required=True,
    on_create=_new_bucket,
    on_change=_changed_bucket,
    on_delete=_deleted_bucket,
    output_only=("createTime", "updateTime", "lifecycleState"),
)
_VIEWS = Resource(
    collection=LOG_VIEWS,
    pattern=VIEW,
    list_key="views",
    page=_PAGES,
    id_param="viewId",
    id_required=True,
    on_create=_new_view,
    output_only=("createTime", "updateTime"),
)
_LINKS = Resource(
    collection=LOG_LINKS,
    pattern=LINK,
    list_key="links",
    page=_PAGES,
    id_param="linkId",
    id_required=True,
    on_create=_new_link,
    reply=_link_operation,
    output_only=("createTime", "lifecycleState"),
)

_CHANGED: tuple[Verb, ...] = ("list", "get", "create", "patch", "delete")
_REPLACED: tuple[Verb, ...] = ("list", "get", "create", "delete")


def bucket_handlers() -> Mapping[str, Handler]:
    """Discovery id to handler, of buckets, views and links under every kind of owner."""
    return {
        **_handlers(_BUCKETS, "buckets", _CHANGED),
        **_handlers(_VIEWS, "buckets.views", _CHANGED),
        **_handlers(_LINKS, "buckets.links", _REPLACED),
    }


def _handlers(resource: Resource, below: str, verbs: tuple[Verb, ...]) -> Mapping[str, Handler]:
    prefixes = [f"logging.{owner}locations.{below}." for owner in _OWNERS]
    return crud_handlers(resource, {verb: [f"{each}{verb}" for each in prefixes] for verb in verbs})
