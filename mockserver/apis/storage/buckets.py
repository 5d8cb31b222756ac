"""Buckets: what the service adds to their configuration, soft deletion, keys, notifications."""

import re
from base64 import b64encode
from collections.abc import Mapping
from datetime import timedelta

from orjson import dumps

from mockserver.apis.storage.access import check_policy, is_uniform, with_access, with_given_access
from mockserver.collections import BY_KEY, Index
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    LeftToConventionsError,
    apply_merge_patch,
    by_parent,
    etag,
    forbidden,
    invalid,
    lists_etag,
    not_found,
    precondition,
)
from mockserver.googleapi.facts import project_of
from mockserver.model import Json, JsonMapping, JsonObject
from mockserver.state import rfc3339

OBJECTS = "storage:v1/objects"
BUCKETS = "storage:v1/buckets"
_NOTIFICATIONS = "storage:v1/notifications"
_KEYS = "storage:v1/hmacKeys"
_UNMET = "At least one of the pre-conditions you specified did not hold."
_PREVENTIONS = frozenset({"enforced", "inherited", "unspecified"})
_LOCKED_FOR = timedelta(days=90)
"""How long uniform access can be taken back."""
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9._-]{0,220}[a-z0-9_])?")
_ENFORCEMENTS = ("googleManaged", "customerManaged", "customerSupplied")
_MOST_NOTIFICATIONS = 100
"""Of a bucket."""
_EVENTS = frozenset({
    "OBJECT_FINALIZE", "OBJECT_METADATA_UPDATE", "OBJECT_DELETE", "OBJECT_ARCHIVE",
})  # fmt: skip


def check_generations(call: Call, found: JsonMapping | None, start: str = "if") -> None:
    """Refuse a call whose preconditions do not hold; what is not there is of generation 0.

    Args:
        call: The call.
        found: What it is about.
        start: What the names of the preconditions begin with.

    Raises:
        ApiError: 412; 304 where a read says what it has already.
    """
    for field in ("generation", "metageneration"):
        own = "0" if found is None else str(found.get(field, "1"))
        stem = f"{start}{field.capitalize()}"
        wanted, unwanted = call.params.get(f"{stem}Match"), call.params.get(f"{stem}NotMatch")
        if unwanted is not None and str(unwanted) == own and call.id.endswith(".get"):
            raise ApiError(304, "Not Modified", reason="notModified")
        if (wanted is not None and str(wanted) != own) or (
            unwanted is not None and str(unwanted) == own
        ):
            raise precondition(_UNMET)


def check_etags(call: Call, found: JsonMapping | None) -> None:
    """Refuse a read by the entity tag of what is read; writes are checked before.

    Raises:
        ApiError: 412; 304 where the caller has it already.
    """
    tag = str((found or {}).get("etag") or "")
    wanted, unwanted = call.headers.get(b"if-match"), call.headers.get(b"if-none-match")
    if not tag or not call.id.endswith(".get"):
        return
    if wanted is not None and not lists_etag(wanted, tag):
        raise precondition(_UNMET)
    if unwanted is not None and lists_etag(unwanted, tag):
        raise ApiError(304, "Not Modified", reason="notModified")


_KEPT_OBJECTS = Index(
    lambda key, row: () if row.get("softDeleteTime") else ((key.partition("/o/")[0],),)
)
"""Objects that are not deleted, by their bucket."""


def require_bucket(call: Call, bucket: str) -> JsonMapping:
    """The bucket; an empty row where the session tells it by its objects alone.

    Raises:
        ApiError: 404.
    """
    found = call.world.table(BUCKETS).get(f"b/{bucket}")
    if found is not None:
        return found
    rows = call.world.table(OBJECTS)
    if not any(rows.find(_KEPT_OBJECTS, (f"b/{each}",)) for each in (bucket, "-")):
        raise not_found("The specified bucket does not exist.", name=bucket)
    return {}


def find_bucket(call: Call) -> tuple[str, str, JsonObject, JsonMapping]:
    """The table, the key and twice the row of the bucket that a call names; raises ApiError."""
    name = str(call.params["bucket"])
    row = dict(require_bucket(call, name))
    return BUCKETS, f"b/{name}", row or {"name": name}, row


