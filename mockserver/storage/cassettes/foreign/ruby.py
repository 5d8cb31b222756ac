"""Cassettes of Ruby's VCR: `http_interactions`."""

from email.utils import parsedate_to_datetime

from mockserver.model import (
    Interaction,
    Json,
    JsonObject,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.storage.cassettes.foreign.imported import Imported, opened
from mockserver.storage.cassettes.parsing import bytes_of, headers_of
from mockserver.storage.cassettes.values import (
    Place,
    list_of,
    mapping_of,
    member,
    status_of,
    text_of,
)

NAME = "Ruby VCR"
_GZIP = b"\x1f\x8b"
_AS_IT_IS = frozenset({"ascii-8bit", "us-ascii", "utf-8", "binary", ""})


def recognises(value: Json) -> bool:
    """Whether it has `http_interactions`."""
    return isinstance(value, dict) and "http_interactions" in value


def read(value: Json) -> Imported:
    """The interactions of a cassette.

    Raises:
        MisplacedError: One is not what it should be.
    """
    items = list_of(value["http_interactions"], ("http_interactions",))
    found = tuple(
        _interaction(mapping_of(item, place), place)
        for place, item in ((("http_interactions", n), item) for n, item in enumerate(items))
    )
    return Imported(NAME, found, recorded_by=str(value.get("recorded_with") or ""))


def _interaction(item: JsonObject, place: Place) -> Interaction:
    asked = mapping_of(member(item, "request", place), (*place, "request"))
    answer = mapping_of(member(item, "response", place), (*place, "response"))
    status = mapping_of(member(answer, "status", (*place, "response")), (*place, "response"))
    body = _body(answer.get("body"), (*place, "response", "body"))
    headers = headers_of(answer.get("headers"), (*place, "response", "headers"))
    coding = ""
    if not body.startswith(_GZIP):  # VCR leaves the header where it opened the body
        headers, coding = opened(headers, body)
    return Interaction(
        RecordedRequest(
            text_of(member(asked, "method", (*place, "request")), (*place, "request")).upper(),
            text_of(member(asked, "uri", (*place, "request")), (*place, "request", "uri")),
            headers_of(asked.get("headers"), (*place, "request", "headers")),
            _body(asked.get("body"), (*place, "request", "body")),
        ),
        RecordedResponse(
            status_of(status.get("code"), (*place, "response", "status", "code")),
            text_of(status.get("message") or "", (*place, "response", "status", "message")),
            headers,
            body,
            coding,
        ),
        _time(text_of(item.get("recorded_at") or "", (*place, "recorded_at"))),
    )


def _body(value: Json, place: Place) -> bytes:
    if not isinstance(value, dict):
        return bytes_of(value, place)
    if "base64_string" in value:
        coded = text_of(value["base64_string"], place)
        return bytes_of({"base64": "".join(coded.split())}, place)
    content = value.get("string")
    named = str(value.get("encoding") or "").lower()
    if not isinstance(content, str) or named in _AS_IT_IS:
        return bytes_of(content, place)
    try:
        return content.encode(named)
    except (LookupError, UnicodeEncodeError):
        return content.encode()


def _time(written: str) -> str:
    try:
        return parsedate_to_datetime(written).isoformat().replace("+00:00", "Z")
    except ValueError:
        return written
