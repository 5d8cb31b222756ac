"""Cassettes of Ruby's VCR, and of betamax, which writes the same layout: `http_interactions`."""

import base64
from email.utils import parsedate_to_datetime

from mockserver.cassettes.files.parser import bytes_of, headers_of
from mockserver.cassettes.files.values import MisplacedError, mapping_of, member, status_of, text_of
from mockserver.cassettes.foreign.common import (
    ImportedRecording,
    Source,
    decode_if_coded,
    import_items,
    read_entry,
    with_places,
)
from mockserver.model import (
    Interaction,
    Json,
    JsonObject,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.storage.untrusted_json import Place

NAME = "Ruby VCR"
BETAMAX = "betamax"
_AS_IT_IS = frozenset({"ascii-8bit", "us-ascii", "utf-8", "binary", ""})


def recognises(value: Json) -> bool:
    """Whether it has `http_interactions`."""
    return isinstance(value, dict) and "http_interactions" in value


def recognises_betamax(value: Json) -> bool:
    """Whether it has `http_interactions`, recorded with betamax."""
    return recognises(value) and str(value.get("recorded_with")).startswith(BETAMAX)


def read(value: Json, _source: Source) -> ImportedRecording:
    """The interactions of a cassette; those that cannot be used are left out with a note."""
    items = with_places(value["http_interactions"], ("http_interactions",))
    recorder = str(value.get("recorded_with") or "")
    name = BETAMAX if recorder.startswith(BETAMAX) else NAME
    return import_items(name, items, _interaction, recorded_by=recorder)


def _interaction(value: Json, place: Place) -> Interaction:
    item, asked, answer = read_entry(value, place)
    code, message = _status(answer, (*place, "response"))
    headers, body, coding = decode_if_coded(
        headers_of(answer.get("headers"), (*place, "response", "headers")),
        _body(answer.get("body"), (*place, "response", "body")),
    )
    return Interaction(
        RecordedRequest(
            text_of(member(asked, "method", (*place, "request")), (*place, "request")).upper(),
            text_of(member(asked, "uri", (*place, "request")), (*place, "request", "uri")),
            headers_of(asked.get("headers"), (*place, "request", "headers")),
            _body(asked.get("body"), (*place, "request", "body")),
        ),
        RecordedResponse(code, message, headers, body, coding),
        _time(text_of(item.get("recorded_at") or "", (*place, "recorded_at"))),
    )


def _status(answer: JsonObject, place: Place) -> tuple[int, str]:
    if "status_code" in answer:  # betamax, before its version 0.2
        return status_of(answer["status_code"], (*place, "status_code")), ""
    status = mapping_of(member(answer, "status", place), (*place, "status"))
    return (
        status_of(status.get("code"), (*place, "status", "code")),
        text_of(status.get("message") or "", (*place, "status", "message")),
    )


def _body(value: Json, place: Place) -> bytes:
    if not isinstance(value, dict):
        return bytes_of(value, place)
    if "base64_string" in value:
        return _decode_base64(text_of(value["base64_string"], place), (*place, "base64_string"))
    content = value.get("string")
    named = str(value.get("encoding") or "").lower()
    if not isinstance(content, str) or named in _AS_IT_IS:
        return bytes_of(content, place)
    try:
        return content.encode(named)
    except (LookupError, UnicodeEncodeError):
        return content.encode()


def _decode_base64(coded: str, place: Place) -> bytes:
    """Base64 as Ruby packs it: in lines, which some filters of cassettes have spelled out."""
    packed = "".join(coded.replace("\\n", "").split())
    try:
        return base64.b64decode(packed, validate=True)
    except ValueError as error:
        raise MisplacedError(place, f"is not base64: {error}") from error


def _time(text: str) -> str:
    try:
        return parsedate_to_datetime(text).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):
        return text