def _configured(call: Call, before: JsonMapping, row: JsonObject) -> JsonObject:
    """A bucket with what the service adds to a configuration that changed.

    Raises:
        ApiError: 400 for a value that there is not; 403 for a retention policy that is locked.
    """
    now = call.world.clock.now()
    moment = rfc3339(now)

    def changed(field: str) -> JsonObject | None:
        own = row.get(field)
        return dict(own) if isinstance(own, dict) and own != before.get(field) else None

    old, new = before.get("retentionPolicy") or {}, row.get("retentionPolicy") or {}
    if old.get("isLocked") and int(new.get("retentionPeriod") or 0) < int(old["retentionPeriod"]):
        raise forbidden("Cannot reduce or remove the retention policy of a bucket once locked.")
    for field in ("retentionPolicy", "softDeletePolicy"):
        found = changed(field)
        if found and not (field == "softDeletePolicy" and not before and "effectiveTime" in found):
            row = {**row, field: {**found, "effectiveTime": moment}}
    if "retentionPolicy" in row and not new.get("retentionPeriod"):
        row = {key: each for key, each in row.items() if key != "retentionPolicy"}
    access = changed("iamConfiguration")
    if access:
        was = (before.get("iamConfiguration") or {}).get("uniformBucketLevelAccess") or {}
        until = was.get("lockedTime") or rfc3339(now + _LOCKED_FOR)
        row = {**row, "iamConfiguration": _access_configured(access, until)}
    classes = changed("autoclass")
    if classes:
        row = {**row, "autoclass": _autoclass(classes, before.get("autoclass") or {}, moment)}
    encryption = changed("encryption")
    if encryption:
        row = {**row, "encryption": _enforced(encryption, moment)}
    if row.get("customPlacementConfig"):
        row = {**row, "locationType": "dual-region"}
    uniform = is_uniform(row)
    if (row.get("hierarchicalNamespace") or {}).get("enabled") and not uniform:
        text = "Hierarchical namespace buckets must have uniform bucket-level access enabled."
        raise invalid(text, location="hierarchicalNamespace")
    return row


def _autoclass(new: JsonObject, old: JsonMapping, moment: str) -> JsonObject:
    if bool(old.get("enabled")) is not bool(new.get("enabled")):
        new["toggleTime"] = moment
    terminal = new.get("terminalStorageClass") or ("NEARLINE" if new.get("enabled") else None)
    if terminal and terminal != old.get("terminalStorageClass"):
        new |= {"terminalStorageClass": terminal, "terminalStorageClassUpdateTime": moment}
    return new


def _enforced(encryption: JsonObject, moment: str) -> JsonObject:
    for each in _ENFORCEMENTS:
        name = f"{each}EncryptionEnforcementConfig"
        if (encryption.get(name) or {}).get("restrictionMode") == "FullyRestricted":
            encryption[name] = {"effectiveTime": moment, **encryption[name]}
    return encryption


def _access_configured(access: JsonObject, until: str) -> JsonObject:
    prevention = access.get("publicAccessPrevention", "inherited")
    if prevention not in _PREVENTIONS:
        text = f"Invalid value '{prevention}' for publicAccessPrevention."
        raise invalid(text, location="iamConfiguration.publicAccessPrevention")
    uniform = access.get("uniformBucketLevelAccess")
    if isinstance(uniform, dict):
        told: JsonObject = {"enabled": bool(uniform.get("enabled"))}
        told |= {"lockedTime": until} if told["enabled"] else {}
        access = {**access, "uniformBucketLevelAccess": told, "bucketPolicyOnly": told}
    return access


def _store(call: Call, before: JsonMapping) -> JsonObject:
    """Complete a bucket that conventions have written; what callers see of it."""
    name = str(call.params.get("bucket") or call.body.get("name") or "")
    row = dict(call.world.table(BUCKETS).rows()[f"b/{name}"])
    after = with_given_access(call, _configured(call, before, row), row, "buckets")
    after["etag"] = etag(after).strip('"')
    call.world.put(BUCKETS, f"b/{name}", after)
    return with_access(call, after, after, "buckets")


def _insert(call: Call) -> JsonObject:
    if call.params.get("enableObjectRetention") is True:
        call.body["objectRetention"] = {"mode": "Enabled"}
    name = str(call.body.get("name") or "")
    if not name:
        raise ApiError(400, "Required", reason="required", location="name")
    if not _NAME.fullmatch(name):
        raise invalid(f"Invalid bucket name: '{name[:80]}'", location="name")
    call.answer_by_conventions()
    return _store(call, {})


def _get(call: Call) -> JsonObject:
    """Answers `get`; a bucket that is deleted is asked for by its generation."""
    if call.params.get("softDeleted") is True:
        row = _deleted_bucket(call)[1]
    else:
        _check_deleted(call)
        found = call.world.table(BUCKETS).get(f"b/{call.params['bucket']}")
        row = found or call.answer_by_conventions()
    check_generations(call, row)
    check_etags(call, row)
    return with_access(call, row, row, "buckets")


def _check_deleted(call: Call) -> None:
    """Refuse to find a bucket that is deleted by its name alone.

    Raises:
        ApiError: 404.
    """
    table, name = call.world.table(BUCKETS), str(call.params["bucket"])
    if f"b/{name}" not in table and table.starting(BY_KEY, f"b/{name}#"):
        raise not_found("The specified bucket does not exist.", name=name)


