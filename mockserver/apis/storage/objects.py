"""Objects of Storage: each write is a new generation; what it replaces stays in versioned buckets.

What is deleted can be restored where its bucket says so; holds and retention forbid to delete.
Source: the reference of Storage, and its clients' tests; not verified: texts of refusals.
"""

from base64 import b64encode
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import md5
from urllib.parse import quote

from mockserver.apis.storage.access import access_handlers, with_access, with_given_access
from mockserver.apis.storage.buckets import (
    BUCKETS,
    OBJECTS,
    check_etags,
    check_generations,
    find_bucket,
    notify,
    require_bucket,
)
from mockserver.apis.storage.buckets import HANDLERS as OF_BUCKETS
from mockserver.apis.storage.contents import (
    content_key,
    customer_key,
    download_of,
    require_content,
    require_key,
)
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    Media,
    apply_merge_patch,
    etag,
    forbidden,
    invalid,
    not_found,
    precondition,
)
from mockserver.googleapi.masks import replace_resource
from mockserver.googleapi.scalars import crc32c
from mockserver.model import Json, JsonMapping, JsonObject
from mockserver.state import parse_rfc3339, rfc3339

_ROOT = "https://www.googleapis.com"
_DOWNLOADS = "https://storage.googleapis.com/download"
_MOST_SOURCES = 32
_COPIED = (
    "contentType", "contentEncoding", "contentDisposition", "contentLanguage", "cacheControl",
    "metadata", "storageClass", "md5Hash", "crc32c", "size", "componentCount", "customTime",
    "contexts",
)  # fmt: skip
_MADE = (
    "kind", "id", "name", "bucket", "generation", "metageneration", "selfLink", "mediaLink", "size",
    "md5Hash", "crc32c", "timeCreated", "updated", "etag", "timeDeleted", "componentCount",
    "softDeleteTime", "hardDeleteTime", "customerEncryption", "retentionExpirationTime", "owner",
    "timeStorageClassUpdated",
)  # fmt: skip
"""Fields that only the service writes."""


def _path(bucket: str, name: str) -> str:
    return f"b/{bucket}/o/{name.replace('/', '%2F')}"


def _missing(bucket: str, name: str) -> ApiError:
    return not_found(f"No such object: {bucket}/{name}", name=f"{bucket}/{name}")


def _live_object(call: Call, bucket: str, name: str) -> JsonObject | None:
    """The live generation of an object, or None."""
    rows = call.world.table(OBJECTS)
    for each in (bucket, "-"):
        found = rows.get(_path(each, name))
        if found is not None and not found.get("timeDeleted"):
            return found
    return None


def _of_generation(call: Call, bucket: str, name: str, generation: str) -> JsonObject:
    """The generation of an object that is asked for, or the live one.

    Raises:
        ApiError: 404.
    """
    found = _live_object(call, bucket, name)
    wants_deleted = call.params.get("softDeleted") is True
    if wants_deleted or (
        generation and (found is None or str(found.get("generation", "")) != generation)
    ):
        found = call.world.table(OBJECTS).get(f"{_path(bucket, name)}#{generation}")
    if found is None or bool(found.get("softDeleteTime")) is not wants_deleted:
        raise _missing(bucket, name)
    return found


def _check(call: Call, found: JsonMapping | None, *, source: bool = False) -> None:
    """Refuse a call whose preconditions an object does not meet; none is of generation 0.

    Raises:
        ApiError: 412; 304 where a read says what it has already.
    """
    if not source:
        check_etags(call, found)
    check_generations(call, found, "ifSource" if source else "if")


def _moment(text: Json) -> datetime | None:
    return parse_rfc3339(str(text)) if text else None


def _kept_until(call: Call, row: JsonMapping, bucket: JsonMapping) -> datetime | None:
    """The time before which an object may not be deleted, or None."""
    period = int((bucket.get("retentionPolicy") or {}).get("retentionPeriod") or 0)
    made = _moment(row.get("timeCreated"))
    by_policy = made + timedelta(seconds=period) if period and made else None
    own = _moment((row.get("retention") or {}).get("retainUntilTime"))
    several = [each for each in (by_policy, own) if each is not None]
    return max(several) if several and not row.get("eventBasedHold") else None


