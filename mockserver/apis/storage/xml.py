"""The XML API of Storage, as signed URLs and clients of S3 ask it: it asks the methods of JSON.

Source: the reference of the XML API, and the clients' tests; not verified: texts of refusals.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import md5
from urllib.parse import parse_qsl, unquote
from xml.sax.saxutils import escape

import orjson

from mockserver.apis.storage.contents import content_headers, content_key, require_key
from mockserver.googleapi import (
    ApiError,
    Call,
    Download,
    Media,
    MultipartError,
    boundary_of,
    parse_multipart,
)
from mockserver.googleapi.scalars import crc32c
from mockserver.model import JsonObject
from mockserver.state import parse_rfc3339

_UPLOADS = "storage:v1/multipartUploads"
_SPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
_CODES = {
    400: "InvalidArgument", 401: "AuthenticationRequired", 403: "AccessDenied", 404: "NoSuchKey",
    409: "BucketNotEmpty", 412: "PreconditionFailed", 416: "InvalidRange", 501: "NotImplemented",
}  # fmt: skip
_FIELDS = {
    "contentType": "content-type", "contentEncoding": "content-encoding",
    "contentLanguage": "content-language", "contentDisposition": "content-disposition",
    "cacheControl": "cache-control", "customTime": "x-goog-custom-time",
    "storageClass": "x-goog-storage-class",
}  # fmt: skip
"""Fields of an object to the headers, or fields of a form, that give them."""
_CONDITIONS = {
    "ifGenerationMatch": "x-goog-if-generation-match",
    "ifMetagenerationMatch": "x-goog-if-metageneration-match",
    "predefinedAcl": "x-goog-acl",
    "kmsKeyName": "x-goog-encryption-kms-key-name",
}
_META = "x-goog-meta-"
_FORM = frozenset({
    "key", "bucket", "policy", "file", "acl", "success_action_status", "success_action_redirect",
    "googleaccessid", "signature", "x-goog-algorithm", "x-goog-credential", "x-goog-date",
    "x-goog-signature", "x-goog-acl", *_FIELDS.values(),
})  # fmt: skip
_PART = re.compile(rb"<Part>(.*?)</Part>", re.DOTALL)
_NUMBER = re.compile(rb"<PartNumber>\s*(\d{1,5})\s*</PartNumber>")
_TAG = re.compile(rb"<ETag>([^<]*)</ETag>")


def answer(call: Call) -> None:
    """Answer a request that no method of JSON has: in XML, refusals too."""
    try:
        call.download = _answer(call)
    except ApiError as error:
        is_taken = error.status == 409 and call.params["verb"] == "PUT"
        usual = "BucketAlreadyOwnedByYou" if is_taken else _CODES.get(error.status, "InternalError")
        code = error.reason if error.reason[:1].isupper() else usual
        code = "NoSuchBucket" if "bucket does not exist" in error.message else code
        call.download = _refusal(code, error.message, error.status)
    except (ValueError, OverflowError) as error:  # a number, a time or a policy that cannot be
        call.download = _refusal("InvalidArgument", f"Invalid argument: {error}", 400)


def _refusal(code: str, message: str, status: int) -> Download:
    return _xml("Error", f"<Code>{code}</Code><Message>{escape(message)}</Message>", status)


def _xml(name: str, body: str, status: int = 200) -> Download:
    space = "" if name == "Error" else f" {_SPACE}"
    text = f"{_HEAD}<{name}{space}>{body}</{name}>"
    return Download(text.encode(), "application/xml; charset=UTF-8", status, {})


def _tags(**values: object) -> str:
    return "".join(f"<{name}>{escape(str(each))}</{name}>" for name, each in values.items())


def _answer(call: Call) -> Download:
    verb, query = (
        str(call.params["verb"]),
        dict(parse_qsl(call.params["query"], keep_blank_values=True)),
    )
    bucket, _, name = str(call.params["path"])[1:].partition("/")
    bucket, name = unquote(bucket), unquote(name)
    if not bucket:
        raise ApiError(501, "Buckets are listed over the JSON API.", reason="NotImplemented")
    _check_signature(call, query)
    if not name:
        return _of_bucket(call, verb, bucket, query)
    if "uploads" in query or "uploadId" in query:
        return _multipart(call, verb, bucket, name, query)
    if verb == "GET":
        return _read(call, bucket, name, query)
    if verb == "DELETE":
        call.ask("storage.objects.delete", _object_params(bucket, name, query))
        return Download(b"", "text/html", 204, {})
    if verb == "POST" and b"x-goog-resumable" in call.headers:
        return _begin(call, query)
    if verb == "PUT" and "upload_id" in query:
        return _resume(call, bucket, name, query["upload_id"])
    if verb == "PUT":
        media = call.media or Media(b"")
        return _insert(call, bucket, name, media, _text_headers(call.headers))
    raise ApiError(405, "The specified method is not allowed.", reason="MethodNotAllowed")


def _object_params(bucket: str, name: str, query: Mapping[str, str]) -> JsonObject:
    named: JsonObject = {"bucket": bucket, "object": name}
    return {**named, "generation": query["generation"]} if "generation" in query else named


def _text_headers(headers: Mapping[bytes, bytes]) -> dict[str, str]:
    return {name.decode("latin-1"): each.decode("latin-1") for name, each in headers.items()}


def _insert(
    call: Call, bucket: str, name: str, media: Media, said: Mapping[str, str], status: int = 200
) -> Download:
    body: JsonObject = {field: said[each] for field, each in _FIELDS.items() if each in said}
    meta = {key.removeprefix(_META): v for key, v in said.items() if key.startswith(_META)}
    if meta:
        body["metadata"] = meta
    params: JsonObject = {"bucket": bucket, "name": name}
    params |= {field: said[each] for field, each in _CONDITIONS.items() if each in said}
    row = call.ask("storage.objects.insert", params, body, media)
    told = {**content_headers(row), "etag": _tag(media.content)}
    return Download(b"", "text/html", status, told)


def _tag(content: bytes) -> str:
    return f'"{md5(content, usedforsecurity=False).hexdigest()}"'


def _read(call: Call, bucket: str, name: str, query: Mapping[str, str]) -> Download:
    row = call.ask("storage.objects.get", _object_params(bucket, name, query))
    require_key(call, row)
    is_live = not row.get("timeDeleted")
    key = content_key(bucket, name, "" if is_live else str(row.get("generation", "")))
    media = call.contents.get(key) if call.contents else None
    if media is None:
        raise ApiError(501, f"Nothing in this session holds the content of {bucket}/{name}.")
    said = {"accept-ranges": "bytes", **content_headers(row), "etag": _tag(media.content)}
    if row.get("contentEncoding"):
        said["content-encoding"] = str(row["contentEncoding"])
    kind = query.get("response-content-type") or str(row.get("contentType") or "")
    shown = query.get("response-content-disposition")
    said |= {"content-disposition": shown} if shown else {}
    return Download(media.content, kind or "application/octet-stream", 200, said)


def _of_bucket(call: Call, verb: str, bucket: str, query: Mapping[str, str]) -> Download:
    if verb == "POST":
        return _post_form(call, bucket)
    if verb == "DELETE":
        call.ask("storage.buckets.delete", {"bucket": bucket})
        return Download(b"", "text/html", 204, {})
    if verb == "PUT":
        project = call.headers.get(b"x-goog-project-id", b"project").decode("latin-1")
        call.ask("storage.buckets.insert", {"project": project}, {"name": bucket})
        return Download(b"", "text/html", 200, {})
    row = call.ask("storage.buckets.get", {"bucket": bucket})
    if "location" in query:
        return _xml("LocationConstraint", escape(str(row.get("location", ""))))
    asked: JsonObject = {"bucket": bucket, "maxResults": int(query.get("max-keys") or 1000)}
    asked |= {each: query[each] for each in ("prefix", "delimiter") if query.get(each)}
    token = query.get("continuation-token") or query.get("marker")
    found = call.ask("storage.objects.list", {**asked, **({"pageToken": token} if token else {})})
    following = found.get("nextPageToken")
    items = "".join(_listed(each) for each in found.get("items") or ())
    prefixes = (_tags(Prefix=each) for each in found.get("prefixes") or ())
    several = "".join(f"<CommonPrefixes>{each}</CommonPrefixes>" for each in prefixes)
    more = _tags(NextMarker=following, NextContinuationToken=following) if following else ""
    head = _tags(
        Name=bucket, Prefix=query.get("prefix", ""), MaxKeys=asked["maxResults"],
        IsTruncated=str(bool(following)).lower(),
    )  # fmt: skip
    return _xml("ListBucketResult", head + more + items + several)


def _listed(row: JsonObject) -> str:
    digest = b64decode(str(row.get("md5Hash") or "")).hex()
    return "<Contents>" + _tags(
        Key=row.get("name"), Generation=row.get("generation", ""), ETag=f'"{digest}"',
        MetaGeneration=row.get("metageneration", "1"), LastModified=row.get("updated", ""),
        Size=row.get("size", "0"), StorageClass=row.get("storageClass", "STANDARD"),
    ) + "</Contents>"  # fmt: skip


def _begin(call: Call, query: Mapping[str, str]) -> Download:
    """Begin a resumable upload; its metadata are those of the request that begins it."""
    ident = call.world.ids.hex("upload", 40)
    call.world.put(_UPLOADS, ident, {"headers": _object_headers(call)})
    separator = "&" if call.params["query"] else ""
    host = call.headers.get(b"host", b"").decode("latin-1")
    place = f"{call.params['scheme']}://{host}{call.params['before']}{call.params['path']}"
    link = f"{place}?{call.params['query']}{separator}upload_id={ident}"
    return Download(b"", "text/html", 201, {"location": link, "x-guploader-uploadid": ident})


def _object_headers(call: Call) -> JsonObject:
    """The headers of a request that tell of an object; keys of encryption are not kept."""
    names = {*_FIELDS.values(), *_CONDITIONS.values()}
    return {
        k: v for k, v in _text_headers(call.headers).items() if k in names or k.startswith(_META)
    }


def _upload(call: Call, ident: str) -> JsonObject:
    found = call.world.table(_UPLOADS).get(ident)
    if found is None:
        raise ApiError(404, "The requested upload was not found.", reason="NoSuchUpload")
    return found


def _resume(call: Call, bucket: str, name: str, ident: str) -> Download:
    row, media = _upload(call, ident), call.media or Media(b"")
    if b"content-range" in call.headers:
        text = "Parts of a resumable upload are taken over the JSON API."
        raise ApiError(501, text, reason="NotImplemented")
    call.world.delete(_UPLOADS, ident)
    kind = str(row["headers"].get("content-type") or media.content_type)
    return _insert(call, bucket, name, Media(media.content, kind), row["headers"])


def _part_key(ident: str, number: int) -> tuple[str, tuple[tuple[str, str], ...]]:
    return "storage.xml", (("part", str(number)), ("upload", ident))


def _multipart(call: Call, verb: str, bucket: str, name: str, query: Mapping[str, str]) -> Download:
    if verb == "POST" and "uploads" in query:
        ident = call.world.ids.hex("upload", 40)
        call.world.put(_UPLOADS, ident, {"headers": _object_headers(call), "parts": {}})
        return _xml("InitiateMultipartUploadResult", _tags(Bucket=bucket, Key=name, UploadId=ident))
    ident = query.get("uploadId", "")
    row, media = _upload(call, ident), call.media or Media(b"")
    if verb == "DELETE":
        call.world.delete(_UPLOADS, ident)
        return Download(b"", "text/html", 204, {})
    if verb == "PUT" and call.contents is not None:
        number, tag = int(query.get("partNumber") or 0), _tag(media.content)
        call.contents.put(_part_key(ident, number), media)
        told = {**row["parts"], str(number): {"tag": tag, "size": len(media.content)}}
        call.world.put(_UPLOADS, ident, {**row, "parts": told})
        sums = crc32c(media.content).to_bytes(4, "big"), bytes.fromhex(tag.strip('"'))
        names = zip(("crc32c", "md5"), sums, strict=True)
        hashes = ",".join(f"{kind}={b64encode(each).decode()}" for kind, each in names)
        return Download(b"", "text/html", 200, {"etag": tag, "x-goog-hash": hashes})
    if verb == "GET":
        parts = "".join(
            f"<Part>{_tags(PartNumber=n, ETag=each['tag'], Size=each['size'])}</Part>"
            for n, each in sorted(row["parts"].items(), key=lambda pair: int(pair[0]))
        )
        return _xml("ListPartsResult", _tags(Bucket=bucket, Key=name, UploadId=ident) + parts)
    content = b"".join(_parts(call, ident, row, media.content))
    kind = str(row["headers"].get("content-type") or "application/octet-stream")
    made = _insert(call, bucket, name, Media(content, kind), row["headers"])
    call.world.delete(_UPLOADS, ident)
    tags = _tags(Bucket=bucket, Key=name, ETag=made.headers["etag"])
    return _xml("CompleteMultipartUploadResult", tags)


def _parts(call: Call, ident: str, row: JsonObject, asked: bytes) -> Iterator[bytes]:
    """The contents of the parts that a completion names, in the order of their numbers.

    Yields:
        Each content.

    Raises:
        ApiError: 400: one is not there, or is another.
    """
    named = [(_NUMBER.search(each), _TAG.search(each)) for each in _PART.findall(asked)]
    numbers = sorted((int(n[1]), t[1] if t else b"") for n, t in named if n)
    for number, tag in numbers:
        told = row["parts"].get(str(number))
        media = call.contents.get(_part_key(ident, number)) if call.contents else None
        bare = tag.decode("latin-1").replace("&quot;", "").strip('" ')
        if told is None or media is None or bare != told["tag"].strip('"'):
            text = "One or more of the specified parts could not be found."
            raise ApiError(400, text, reason="InvalidPart")
        yield media.content
    if not numbers:
        raise ApiError(400, "The completion names no part.", reason="MalformedXML")


def _post_form(call: Call, bucket: str) -> Download:
    """Answers a form that a policy allows: an upload by a browser."""
    media = call.media or Media(b"")
    fields: dict[str, str] = {}
    file: Media | None = None
    try:
        for part in parse_multipart(media.content, boundary_of(media.content_type)):
            shown = re.search(r'name="([^"]*)"', part.headers.get("content-disposition", ""))
            name = shown[1].lower() if shown else ""
            if name == "file":
                file = Media(part.body, part.headers.get("content-type", ""))
            else:
                fields[name] = part.body.decode("utf-8", "replace")
    except MultipartError as error:
        raise ApiError(400, f"Malformed form: {error}.", reason="MalformedPOSTRequest") from error
    odd = [n for n in fields if n not in _FORM and not n.startswith((_META, "x-ignore-"))]
    if odd or file is None or "key" not in fields:
        text = f"The form has the field {odd[0]!r}" if odd else "The form lacks a key or a file"
        raise ApiError(400, f"{text}.", reason="InvalidArgument")
    if "policy" in fields:
        _check_policy(call, fields["policy"], {**fields, "bucket": bucket}, len(file.content))
    kind = fields.get("content-type") or file.content_type or "application/octet-stream"
    status = {"200": 200, "201": 201}.get(fields.get("success_action_status", ""), 204)
    name = fields["key"]
    return _insert(call, bucket, name, Media(file.content, kind), fields, status)


def _check_policy(call: Call, text: str, said: Mapping[str, str], size: int) -> None:
    """Refuse a form that its policy does not allow.

    Args:
        call: The call.
        text: The policy, in Base64.
        said: The fields of the form, and the bucket.
        size: The bytes of the file.

    Raises:
        ApiError: 400 for a policy that cannot be read, 403.
    """
    try:
        policy = orjson.loads(b64decode(text))
        ends = parse_rfc3339(str(policy["expiration"]))
        conditions = [
            ("eq", *next(iter(each.items()))) if isinstance(each, dict) else tuple(each)
            for each in policy.get("conditions") or ()
        ]
        failed = [each for each in conditions if not _is_met(*each, said=said, size=size)]
    except (ValueError, TypeError, LookupError, AttributeError, StopIteration) as error:
        raise ApiError(400, "The policy is malformed.", reason="InvalidPolicyDocument") from error
    if ends < call.world.clock.client_now():
        raise ApiError(403, "Invalid according to Policy: Policy expired.", reason="AccessDenied")
    if failed:
        told = f"Invalid according to Policy: Policy Condition failed: {list(failed[0])!r}"
        raise ApiError(403, told, reason="AccessDenied")


def _is_met(kind: str, name: object, value: object, *, said: Mapping[str, str], size: int) -> bool:
    """Whether a form meets a condition; raises ValueError for one of no known kind."""
    if kind == "content-length-range":
        return int(str(name)) <= size <= int(str(value))
    own = said.get(str(name).removeprefix("$").lower(), "")
    if kind == "starts-with":
        return own.startswith(str(value))
    if kind != "eq":
        raise ValueError(kind)
    return own == str(value)


def _check_signature(call: Call, query: Mapping[str, str]) -> None:
    """Refuse a signed URL that has expired.

    Raises:
        ApiError: 400.
    """
    now, ends = call.world.clock.client_now(), None
    date, lasts = query.get("X-Goog-Date", ""), query.get("X-Goog-Expires", "")
    if "X-Goog-Signature" in query and lasts.isdecimal():
        started = datetime.strptime(date, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        ends = started + timedelta(seconds=int(lasts))
    elif "Signature" in query and query.get("Expires", "").isdecimal():
        ends = datetime.fromtimestamp(int(query["Expires"]), UTC)
    if ends is not None and ends < now:
        raise ApiError(400, "Invalid argument: the signature has expired.", reason="ExpiredToken")
