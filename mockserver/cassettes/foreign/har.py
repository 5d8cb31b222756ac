"""HAR 1.2, which browsers and proxies write, read and written; and recordings of polly.js.

polly.js writes HAR with bodies in pieces, and with JSON that a persister has opened.

What HAR has no place for stands in the member `_recorded` of an entry, so that a cassette that was
exported is imported as it was.
"""

import base64
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import unquote_plus, urlencode

import orjson

from mockserver import __version__
from mockserver.cassettes.files.body_files import body_path
from mockserver.cassettes.files.layout import facts_mapping
from mockserver.cassettes.files.parser import bytes_of, with_facts
from mockserver.cassettes.files.values import (
    MisplacedError,
    list_of,
    mapping_of,
    member,
    pointer,
    status_of,
    text_of,
)
from mockserver.cassettes.files.yaml_scalars import body_text
from mockserver.cassettes.foreign.common import (
    ImportedRecording,
    Source,
    decode_if_coded,
    file_content,
    import_items,
    read_entry,
    with_places,
)
from mockserver.messages import header, header_values, media_type, split_pairs, split_url
from mockserver.model import (
    BodyFile,
    Cassette,
    Header,
    Interaction,
    Json,
    JsonObject,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.storage.untrusted_json import Place

NAME = "HAR"
POLLY = "polly.js"

_FACTS = "_recorded"
_ENTRIES: Place = ("log", "entries")
_NEVER = "1970-01-01T00:00:00Z"
"""Where a recording does not say when: HAR must have a time."""


def recognises(value: Json) -> bool:
    """Whether it is HAR: `log.entries`."""
    log = value.get("log") if isinstance(value, dict) else None
    return isinstance(log, dict) and "entries" in log


def recognises_polly(value: Json) -> bool:
    """Whether it is HAR that polly.js made."""
    if not recognises(value):
        return False
    creator = value["log"].get("creator")
    return isinstance(creator, dict) and creator.get("name") == "Polly.JS"


def read(value: Json, source: Source) -> ImportedRecording:
    """The exchanges of a HAR file; those without a response are left out with a note.

    Args:
        value: The file.
        source: Reads the bodies that stand beside it, as Playwright keeps them.
    """
    return _read(value, source, NAME)


def read_polly(value: Json, source: Source) -> ImportedRecording:
    """The exchanges of a recording of polly.js; those without a response are left out."""
    return _read(value, source, POLLY)


def _read(value: Json, source: Source, name: str) -> ImportedRecording:
    log = mapping_of(value["log"], ("log",))
    creator = mapping_of(log.get("creator") or {}, ("log", "creator"))
    recorder = f"{creator.get('name', '')} {creator.get('version', '')}".strip()
    doubts: list[str] = []

    def interaction(item: Json, place: Place) -> Interaction:
        given = _polly_as_har(mapping_of(item, place), place) if name == POLLY else item
        given, asked, answer = read_entry(given, place)
        if not answer.get("status") and _FACTS not in given:
            raise MisplacedError((*place, "response"), "no response was recorded")
        made = _interaction(given, asked, answer, place, source)
        doubts.extend(f"#{pointer(place)}: {doubt}" for doubt in _missing_content(asked, answer))
        return made

    imported = import_items(
        name, with_places(log["entries"], _ENTRIES), interaction, recorded_by=recorder
    )
    return replace(imported, notes=(*imported.notes, *doubts))


def _missing_content(request: JsonObject, answer: JsonObject) -> Iterable[str]:
    content = answer.get("content") or {}
    if content.get("size", 0) and not ({"text", "_file"} & content.keys()):
        yield "the file does not hold the body of the response"
    if any("fileName" in item for item in (request.get("postData") or {}).get("params") or ()):
        yield "the file does not hold the files that were sent"


def _interaction(
    entry: JsonObject, request: JsonObject, answer: JsonObject, place: Place, source: Source
) -> Interaction:
    body = _response_body(answer.get("content") or {}, (*place, "response", "content"), source)
    headers = _headers(answer.get("headers"), (*place, "response", "headers"))
    facts = mapping_of(entry.get(_FACTS) or {}, (*place, _FACTS))
    coding = ""
    if not facts:
        headers, body, coding = decode_if_coded(headers, body)
        facts = _facts(entry, coding, place)
    url = text_of(member(request, "url", (*place, "request")), (*place, "request", "url"))
    method = text_of(member(request, "method", (*place, "request")), (*place, "request", "method"))
    return with_facts(
        RecordedRequest(
            method.upper(),
            url if _FACTS in entry else url.partition("#")[0],
            _headers(request.get("headers"), (*place, "request", "headers")),
            _request_body(request.get("postData") or {}, (*place, "request", "postData"), source),
        ),
        RecordedResponse(
            status_of(answer["status"], (*place, "response", "status")),
            text_of(answer.get("statusText") or "", (*place, "response", "statusText")),
            headers,
            body,
        ),
        facts,
        place,
    )


def _facts(entry: JsonObject, coding: str, place: Place) -> JsonObject:
    took = entry.get("time")
    given = {
        "at": text_of(entry.get("startedDateTime") or "", (*place, "startedDateTime")),
        "duration_ms": max(0, took) if isinstance(took, int | float) else 0,
        "response_coding": coding,
    }
    return {name: fact for name, fact in given.items() if fact}


def _headers(value: Json, place: Place) -> tuple[Header, ...]:
    """Name and value of each; the pseudo-headers of HTTP/2 are no headers."""
    pairs: list[Header] = []
    for item in list_of(value, place):
        named = mapping_of(item, place)
        name, given = text_of(member(named, "name", place), place), member(named, "value", place)
        values = given if isinstance(given, list) else [given]  # older recordings of polly.js
        if not name.startswith(":"):
            pairs += [(name, _line(text_of(each, place))) for each in values]
    return tuple(pairs)


def _line(value: str) -> str:
    """A header's value on one line; Chrome joins several of one name by line ends."""
    return ", ".join(value.split("\n")) if "\n" in value else value


def _request_body(posted: JsonObject, place: Place, source: Source) -> bytes:
    if posted.get("_file"):
        return _read_file(posted, place, source)
    if posted.get("_encoding") == "base64" or posted.get("encoding") == "base64":
        return bytes_of({"base64": posted.get("text")}, place)
    if posted.get("text"):
        return bytes_of(posted["text"], place)
    params = [mapping_of(item, place) for item in list_of(posted.get("params"), place)]
    return urlencode([(item.get("name", ""), item.get("value", "")) for item in params]).encode()


def _response_body(content: JsonObject, place: Place, source: Source) -> bytes:
    if content.get("_file"):
        return _read_file(content, place, source)
    text = content.get("text")
    return bytes_of({"base64": text} if content.get("encoding") == "base64" else text, place)


def _read_file(content: JsonObject, place: Place, source: Source) -> bytes:
    where = (*place, "_file")
    return file_content(source.files, text_of(content["_file"], where), where)


def _polly_as_har(entry: JsonObject, place: Place) -> JsonObject:
    asked, answer = entry.get("request"), entry.get("response")
    if not isinstance(asked, dict) or not isinstance(answer, dict):
        return entry
    posted = asked.get("postData")
    content = answer.get("content")
    if isinstance(posted, dict):
        asked = {**asked, "postData": _with_text(posted)}
    if isinstance(content, dict):
        coded = any(
            isinstance(each, dict) and str(each.get("name")).lower() == "content-encoding"
            for each in answer.get("headers") or ()
        )
        where = (*place, "response", "content")
        answer = {**answer, "content": _with_joined_pieces(_with_text(content), where, coded=coded)}
    return {**entry, "request": asked, "response": answer}


def _with_text(content: JsonObject) -> JsonObject:
    """With the text that a persister keeps in a form that people can read."""
    if "textJSON" in content and "text" not in content:
        return {**content, "text": orjson.dumps(content["textJSON"]).decode(), "encoding": ""}
    return content


def _with_joined_pieces(content: JsonObject, place: Place, *, coded: bool) -> JsonObject:
    """With the pieces of a coded body put together: a list in JSON, in base64 or hex."""
    text = content.get("text")
    if not isinstance(text, str) or not (content.get("encoding") == "base64" or coded):
        return content
    if not text.startswith("["):
        return content
    try:
        pieces = orjson.loads(text)
        in_base64 = content.get("encoding") == "base64"
        joined = b"".join(
            base64.b64decode(each, validate=True) if in_base64 else bytes.fromhex(each)
            for each in pieces
        )
    except (ValueError, TypeError) as error:
        if coded and content.get("encoding") != "base64":
            return content  # JSON that was opened, as it came
        raise MisplacedError((*place, "text"), f"is no list of pieces: {error}") from error
    return {**content, "text": base64.b64encode(joined).decode(), "encoding": "base64"}


def har_of(cassette: Cassette) -> bytes:
    """A cassette as HAR 1.2; bodies in files must be beside it already."""
    creator = cassette.info.recorded_by or f"mockserver {__version__}"
    name, _, version = creator.partition(" ")
    log = {
        "version": "1.2",
        "creator": {"name": name, "version": version},
        "entries": [_entry(item, cassette.info.recorded_at) for item in cassette.interactions],
    }
    return orjson.dumps({"log": log}, option=orjson.OPT_INDENT_2) + b"\n"


def _entry(interaction: Interaction, since: str) -> JsonObject:
    took = interaction.duration_ms
    return {
        "startedDateTime": interaction.recorded_at or since or _NEVER,
        "time": took,
        "request": _request(interaction.request),
        "response": _response(interaction.response),
        "cache": {},
        "timings": {"send": 0, "wait": took, "receive": 0},
        _FACTS: facts_mapping(interaction),
    }


def _request(request: RecordedRequest) -> JsonObject:
    pairs = split_pairs(split_url(request.url).query)
    written: JsonObject = {
        "method": request.method,
        "url": request.url,
        "httpVersion": "HTTP/1.1",
        "cookies": _cookies("; ".join(header_values(request.headers, "cookie")).split(";")),
        "headers": _name_values(request.headers),
        "queryString": _name_values(
            (unquote_plus(pair.name), unquote_plus(pair.value or "")) for pair in pairs
        ),
        "headersSize": -1,
        "bodySize": request.file.size if request.file else len(request.body),
    }
    if request.file:
        media = header(request.headers, "content-type")
        written["postData"] = {"mimeType": media, "_file": _file_name(request.file)}
    elif request.body:
        written["postData"] = {"mimeType": header(request.headers, "content-type")} | _body_content(
            request.body, "_encoding"
        )
    return written


def _response(response: RecordedResponse) -> JsonObject:
    return {
        "status": response.status,
        "statusText": response.reason,
        "httpVersion": "HTTP/1.1",
        "cookies": _cookies(header_values(response.headers, "set-cookie")),
        "headers": _name_values(response.headers),
        "content": {
            "size": response.file.size if response.file else len(response.body),
            "mimeType": media_type(response.headers) or "x-unknown",
            **(
                {"_file": _file_name(response.file)}
                if response.file
                else _body_content(response.body, "encoding")
            ),
        },
        "redirectURL": header(response.headers, "location"),
        "headersSize": -1,
        "bodySize": -1,
    }


def _file_name(file: BodyFile) -> str:
    """The file of a body, from where the HAR is."""
    path = body_path(file)
    return f"{path.parent.name}/{path.name}"


def _body_content(body: bytes, encoding: str) -> JsonObject:
    text = body_text(body)
    if text is None:
        return {"text": base64.b64encode(body).decode(), encoding: "base64"}
    return {"text": text}


def _name_values(pairs: Iterable[Header]) -> list[Json]:
    return [{"name": name, "value": value} for name, value in pairs]


def _cookies(values: Iterable[str]) -> list[Json]:
    pairs = (value.partition(";")[0].strip().partition("=") for value in values)
    return _name_values((name, value) for name, mark, value in pairs if mark)