def _check_kept(call: Call, row: JsonMapping, bucket: JsonMapping, *, archives: bool) -> None:
    """Refuse to delete what is held, or retained.

    Raises:
        ApiError: 403.
    """
    name = f"{row.get('bucket')}/{row.get('name')}"
    for field, words in (("eventBasedHold", "Event-Based"), ("temporaryHold", "Temporary")):
        if row.get(field):
            text = f"Object '{name}' is under active {words} hold and cannot be deleted, "
            raise forbidden(f"{text}overwritten or archived until hold is removed.")
    until = _kept_until(call, row, bucket)
    if until is not None and until > call.world.clock.now() and not archives:
        text = f"Object '{name}' is subject to bucket's retention policy or object retention "
        raise forbidden(f"{text}and cannot be deleted or overwritten until {rfc3339(until)}")


def _retire(call: Call, bucket: str, name: str, row: JsonObject, *, for_good: bool = False) -> None:
    """Take a generation of an object away; it stays where its bucket keeps what is deleted.

    Args:
        call: The call.
        bucket: Its bucket.
        name: Its name.
        row: The generation.
        for_good: Whether a versioned bucket does not keep it, because it is named itself.
    """
    own, world = require_bucket(call, bucket), call.world
    is_live, generation = not row.get("timeDeleted"), str(row.get("generation", ""))
    archives = is_live and not for_good and bool((own.get("versioning") or {}).get("enabled"))
    _check_kept(call, row, own, archives=archives)
    now, old = world.clock.now(), f"{_path(bucket, name)}#{generation}"
    seconds = int((own.get("softDeletePolicy") or {}).get("retentionDurationSeconds") or 0)
    kept: JsonObject = {}
    if archives:
        kept = {"timeDeleted": rfc3339(now)}
    elif seconds:
        gone = rfc3339(now + timedelta(seconds=seconds))
        kept = {"softDeleteTime": rfc3339(now), "hardDeleteTime": gone}
    if is_live and kept and generation:
        media = call.contents.get(content_key(bucket, name)) if call.contents else None
        if media is not None and call.contents is not None:
            call.contents.put(content_key(bucket, name, generation), media)
    if kept and generation:
        world.put(OBJECTS, old, {**row, **kept})
    elif not is_live:
        world.delete(OBJECTS, old)
    for each in (bucket, "-") if is_live else ():
        if _path(each, name) in world.table(OBJECTS):
            world.delete(OBJECTS, _path(each, name))
    notify(call, bucket, "OBJECT_ARCHIVE" if archives else "OBJECT_DELETE", row)


def _put(call: Call, bucket: str, name: str, given: JsonMapping, made: JsonMapping) -> JsonObject:
    """Write a new generation of an object.

    Args:
        call: The call.
        bucket: Its bucket.
        name: Its name.
        given: What the caller says of it.
        made: What the service knows of its content.

    Raises:
        ApiError: 404 for the bucket, 412 for a precondition.
    """
    own = require_bucket(call, bucket)
    before = _live_object(call, bucket, name)
    _check(call, before)
    if before is not None:
        _retire(call, bucket, name, before)
    now = call.world.clock.now()
    if given.get("retention") and "objectRetention" not in own:
        raise invalid("Object retention is not enabled on this bucket.", location="retention")
    generation = str(
        int(now.timestamp() * 1_000_000) + int(call.world.ids.hex("generation", 3), 16)
    )
    if before is not None and int(before.get("generation") or 0) >= int(generation):
        generation = str(int(before["generation"]) + 1)
    moment, link = rfc3339(now), f"/storage/v1/b/{bucket}/o/{quote(name, safe='')}"
    row: JsonObject = {
        "kind": "storage#object",
        "id": f"{bucket}/{name}/{generation}",
        "selfLink": f"{_ROOT}{link}",
        "mediaLink": f"{_DOWNLOADS}{link}?generation={generation}&alt=media",
        "name": name,
        "bucket": bucket,
        "generation": generation,
        "metageneration": "1",
        "storageClass": own.get("storageClass", "STANDARD"),
        **({"eventBasedHold": True} if own.get("defaultEventBasedHold") else {}),
        **_with_contexts({}, _settable_fields(given), moment),
        **_encryption(call, own, given),
        **made,
        **({"owner": {"entity": f"user-{call.caller.email}"}} if call.caller.email else {}),
        "timeCreated": moment,
        "updated": moment,
        "timeStorageClassUpdated": moment,
    }
    row["etag"] = etag(row).strip('"')
    row = with_given_access(call, row, own, "objects")
    call.world.put(OBJECTS, _path(bucket, name), row)
    notify(call, bucket, "OBJECT_FINALIZE", row, before)
    return row


