"""Contents of objects: where they are kept, the keys that they are encrypted with, downloads."""

import binascii
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from hashlib import sha256

from mockserver.googleapi import ApiError, Call, Download, MediaKey, invalid
from mockserver.model import JsonMapping
from mockserver.state import parse_rfc3339

_LARGEST = 256 * 1024 * 1024
_SAID = {
    "contentDisposition": "content-disposition",
    "contentLanguage": "content-language",
    "cacheControl": "cache-control",
    "generation": "x-goog-generation",
    "metageneration": "x-goog-metageneration",
    "storageClass": "x-goog-storage-class",
    "size": "x-goog-stored-content-length",
    "componentCount": "x-goog-component-count",
}
"""Fields of an object to the headers of its content."""
_KEY_BYTES = 32


def content_key(bucket: str, name: str, generation: str = "") -> MediaKey:
    """Where an object's content is downloaded; that of an earlier generation is kept beside it."""
    more = (("generation", generation),) if generation else ()
    return "storage.objects.get", (("bucket", bucket), *more, ("object", name))


def _content(call: Call, row: JsonMapping, bucket: str, name: str) -> bytes | None:
    is_live = not row.get("timeDeleted") and not row.get("softDeleteTime")
    key = content_key(bucket, name, "" if is_live else str(row.get("generation", "")))
    media = call.contents.get(key) if call.contents else None
    return None if media is None else media.content


def require_content(call: Call, row: JsonMapping, bucket: str, name: str) -> bytes:
    """The content of an object.

    Raises:
        ApiError: 501: a fixture holds the object without it.
    """
    content = _content(call, row, bucket, name)
    if content is None:
        text = (
            f"{call.id} needs the content of {bucket}/{name}, which nothing in this session holds."
        )
        raise ApiError(501, text, reason="notImplemented", code_name="UNIMPLEMENTED")
    return content


def customer_key(call: Call, what: str = "") -> str:
    """The digest of the key that a caller brings; empty for none.

    Args:
        call: The call.
        what: What stands in front of `encryption` in the headers, `copy-source-`.

    Raises:
        ApiError: 400: the key is not one of AES256, or its digest is another.
    """
    start = f"x-goog-{what}encryption-"
    kind, key, digest = (
        call.headers.get(f"{start}{each}".encode(), b"").decode("latin-1")
        for each in ("algorithm", "key", "key-sha256")
    )
    if not key and not digest:
        return ""
    try:
        raw = b64decode(key, validate=True)
    except binascii.Error:
        raw = b""
    found = b64encode(sha256(raw).digest()).decode()
    if kind.upper() != "AES256" or len(raw) != _KEY_BYTES or (digest and digest != found):
        text = "Missing an encryption key, or it is not base64 encoded, or it does not meet the "
        raise ApiError(
            400, f"{text}required length of the encryption algorithm.",
            reason="customerEncryptionKeyFormatIsInvalid",
        )  # fmt: skip
    return found


def require_key(call: Call, row: JsonMapping, what: str = "") -> None:
    """Refuse a call that reads an encrypted content without its key.

    Raises:
        ApiError: 400.
    """
    wanted = (row.get("customerEncryption") or {}).get("keySha256", "")
    found = customer_key(call, what)
    if found == wanted:
        return
    if not wanted:
        text = "The target object is not encrypted by a customer-supplied encryption key."
        raise ApiError(400, text, reason="resourceNotEncryptedWithCustomerEncryptionKey")
    if found:
        text = "The provided encryption key is incorrect."
        raise ApiError(400, text, reason="customerEncryptionKeyIsIncorrect")
    text = "The target object is encrypted by a customer-supplied encryption key."
    raise ApiError(400, text, reason="resourceIsEncryptedWithCustomerEncryptionKey")


def content_headers(row: JsonMapping) -> dict[str, str]:
    """What the service says beside a content."""
    return dict(_headers(row))


def _headers(row: JsonMapping) -> Iterator[tuple[str, str]]:
    for field, name in _SAID.items():
        if field in row:
            yield name, str(row[field])
    yield "x-goog-stored-content-encoding", str(row.get("contentEncoding") or "identity")
    hashes = [(n, row[f]) for f, n in (("crc32c", "crc32c"), ("md5Hash", "md5")) if f in row]
    if hashes:
        yield "x-goog-hash", ",".join(f"{name}={value}" for name, value in hashes)
    if row.get("etag"):
        yield "etag", str(row["etag"])
    if row.get("updated"):
        changed = parse_rfc3339(str(row["updated"]))
        yield "last-modified", f"{changed:%a, %d %b %Y %H:%M:%S} GMT"
    encrypted = row.get("customerEncryption")
    if encrypted:
        yield "x-goog-encryption-algorithm", "AES256"
        yield "x-goog-encryption-key-sha256", encrypted["keySha256"]
    for key, value in (row.get("metadata") or {}).items():
        yield f"x-goog-meta-{key}", str(value)


def download_of(call: Call, row: JsonMapping, bucket: str, name: str) -> Download | None:
    """The content of an object as it is sent; None where a fixture holds the object without it.

    What is stored compressed is sent so to who takes it, and decompressed to others.
    """
    content = _content(call, row, bucket, name)
    if content is None:
        return None
    said = {"accept-ranges": "bytes", **content_headers(row)}
    coding = str(row.get("contentEncoding") or "")
    takes_it = b"gzip" in call.headers.get(b"accept-encoding", b"")
    as_it_is = "no-transform" in str(row.get("cacheControl") or "")
    if coding == "gzip" and not takes_it and not as_it_is:
        content = _decompressed(content)
        said["warning"] = "214 UploadServer gunzipped"
    elif coding:
        said["content-encoding"] = coding
    kind = str(row.get("contentType") or "application/octet-stream")
    return Download(content, kind, headers=said)


def _decompressed(content: bytes) -> bytes:
    reader = zlib.decompressobj(wbits=31)
    try:
        found = reader.decompress(content, _LARGEST)
    except zlib.error:
        return content  # it is not what its field says, and goes out as it is
    if reader.unconsumed_tail:
        raise invalid("The content is too large to be decompressed.", location="contentEncoding")
    return found
