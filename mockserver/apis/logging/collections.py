"""What Logging has: buckets, views and links as data, and the log entries beside them."""

from functools import partial

from typing_extensions import override

from mockserver.googleapi import READ_VERBS, Call, Collection, Resource, Verb, failed_precondition
from mockserver.googleapi.collections import Found
from mockserver.model import JsonObject
from mockserver.state import World, rfc3339

LOG_ENTRIES = "logEntries"
LOG_BUCKETS = "logBuckets"
LOG_VIEWS = "logViews"
BUILT_IN_BUCKETS = ("_Default", "_Required")
"""Every project has them, in `global`. Source: Discovery document."""

COLLECTIONS = (
    Collection(
        LOG_ENTRIES,
        "log entries",
        (
            ("timestamp",),
            ("receiveTimestamp",),
            ("protoPayload", "requestMetadata", "requestAttributes", "time"),
        ),
        "logging:v2#LogEntry",
    ),
)
_OWNERS = ("", "projects.", "folders.", "organizations.", "billingAccounts.")
"""Where Discovery has these methods; the first takes any parent."""
_BUILT_IN_ENDS = tuple(f"/locations/global/buckets/{each}" for each in BUILT_IN_BUCKETS)
_BUCKET = "{kind}/{id}/locations/{location}/buckets/{bucket}"


def _new_bucket(call: Call, row: JsonObject) -> JsonObject:
    now = rfc3339(call.world.clock.now())
    return {"retentionDays": 30, **row, "lifecycleState": "ACTIVE", "createTime": now}


def _change_bucket(call: Call, before: JsonObject, after: JsonObject) -> JsonObject:
    if before.get("locked") and before.get("retentionDays") != after.get("retentionDays"):
        raise failed_precondition("The retention period of a locked bucket cannot be changed.")
    return {**after, "updateTime": rfc3339(call.world.clock.now())}


def _check_bucket_deletion(_call: Call, row: JsonObject) -> None:
    if str(row["name"]).rpartition("/")[2] in BUILT_IN_BUCKETS:
        raise failed_precondition("The built-in buckets cannot be deleted.")


def _new_link(_call: Call, row: JsonObject) -> JsonObject:
    """A link comes with a dataset of its id in the bucket's project."""
    _, project, *_, link = str(row["name"]).split("/")
    dataset = f"bigquery.googleapis.com/projects/{project}/datasets/{link}"
    return {**row, "lifecycleState": "ACTIVE", "bigqueryDataset": {"datasetId": dataset}}


def _link_operation(call: Call, verb: Verb, row: JsonObject) -> JsonObject:
    from mockserver.googleapi import finished_operation, start_known_operation

    path = str(row["name"])
    ident = call.world.ids.uuid("logOperation")
    name = f"{'/'.join(path.split('/')[:4])}/operations/{ident}"
    made = None if verb == "delete" else row
    done = finished_operation(name, made, "type.googleapis.com/google.logging.v2.Link")
    return start_known_operation(call, "logging", "Link", path, made, done, {"name": name})


def built_in_bucket(name: str) -> JsonObject:
    """A bucket that everybody has. Source: Discovery document."""
    required = name.endswith("_Required")
    return {
        "name": name,
        "description": "Audit bucket" if required else "Default bucket",
        "retentionDays": 400 if required else 30,
        "lifecycleState": "ACTIVE",
        **({"locked": True} if required else {}),
    }


class _Buckets(Resource):
    """Buckets: the built-in ones are there whoever owns them, and told by a snapshot or not."""

    @override
    def find(self, world: World, name: str) -> Found | None:
        found = super().find(world, name)
        if found is not None or not name.endswith(_BUILT_IN_ENDS):
            return found
        return name, built_in_bucket(name)


def _methods(below: str = "") -> tuple[str, ...]:
    return tuple(f"logging.{owner}locations.buckets{below}" for owner in _OWNERS)


_kept = partial(Resource, id_required=True)
RESOURCES = (
    _Buckets(
        id_required=True,
        collection=LOG_BUCKETS,
        about="log buckets",
        schema="logging:v2#LogBucket",
        pattern=_BUCKET,
        methods=_methods(),
        id_param="bucketId",
        on_create=_new_bucket,
        on_change=_change_bucket,
        on_delete=_check_bucket_deletion,
        output_only=("createTime", "updateTime", "lifecycleState"),
        times=("createTime", "updateTime"),
    ),
    _kept(
        collection=LOG_VIEWS,
        about="views of log buckets",
        schema="logging:v2#LogView",
        pattern=f"{_BUCKET}/views/{{view}}",
        methods=_methods(".views"),
        id_param="viewId",
        created=("createTime", "updateTime"),
        output_only=("createTime", "updateTime"),
    ),
    _kept(
        collection="logLinks",
        about="links from log buckets to datasets",
        schema="logging:v2#Link",
        pattern=f"{_BUCKET}/links/{{link}}",
        methods=_methods(".links"),
        verbs=(*READ_VERBS, "create", "delete"),
        id_param="linkId",
        created=("createTime",),
        on_create=_new_link,
        reply=_link_operation,
        output_only=("createTime", "lifecycleState"),
    ),
)