def _settable_fields(body: JsonMapping) -> JsonObject:
    """What a caller may say of an object."""
    return {key: each for key, each in body.items() if key not in _MADE and each is not None}


def _encryption(call: Call, bucket: JsonMapping, given: JsonMapping) -> JsonObject:
    """What an object tells of the key that it is encrypted with."""
    key = customer_key(call)
    if key:
        return {"customerEncryption": {"encryptionAlgorithm": "AES256", "keySha256": key}}
    usual = (bucket.get("encryption") or {}).get("defaultKmsKeyName")
    names = (call.params.get("kmsKeyName"), call.params.get("destinationKmsKeyName"))
    asked = next((each for each in (*names, given.get("kmsKeyName"), usual) if each), "")
    name = str(asked).partition("/cryptoKeyVersions/")[0]
    return {"kmsKeyName": f"{name}/cryptoKeyVersions/1"} if name else {}


def _with_contexts(before: JsonMapping, row: JsonObject, now: str) -> JsonObject:
    """An object with the times of its contexts."""
    custom = (row.get("contexts") or {}).get("custom")
    if not custom:
        return {key: each for key, each in row.items() if key != "contexts"}
    old = (before.get("contexts") or {}).get("custom") or {}
    told: JsonObject = {}
    for key, each in custom.items():
        if each.get("value") is None:
            continue
        made = (old.get(key) or {}).get("createTime", now)
        told[key] = {"value": each.get("value"), "createTime": made, "updateTime": now}
    return {**row, "contexts": {"custom": told}}


def visible_object(call: Call, row: JsonObject, bucket: JsonMapping | None = None) -> JsonObject:
    """What callers see of an object: access and owner where they ask for all."""
    name = str(row.get("bucket") or call.params.get("bucket") or "")
    own = bucket if bucket is not None else call.world.table(BUCKETS).get(f"b/{name}") or {}
    until = _kept_until(call, row, own)
    if until is not None:
        row = {**row, "retentionExpirationTime": rfc3339(until)}
    return with_access(call, row, own, "objects")


def _checksums(content: bytes) -> JsonObject:
    """What the service tells of a content."""
    return {
        "size": str(len(content)),
        "crc32c": b64encode(crc32c(content).to_bytes(4, "big")).decode(),
        "md5Hash": b64encode(md5(content, usedforsecurity=False).digest()).decode(),
    }


def _insert(call: Call) -> JsonObject:
    bucket = str(call.params["bucket"])
    name = str(call.params.get("name") or call.body.get("name") or "")
    if not name:
        raise ApiError(400, "Required", reason="required", location="name")
    media = call.media or Media(b"", "application/octet-stream")
    made = _checksums(media.content)
    for field in ("md5Hash", "crc32c"):
        if call.body.get(field, made[field]) != made[field]:
            raise invalid(f"Provided {field} doesn't match calculated value.", location=field)
    coding = call.params.get("contentEncoding")
    given = {**call.body, "contentEncoding": coding} if coding else call.body
    kind = given.get("contentType") or media.content_type
    row = _put(call, bucket, name, given, {**made, "contentType": kind})
    keep_content(call, bucket, name, Media(media.content, str(kind)))
    return visible_object(call, row)