def _deleted_bucket(call: Call) -> tuple[str, JsonObject]:
    name, generation = str(call.params["bucket"]), str(call.params.get("generation") or "")
    if not generation:
        raise invalid("The generation of the bucket must be given.", location="generation")
    for key in (f"b/{name}#{generation}", f"b/{name}"):
        found = call.world.table(BUCKETS).get(key)
        if found is not None and found.get("softDeleteTime"):
            return key, found
    raise not_found("The specified bucket does not exist.", name=name)


def _change(call: Call) -> JsonObject:
    before = require_bucket(call, str(call.params["bucket"]))
    if not before:
        raise LeftToConventionsError
    check_generations(call, before)
    if call.id.endswith(".patch"):
        after = apply_merge_patch(before, call.body)
        call.body = {key: after.get(key) for key in call.body}
    call.answer_by_conventions()
    return _store(call, before)


def _delete(call: Call) -> None:
    """Answers `delete`; a bucket can be restored for as long as it keeps deleted objects."""
    name = str(call.params["bucket"])
    if call.world.table(OBJECTS).find(_KEPT_OBJECTS, (f"b/{name}",)):
        text = "The bucket you tried to delete is not empty."
        raise ApiError(409, text, reason="conflict", code_name="ABORTED")
    row = call.world.table(BUCKETS).get(f"b/{name}")
    if row is None:
        _check_deleted(call)
        raise LeftToConventionsError
    check_generations(call, row)
    seconds = int((row.get("softDeletePolicy") or {}).get("retentionDurationSeconds") or 0)
    if seconds and "generation" in row:
        now = call.world.clock.now()
        gone = rfc3339(now + timedelta(seconds=seconds))
        kept = {**row, "softDeleteTime": rfc3339(now), "hardDeleteTime": gone}
        call.world.put(BUCKETS, f"b/{name}#{row['generation']}", kept)
    raise LeftToConventionsError


def _restore(call: Call) -> JsonObject:
    key, row = _deleted_bucket(call)
    name = str(call.params["bucket"])
    if key != f"b/{name}" and f"b/{name}" in call.world.table(BUCKETS):
        raise ApiError(409, "The bucket is there already.", reason="conflict")
    kept = {k: each for k, each in row.items() if k not in {"softDeleteTime", "hardDeleteTime"}}
    call.world.delete(BUCKETS, key)
    call.world.put(BUCKETS, f"b/{name}", kept)
    return with_access(call, kept, kept, "buckets")


def _lock(call: Call) -> JsonObject:
    _, key, _, row = find_bucket(call)
    check_generations(call, row)
    policy = row.get("retentionPolicy")
    if not policy:
        raise invalid("The bucket has no retention policy to lock.", location="bucket")
    count = str(int(row.get("metageneration") or 1) + 1)
    after = {**row, "retentionPolicy": {**policy, "isLocked": True}, "metageneration": count}
    call.world.put(BUCKETS, key, after)
    return with_access(call, after, after, "buckets")


def _layout(call: Call) -> JsonObject:
    row = require_bucket(call, str(call.params["bucket"]))
    told = ("location", "locationType", "customPlacementConfig", "hierarchicalNamespace")
    found = {name: row[name] for name in told if name in row}
    return {"kind": "storage#storageLayout", "bucket": str(call.params["bucket"]), **found}


def _set_policy(call: Call) -> None:
    check_policy(call, require_bucket(call, str(call.params["bucket"])))


def _service_account(call: Call) -> JsonObject:
    project = project_of(call, f"projects/{call.params['projectId']}")[1]
    email = f"service-{project}@gs-project-accounts.iam.gserviceaccount.com"
    return {"kind": "storage#serviceAccount", "email_address": email}


def _create_key(call: Call) -> JsonObject:
    """Answers `hmacKeys.create`: the secret is told once."""
    project, email = str(call.params["projectId"]), str(call.params["serviceAccountEmail"])
    ids, now = call.world.ids, rfc3339(call.world.clock.now())
    ident = f"GOOG1E{ids.base36(_KEYS, 55).upper()}"
    secret = b64encode(bytes.fromhex(ids.hex(f"{_KEYS}/secrets", 60))).decode()
    row: JsonObject = {
        "kind": "storage#hmacKeyMetadata", "id": f"{project}/{ident}", "accessId": ident,
        "projectId": project, "serviceAccountEmail": email, "state": "ACTIVE", "timeCreated": now,
        "selfLink": f"https://www.googleapis.com/storage/v1/projects/{project}/hmacKeys/{ident}",
        "updated": now,
    }  # fmt: skip
    row["etag"] = etag(row).strip('"')
    call.world.put(_KEYS, f"projects/{project}/hmacKeys/{ident}", row)
    call.world.put("storage:v1/hmacSecrets", ident, {"secret": secret})
    return {"kind": "storage#hmacKey", "metadata": row, "secret": secret}


