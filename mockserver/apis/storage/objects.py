"""Objects of Storage: each write is a new generation; what it replaces stays in versioned buckets.

Lists, buckets and lists of access are answered by conventions. Source: the reference of Storage;
not verified: the words about a source of a composition that is not there.
"""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import md5
from urllib.parse import quote

from mockserver.collections import BY_KEY
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    LeftToConventionsError,
    Media,
    MediaKey,
    etag,
    invalid,
    not_found,
    precondition,
    update_resource,
)
from mockserver.googleapi.facts import known_facts
from mockserver.googleapi.masks import EVERY
from mockserver.googleapi.scalars import crc32c
from mockserver.model import Json, JsonMapping, JsonObject
from mockserver.state import rfc3339

_OBJECTS = "storage:v1/objects"
_BUCKETS = "storage:v1/buckets"
_ROOT = "https://www.googleapis.com"
_DOWNLOADS = "https://storage.googleapis.com/download"
_MOST_SOURCES = 32
_COPIED = (
    "contentType", "contentEncoding", "contentDisposition", "contentLanguage", "cacheControl",
    "metadata", "storageClass", "md5Hash", "crc32c", "size", "componentCount",
)  # fmt: skip
_MADE = (
    "kind", "id", "name", "bucket", "generation", "metageneration", "selfLink", "mediaLink", "size",
    "md5Hash", "crc32c", "timeCreated", "updated", "etag", "timeDeleted", "componentCount",
)  # fmt: skip
"""Fields that only the service writes."""


def _path(bucket: str, name: str) -> str:
    return f"b/{bucket}/o/{name.replace('/', '%2F')}"


def _content_key(bucket: str, name: str, generation: str = "") -> MediaKey:
    """Where an object's content is downloaded; that of an earlier generation is kept beside it."""
    more = (("generation", generation),) if generation else ()
    return "storage.objects.get", (("bucket", bucket), *more, ("object", name))


def _missing(call: Call, bucket: str, name: str) -> ApiError:
    error = not_found(f"No such object: {bucket}/{name}", name=f"{bucket}/{name}")
    return known_facts(call.world, "storage").worded(
        error, "get", "Object", call, _path(bucket, name)
    )


def _require_bucket(call: Call, bucket: str) -> JsonMapping:
    """The bucket; an empty row where the session tells it by its objects alone.

    Raises:
        ApiError: 404.
    """
    found = call.world.table(_BUCKETS).get(f"b/{bucket}")
    if found is not None:
        return found
    rows = call.world.table(_OBJECTS)
    if not any(rows.starting(BY_KEY, f"b/{each}/o/") for each in (bucket, "-")):
        raise not_found("The specified bucket does not exist.", name=bucket)
    return {}


def _live_object(call: Call, bucket: str, name: str) -> JsonObject | None:
    """The live generation of an object, or None."""
    rows = call.world.table(_OBJECTS)
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
    if generation and (found is None or str(found.get("generation", "")) != generation):
        found = call.world.table(_OBJECTS).get(f"{_path(bucket, name)}#{generation}")
    if found is None:
        raise _missing(call, bucket, name)
    return found


def _check(call: Call, found: JsonMapping | None, *, source: bool = False) -> None:
    """Refuse a call whose preconditions an object does not meet; none is of generation 0.

    Raises:
        ApiError: 412; 304 where a read says what it has already.
    """
    for field in ("generation", "metageneration"):
        own = "0" if found is None else str(found.get(field, "1"))
        stem = f"if{'Source' if source else ''}{field.capitalize()}"
        wanted, unwanted = call.params.get(f"{stem}Match"), call.params.get(f"{stem}NotMatch")
        if unwanted is not None and str(unwanted) == own and call.id.endswith(".get"):
            raise ApiError(304, "Not Modified", reason="notModified")
        if (wanted is not None and str(wanted) != own) or (
            unwanted is not None and str(unwanted) == own
        ):
            raise precondition("At least one of the pre-conditions you specified did not hold.")


def _content(call: Call, row: JsonMapping, bucket: str, name: str) -> bytes:
    """The content of an object.

    Raises:
        ApiError: 501: a fixture holds the object without it.
    """
    generation, live = str(row.get("generation", "")), not row.get("timeDeleted")
    key = _content_key(bucket, name, "" if live else generation)
    media = call.contents.get(key) if call.contents else None
    if media is None:
        text = (
            f"{call.id} needs the content of {bucket}/{name}, which nothing in this session holds."
        )
        raise ApiError(501, text, reason="notImplemented", code_name="UNIMPLEMENTED")
    return media.content


def _retire(call: Call, bucket: str, name: str, row: JsonObject) -> None:
    """Take an object away; in a versioned bucket it stays as an earlier generation."""
    versioning = _require_bucket(call, bucket).get("versioning") or {}
    generation = str(row.get("generation", ""))
    if versioning.get("enabled") and generation:
        key, now = _content_key(bucket, name), rfc3339(call.world.clock.now())
        media = call.contents.get(key) if call.contents else None
        if media is not None and call.contents is not None:
            call.contents.put(_content_key(bucket, name, generation), media)
        call.world.put(_OBJECTS, f"{_path(bucket, name)}#{generation}", {**row, "timeDeleted": now})
    for each in (bucket, "-"):
        if _path(each, name) in call.world.table(_OBJECTS):
            call.world.delete(_OBJECTS, _path(each, name))


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
    own = _require_bucket(call, bucket)
    before = _live_object(call, bucket, name)
    _check(call, before)
    if before is not None:
        _retire(call, bucket, name, before)
    now = call.world.clock.now()
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
        **{key: each for key, each in given.items() if key not in _MADE and each is not None},
        **made,
        "timeCreated": moment,
        "updated": moment,
        "timeStorageClassUpdated": moment,
    }
    row["etag"] = etag(row).strip('"')
    call.world.put(_OBJECTS, _path(bucket, name), row)
    return row


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
    kind = call.body.get("contentType") or media.content_type
    return _put(call, bucket, name, call.body, {**made, "contentType": kind})