def _get(call: Call) -> JsonObject:
    bucket, name = str(call.params["bucket"]), str(call.params["object"])
    found = _of_generation(call, bucket, name, str(call.params.get("generation", "")))
    _check(call, found)
    if call.is_download:
        require_key(call, found)
        call.download = download_of(call, found, bucket, name)
        return found
    if "customerEncryption" in found and not customer_key(call):
        found = {key: each for key, each in found.items() if key not in {"md5Hash", "crc32c"}}
    return visible_object(call, found)


def _change(call: Call) -> JsonObject:
    """Answers `patch` and `update`: what is said of an object, not its content."""
    bucket = str(call.params["bucket"])
    key, before = find_object(call)
    _check(call, before)
    is_patch, own = call.id.endswith(".patch"), require_bucket(call, bucket)
    given = {key: each for key, each in call.body.items() if key not in _MADE}
    _check_retention(call, before, given, is_patch=is_patch)
    after = apply_merge_patch(before, given) if is_patch else replace_resource(before, given, _MADE)
    kept: dict[str, Json] = {key: each for key, each in after.items() if each is not None}
    kept = _with_contexts(before, kept, rfc3339(call.world.clock.now()))
    if not kept.get("retention"):
        kept.pop("retention", None)
    if before.get("eventBasedHold") and not kept.get("eventBasedHold") and own:
        kept["eventBasedHold"] = False
    if not is_patch and "contentType" not in kept and "contentType" in before:
        kept["contentType"] = before["contentType"]
    kept["metageneration"] = str(int(before.get("metageneration") or 1) + 1)
    kept["updated"] = rfc3339(call.world.clock.now())
    kept["etag"] = etag(kept).strip('"')
    kept = with_given_access(call, kept, own, "objects")
    call.world.put(OBJECTS, key, kept)
    notify(call, bucket, "OBJECT_METADATA_UPDATE", kept)
    return visible_object(call, kept)


def _check_retention(
    call: Call, before: JsonMapping, given: JsonMapping, *, is_patch: bool
) -> None:
    """Refuse to shorten the retention of an object; an unlocked one may be overridden.

    Raises:
        ApiError: 403.
    """
    old = before.get("retention") or {}
    if not old or ("retention" not in given and is_patch):
        return
    new = given.get("retention") or {}
    was, will = _moment(old.get("retainUntilTime")), _moment(new.get("retainUntilTime"))
    shortens = was is not None and (will is None or will < was)
    overrides = call.params.get("overrideUnlockedRetention") is True
    if shortens and (old.get("mode") == "Locked" or not overrides):
        raise forbidden("The retention of the object cannot be reduced or removed.")


def _delete(call: Call) -> None:
    bucket, name = str(call.params["bucket"]), str(call.params["object"])
    generation = str(call.params.get("generation", ""))
    found = _of_generation(call, bucket, name, generation)
    _check(call, found)
    _retire(call, bucket, name, found, for_good=bool(generation))


def _compose(call: Call) -> JsonObject:
    bucket, name = str(call.params["destinationBucket"]), str(call.params["destinationObject"])
    sources = call.body.get("sourceObjects") or []
    if not 0 < len(sources) <= _MOST_SOURCES:
        text = f"The number of source components provided ({len(sources)}) is not in [1, 32]."
        raise invalid(text, location="sourceObjects")
    parts, count = [], 0
    rows: list[tuple[str, JsonObject]] = []
    for each in sources:
        source = str(each.get("name", ""))
        row = _of_generation(call, bucket, source, str(each.get("generation") or ""))
        wanted = (each.get("objectPreconditions") or {}).get("ifGenerationMatch")
        if wanted is not None and str(wanted) != str(row.get("generation")):
            raise precondition("At least one of the pre-conditions you specified did not hold.")
        require_key(call, row)
        parts.append(require_content(call, row, bucket, source))
        rows.append((source, row))
        count += int(row.get("componentCount") or 1)
    content = b"".join(parts)
    made = {**_checksums(content), "componentCount": count}
    del made["md5Hash"]  # composite objects have none
    given = dict(call.body.get("destination") or {})
    row = _put(call, bucket, name, given, made)
    kind = given.get("contentType") or "application/octet-stream"
    keep_content(call, bucket, name, Media(content, str(kind)))
    for source, each in rows if call.body.get("deleteSourceObjects") is True else ():
        if source != name:
            _retire(call, bucket, source, each, for_good=True)
    return visible_object(call, row)