def _key_of(call: Call) -> tuple[str, JsonObject]:
    key = f"projects/{call.params['projectId']}/hmacKeys/{call.params['accessId']}"
    found = call.world.table(_KEYS).get(key)
    if found is None or found.get("state") == "DELETED":
        raise not_found("Access ID not found in project.", name=key)
    return key, found


def _change_key(call: Call) -> JsonObject:
    """Answers `hmacKeys.update` and, for a key that is inactive, `delete`."""
    key, row = _key_of(call)
    state = "DELETED" if call.id.endswith(".delete") else str(call.body.get("state") or "")
    if state == "DELETED" and row.get("state") != "INACTIVE":
        raise invalid("Cannot delete keys in ACTIVE state.", location="state")
    if state not in {"ACTIVE", "INACTIVE", "DELETED"}:
        raise invalid(f"Invalid value '{state}' for state.", location="state")
    after = {**row, "state": state, "updated": rfc3339(call.world.clock.now())}
    after["etag"] = etag(after).strip('"')
    call.world.put(_KEYS, key, after)
    return after


def _insert_notification(call: Call) -> JsonObject:
    """Answers `notifications.insert`: they are numbered in their bucket."""
    bucket, body = str(call.params["bucket"]), call.body
    require_bucket(call, bucket)
    if not str(body.get("topic") or "").rpartition("/topics/")[2]:
        raise ApiError(400, "Required", reason="required", location="topic")
    wrong = next((each for each in body.get("event_types") or () if each not in _EVENTS), "")
    if wrong:
        raise invalid(f"Invalid value '{wrong}' for event_types.", location="event_types")
    table, parent = call.world.table(_NOTIFICATIONS), f"b/{bucket}/notificationConfigs"
    number = len(table.find(by_parent(1), (parent,))) + 1
    while f"{parent}/{number}" in table:
        number += 1
    body["id"] = str(number)
    return call.answer_by_conventions()


def notify(
    call: Call, bucket: str, event: str, row: JsonMapping, before: JsonMapping | None = None
) -> None:
    """Publish what happened to an object to the topics of its bucket's notifications.

    Args:
        call: The call.
        bucket: The bucket.
        event: `OBJECT_FINALIZE` and the like.
        row: The object.
        before: The generation that it replaced, or None.
    """
    table = call.world.table(_NOTIFICATIONS)
    parent = f"b/{bucket}/notificationConfigs"
    several = table.find(by_parent(1), (parent,))[:_MOST_NOTIFICATIONS] if len(table) else ()
    for config in several:
        kinds, start = config.get("event_types"), str(config.get("object_name_prefix") or "")
        if (kinds and event not in kinds) or not str(row.get("name")).startswith(start):
            continue
        form = str(config.get("payload_format") or "JSON_API_V1")
        told: dict[str, Json] = {
            **(config.get("custom_attributes") or {}),
            "notificationConfig": f"projects/_/buckets/{bucket}/notificationConfigs/{config['id']}",
            "eventType": event,
            "payloadFormat": form,
            "bucketId": bucket,
            "objectId": row.get("name"),
            "objectGeneration": str(row.get("generation", "")),
            "eventTime": rfc3339(call.world.clock.now()),
        }
        if before is not None:
            told["overwroteGeneration"] = str(before.get("generation", ""))
        message: JsonObject = {"attributes": told}
        if form != "NONE":
            message["data"] = b64encode(dumps(dict(row))).decode()
        topic = str(config.get("topic", "")).removeprefix("//pubsub.googleapis.com/")
        try:
            call.ask("pubsub.projects.topics.publish", {"topic": topic}, {"messages": [message]})
        except ApiError as error:
            if error.status != 404:  # of a topic that is gone nobody hears
                raise


HANDLERS: Mapping[str, Handler] = {
    "storage.buckets.insert": _insert,
    "storage.buckets.get": _get,
    "storage.buckets.patch": _change,
    "storage.buckets.update": _change,
    "storage.buckets.delete": _delete,
    "storage.buckets.restore": _restore,
    "storage.buckets.lockRetentionPolicy": _lock,
    "storage.buckets.getStorageLayout": _layout,
    "storage.buckets.setIamPolicy": _set_policy,
    "storage.projects.serviceAccount.get": _service_account,
    "storage.projects.hmacKeys.create": _create_key,
    "storage.projects.hmacKeys.update": _change_key,
    "storage.projects.hmacKeys.delete": lambda call: _change_key(call) and None,
    "storage.projects.hmacKeys.get": lambda call: _key_of(call)[1],
    "storage.notifications.insert": _insert_notification,
}
