"""Uploads and stored media of one session; nothing here knows of requests.

The protocol follows Google's guides to resumable uploads; words of refusals are not verified
against the live APIs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mockserver.googleapi import ApiError, Media, MediaKey
from mockserver.model import JsonObject
from mockserver.state import Ids

MOST_BYTES = 256 * 1024 * 1024
"""What one upload may hold."""

STEP = 256 * 1024
"""Google documents that chunks but the last are multiples of this."""

_RANGE = re.compile(r"^bytes (?:(\d{1,15})-(\d{1,15})|\*)/(\d{1,15}|\*)$")
_OPEN_RANGE = re.compile(r"^bytes (\d{1,15})-\*/(\d{1,15}|\*)$")
"""All that is left, as clients send it that read from a stream."""


@dataclass(slots=True)
class Upload:
    """One resumable upload.

    Attributes:
        id: Its id.
        method_id: The method that began it.
        body: The metadata.
        content_type: The type of the media.
        total: How many bytes there will be, where that is known.
        received: The bytes so far.
        answer: Status, content type and body of the answer, once it is complete.
        headers: The headers of the request that began it.
    """

    id: str
    method_id: str
    body: JsonObject
    content_type: str
    total: int | None
    received: bytearray = field(default_factory=bytearray)
    answer: tuple[int, bytes, bytes] | None = None
    headers: Mapping[bytes, bytes] = field(default_factory=dict)

    def take(self, content: bytes, content_range: str, *, strict: bool) -> bool:
        """Take what a request brings; whether everything is there.

        Args:
            content: The request body.
            content_range: Its `Content-Range`; empty for everything at once.
            strict: Whether a chunk that is no multiple of `STEP` is refused.

        Raises:
            ApiError: 400 when bytes are missing before these, or do not fit what was said; 413
                when there are too many.
        """
        if rest := _OPEN_RANGE.match(content_range or "bytes 0-*/*"):
            end = int(rest[1]) + len(content)
            span = f"{rest[1]}-{end - 1}" if content else "*"
            content_range = f"bytes {span}/{end if rest[2] == '*' else rest[2]}"
        found = _RANGE.match(content_range)
        if found is None:
            raise _bad(f"Invalid Content-Range '{content_range[:80]}'.")
        self._agree(found[3])
        if found[1] is not None:
            self._append(content, int(found[1]), int(found[2]), strict=strict)
        elif content:
            raise _bad("A request without a range of bytes has a body.")
        return self.total is not None and len(self.received) == self.total

    def _agree(self, total: str) -> None:
        if total == "*":
            return
        if self.total is not None and self.total != int(total):
            raise _bad(f"The upload has {self.total} bytes in all, not {total}.")
        if int(total) > MOST_BYTES:
            raise ApiError(
                413, f"An upload holds at most {MOST_BYTES} bytes.", reason="uploadTooLarge"
            )
        if int(total) < len(self.received):
            raise _bad(f"{len(self.received)} bytes are there already, more than {total}.")
        self.total = int(total)

    def _append(self, content: bytes, first: int, last: int, *, strict: bool) -> None:
        have = len(self.received)
        if last - first + 1 != len(content):
            raise _bad(f"The range {first}-{last} is not that of {len(content)} bytes.")
        if first > have:
            raise _bad(f"The range begins at {first}, but only {have} bytes are there.")
        if last + 1 > (self.total if self.total is not None else MOST_BYTES):
            raise _bad(f"The range ends at {last}, beyond the upload.")
        if strict and len(content) % STEP and last + 1 != self.total:
            raise _bad(f"A chunk of {len(content)} bytes is no multiple of {STEP}.")
        self.received += content[have - first :]

    @property
    def media(self) -> Media:
        """What was uploaded."""
        return Media(bytes(self.received), self.content_type)


class MediaStore:
    """The media of one session, and the uploads that are under way."""

    __slots__ = ("_files", "_uploads")

    def __init__(self) -> None:
        self._files: dict[MediaKey, Media] = {}
        self._uploads: dict[str, Upload] = {}

    def begin(
        self, ids: Ids, method_id: str, body: JsonObject, media_type: str, total: int | None
    ) -> Upload:
        """Begin a resumable upload."""
        upload = Upload(ids.hex("upload", 40), method_id, body, media_type, total)
        self._uploads[upload.id] = upload
        return upload

    def upload(self, upload_id: str) -> Upload:
        """An upload that is under way or complete.

        Raises:
            ApiError: 404: there is none of this id.
        """
        found = self._uploads.get(upload_id)
        if found is None:
            raise ApiError(404, "The upload is not there; begin it again.", reason="notFound")
        return found

    def cancel(self, upload_id: str) -> None:
        """Forget an upload."""
        self._uploads.pop(upload_id, None)

    def put(self, key: MediaKey, media: Media) -> None:
        """Keep media where they are downloaded."""
        self._files[key] = media

    def get(self, key: MediaKey) -> Media | None:
        """The media that are downloaded there, or None."""
        return self._files.get(key)


def _bad(message: str) -> ApiError:
    return ApiError(400, message, reason="badRequest")