def keep_content(call: Call, bucket: str, name: str, media: Media) -> None:
    """Keep the content of an object where it is downloaded."""
    if call.contents is not None:
        call.contents.put(content_key(bucket, name), media)


def _copy(call: Call) -> JsonObject:
    """Answers `copyTo`: an object as it is, or with what the body says of it instead."""
    params = call.params
    bucket = str(params.get("sourceBucket") or params["bucket"])
    source, name = str(params["sourceObject"]), str(params["destinationObject"])
    target = str(params.get("destinationBucket") or bucket)
    row = _of_generation(call, bucket, source, str(params.get("sourceGeneration") or ""))
    _check(call, row, source=True)
    require_key(call, row, "copy-source-")
    content = require_content(call, row, bucket, source)
    made = {key: row[key] for key in _COPIED if key in row}
    given = {key: each for key, each in call.body.items() if key not in _MADE}
    found = _put(call, target, name, {}, {**made, **given})
    keep_content(call, target, name, Media(content, str(found.get("contentType", ""))))
    return visible_object(call, found)


def _rewrite(call: Call) -> JsonObject:
    found = _copy(call)
    size = found.get("size", "0")
    return {"kind": "storage#rewriteResponse", "totalBytesRewritten": size, "objectSize": size,
            "done": True, "resource": found}  # fmt: skip


def _move(call: Call) -> JsonObject:
    bucket, name = str(call.params["bucket"]), str(call.params["sourceObject"])
    found, before = _copy(call), _live_object(call, bucket, name)
    if before is not None and name != call.params["destinationObject"]:
        _retire(call, bucket, name, before)
    return found


def _restore(call: Call) -> JsonObject:
    """Answers `restore`: a deleted generation becomes the live one, as a new generation."""
    bucket, name = str(call.params["bucket"]), str(call.params["object"])
    call.params["softDeleted"] = True
    row = _of_generation(call, bucket, name, str(call.params.get("generation", "")))
    del call.params["softDeleted"]
    content = require_content(call, row, bucket, name)
    made = {key: row[key] for key in (*_COPIED, "customerEncryption") if key in row}
    found = _put(call, bucket, name, {}, made)
    keep_content(call, bucket, name, Media(content, str(found.get("contentType", ""))))
    call.world.delete(OBJECTS, f"{_path(bucket, name)}#{row.get('generation')}")
    return visible_object(call, found)


def find_object(call: Call) -> tuple[str, JsonObject]:
    """The key and the row of the object that a call names; raises ApiError."""
    bucket, name = str(call.params["bucket"]), str(call.params["object"])
    found = _of_generation(call, bucket, name, str(call.params.get("generation", "")))
    end = f"#{found.get('generation')}" if found.get("timeDeleted") else ""
    rows = call.world.table(OBJECTS)
    places = [f"{_path(each, name)}{end}" for each in (bucket, "-")]
    return next(each for each in places if each in rows), found


def _of_object(call: Call) -> tuple[str, str, JsonObject, JsonMapping]:
    return OBJECTS, *find_object(call), require_bucket(call, str(call.params["bucket"]))


HANDLERS: Mapping[str, Handler] = {
    **OF_BUCKETS,
    **access_handlers(find_bucket, _of_object),
    "storage.objects.insert": _insert,
    "storage.objects.get": _get,
    "storage.objects.patch": _change,
    "storage.objects.update": _change,
    "storage.objects.delete": _delete,
    "storage.objects.compose": _compose,
    "storage.objects.copy": _copy,
    "storage.objects.rewrite": _rewrite,
    "storage.objects.move": _move,
    "storage.objects.restore": _restore,
}
