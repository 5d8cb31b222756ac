"""WireMock mappings: one, a list of them, or what a folder of `mappings/` and `__files/` holds.

A mapping with exact matchers is a recording; one with patterns answers many requests and is none,
so it is left out with a note.
"""

from urllib.parse import urlencode

import orjson

from mockserver.cassettes.files.parser import bytes_of, headers_of
from mockserver.cassettes.files.values import MisplacedError, mapping_of, status_of, text_of
from mockserver.cassettes.foreign.common import (
    ImportedRecording,
    Source,
    decode_if_coded,
    file_content,
    import_items,
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

NAME = "WireMock"


def recognises(value: Json) -> bool:
    """Whether it is a mapping or a list of them."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("mappings"), list):
        return True
    asked, answer = value.get("request"), value.get("response")
    return isinstance(asked, dict) and isinstance(answer, dict) and "status" in answer


def read(value: Json, source: Source) -> ImportedRecording:
    """The mappings that are recordings; the others are left out with a note."""
    items = with_places(value["mappings"], ("mappings",)) if "mappings" in value else [((), value)]

    def interaction(item: Json, place: Place) -> Interaction:
        mapping = mapping_of(item, place)
        asked = mapping_of(mapping.get("request") or {}, (*place, "request"))
        answer = mapping_of(mapping.get("response") or {}, (*place, "response"))
        why = _why_not(asked, answer)
        if why:
            raise MisplacedError(place, why)
        request = _request(asked, (*place, "request"), source.upstream)
        return Interaction(request, _response(answer, (*place, "response"), source))

    return import_items(NAME, items, interaction)


def _why_not(request: JsonObject, answer: JsonObject) -> str:
    patterns = [
        name for name in ("urlPattern", "urlPathPattern", "urlPathTemplate") if name in request
    ]
    if patterns or not ("url" in request or "urlPath" in request):
        return f"it matches by {patterns[0] if patterns else 'no URL'}"
    if request.get("method", "ANY") == "ANY":
        return "it answers any method"
    matchers = [
        *(request.get("queryParameters") or {}).values(),
        *(request.get("bodyPatterns") or ()),
    ]
    if not all(isinstance(item, dict) and _exact_text(item) is not None for item in matchers):
        return "it matches by pattern"
    if "fault" in answer or "proxyBaseUrl" in answer or answer.get("transformers"):
        return "its response is made when it is asked"
    return ""


def _exact_text(matcher: JsonObject) -> str | None:
    """The text that a matcher demands, None where it is not one text."""
    if isinstance(matcher.get("equalTo"), str):
        return str(matcher["equalTo"])
    if "equalToJson" in matcher:
        wanted = matcher["equalToJson"]
        return wanted if isinstance(wanted, str) else orjson.dumps(wanted).decode()
    return None


def _request(request: JsonObject, place: Place, upstream: str) -> RecordedRequest:
    target = text_of(request.get("url") or request.get("urlPath") or "/", (*place, "url"))
    query = request.get("queryParameters") or {}
    if query:
        pairs = urlencode([(name, _exact_text(matcher)) for name, matcher in query.items()])
        target += f"{'&' if '?' in target else '?'}{pairs}"
    named = {
        name: _exact_text(matcher)
        for name, matcher in (request.get("headers") or {}).items()
        if isinstance(matcher, dict) and _exact_text(matcher) is not None
    }
    bodies = [_exact_text(matcher) or "" for matcher in request.get("bodyPatterns") or ()]
    return RecordedRequest(
        text_of(request["method"], (*place, "method")).upper(),
        _base(request, place, upstream) + target,
        headers_of(named, (*place, "headers")),
        bodies[0].encode() if bodies else b"",
    )


def _base(request: JsonObject, place: Place, upstream: str) -> str:
    host = _exact_text(request["host"]) if isinstance(request.get("host"), dict) else None
    if host is None:
        if not upstream:
            raise MisplacedError(place, "names only a path", hint="say --upstream https://HOST")
        return upstream.rstrip("/")
    port = f":{request['port']}" if request.get("port") else ""
    return f"{request.get('scheme') or 'http'}://{host}{port}"


def _response(answer: JsonObject, place: Place, source: Source) -> RecordedResponse:
    headers, body, coding = decode_if_coded(
        headers_of(answer.get("headers"), (*place, "headers")), _body(answer, place, source)
    )
    return RecordedResponse(
        status_of(answer.get("status", 200), (*place, "status")),
        text_of(answer.get("statusMessage") or "", (*place, "statusMessage")),
        headers,
        body,
        coding,
    )


def _body(answer: JsonObject, place: Place, source: Source) -> bytes:
    if "jsonBody" in answer:
        return orjson.dumps(answer["jsonBody"])
    if "base64Body" in answer:
        return bytes_of({"base64": answer["base64Body"]}, place)
    if "bodyFileName" in answer:
        where = (*place, "bodyFileName")
        return file_content(source.files, text_of(answer["bodyFileName"], where), where)
    return bytes_of(answer.get("body"), (*place, "body"))