def _get(call: Call) -> JsonObject:
    bucket, name = str(call.params["bucket"]), str(call.params["object"])
    if call.params.get("softDeleted"):
        raise LeftToConventionsError
    found = _of_generation(call, bucket, name, str(call.params.get("generation", "")))
    _check(call, found)
    return found


def _change(call: Call) -> JsonObject:
    """Answers `patch` and `update`: what is said of an object, not its content."""
    bucket, name = str(call.params["bucket"]), str(call.params["object"])
    before = _of_generation(call, bucket, name, str(call.params.get("generation", "")))
    _check(call, before)
    is_patch = call.id.endswith(".patch")
    paths = [(each,) for each in call.body] if is_patch else [(EVERY,)]
    after = update_resource(before, call.body, paths, (*_MADE, "timeStorageClassUpdated"))
    kept: dict[str, Json] = {key: each for key, each in after.items() if each is not None}
    if not is_patch and "contentType" not in kept and "contentType" in before:
        kept["contentType"] = before["contentType"]
    kept["metageneration"] = str(int(before.get("metageneration") or 1) + 1)
    kept["updated"] = rfc3339(call.world.clock.now())
    kept["etag"] = etag(kept).strip('"')
    rows = call.world.table(_OBJECTS)
    end = f"#{before.get('generation')}" if before.get("timeDeleted") else ""
    places = [f"{_path(each, name)}{end}" for each in (bucket, "-")]
    call.world.put(_OBJECTS, next(each for each in places if each in rows), kept)
    return kept


def _delete(call: Call) -> None:
    bucket, name = str(call.params["bucket"]), str(call.params["object"])
    generation = str(call.params.get("generation", ""))
    found = _of_generation(call, bucket, name, generation)
    _check(call, found)
    if found.get("timeDeleted"):
        call.world.delete(_OBJECTS, f"{_path(bucket, name)}#{generation}")
    elif generation:  # that generation itself is deleted, for good
        call.world.delete(_OBJECTS, _path(bucket, name))
    else:
        _retire(call, bucket, name, found)


def _compose(call: Call) -> JsonObject:
    bucket, name = str(call.params["destinationBucket"]), str(call.params["destinationObject"])
    sources = call.body.get("sourceObjects") or []
    if not 0 < len(sources) <= _MOST_SOURCES:
        text = f"The number of source components provided ({len(sources)}) is not in [1, 32]."
        raise invalid(text, location="sourceObjects")
    parts, count = [], 0
    first: JsonObject = {}
    for each in sources:
        source = str(each.get("name", ""))
        row = _of_generation(call, bucket, source, str(each.get("generation") or ""))
        wanted = (each.get("objectPreconditions") or {}).get("ifGenerationMatch")
        if wanted is not None and str(wanted) != str(row.get("generation")):
            raise precondition("At least one of the pre-conditions you specified did not hold.")
        parts.append(_content(call, row, bucket, source))
        count += int(row.get("componentCount") or 1)
        first = first or row
    content = b"".join(parts)
    made = {**_checksums(content), "componentCount": count}
    del made["md5Hash"]  # composite objects have none
    given = dict(call.body.get("destination") or {})
    kind = given.get("contentType") or first.get("contentType") or "application/octet-stream"
    row = _put(call, bucket, name, given, {**made, "contentType": kind})
    _keep(call, bucket, name, Media(content, str(kind)))
    return row


def _keep(call: Call, bucket: str, name: str, media: Media) -> None:
    if call.contents is not None:
        call.contents.put(_content_key(bucket, name), media)


def _copy(call: Call) -> JsonObject:
    """Answers `copyTo`: an object as it is, or with what the body says of it instead."""
    params = call.params
    bucket = str(params.get("sourceBucket") or params["bucket"])
    source, name = str(params["sourceObject"]), str(params["destinationObject"])
    target = str(params.get("destinationBucket") or bucket)
    row = _of_generation(call, bucket, source, str(params.get("sourceGeneration") or ""))
    _check(call, row, source=True)
    content = _content(call, row, bucket, source)
    made = {key: row[key] for key in _COPIED if key in row}
    given = {key: each for key, each in call.body.items() if key not in _MADE}
    found = _put(call, target, name, {}, {**made, **given})
    _keep(call, target, name, Media(content, str(found.get("contentType", ""))))
    return found


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


def _delete_bucket(call: Call) -> None:
    """Answers `buckets.delete` of one that is not empty; conventions delete the others."""
    prefix = f"b/{call.params['bucket']}/o/"
    if call.world.table(_OBJECTS).starting(BY_KEY, prefix):
        text = "The bucket you tried to delete is not empty."
        raise ApiError(409, text, reason="conflict", code_name="ABORTED")
    raise LeftToConventionsError


HANDLERS: Mapping[str, Handler] = {
    "storage.objects.insert": _insert,
    "storage.objects.get": _get,
    "storage.objects.patch": _change,
    "storage.objects.update": _change,
    "storage.objects.delete": _delete,
    "storage.objects.compose": _compose,
    "storage.objects.copy": _copy,
    "storage.objects.rewrite": _rewrite,
    "storage.objects.move": _move,
    "storage.buckets.delete": _delete_bucket,
}
