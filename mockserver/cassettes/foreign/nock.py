"""Fixtures of nock, which records what Node asks: a list of calls, each under its `scope`."""

from urllib.parse import urlsplit

import orjson

from mockserver.cassettes.files.parser import headers_of
from mockserver.cassettes.files.values import (
    MisplacedError,
    kind_name,
    mapping_of,
    member,
    status_of,
    text_of,
)
from mockserver.cassettes.foreign.common import (
    ImportedRecording,
    Source,
    decode_if_coded,
    import_items,
    with_places,
)
from mockserver.model import (
    Header,
    Interaction,
    Json,
    JsonObject,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.storage.untrusted_json import Place

NAME = "nock"
_PORTS = {"https": ":443", "http": ":80"}


def recognises(value: Json) -> bool:
    """Whether it is a list whose first item has a `scope` and a `path`."""
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and "scope" in first and "path" in first


def read(value: Json, _source: Source) -> ImportedRecording:
    """The calls of a file; those that cannot be used are left out with a note."""
    return import_items(NAME, with_places(value, ()), _interaction)


def _interaction(value: Json, place: Place) -> Interaction:
    item = mapping_of(value, place)
    sent = _headers(item.get("reqheaders"), (*place, "reqheaders"))
    headers, body, coding = decode_if_coded(
        _headers(item.get("rawHeaders", item.get("headers")), (*place, "rawHeaders")),
        _response_body(item, (*place, "response")),
    )
    return Interaction(
        RecordedRequest(
            text_of(member(item, "method", place), (*place, "method")).upper(),
            _url(item, place),
            sent,
            _body_bytes(item.get("body"), (*place, "body")),
        ),
        RecordedResponse(
            status_of(item.get("status", 200), (*place, "status")), "", headers, body, coding
        ),
    )


def _url(item: JsonObject, place: Place) -> str:
    scope = text_of(item["scope"], (*place, "scope")).rstrip("/")
    path = text_of(member(item, "path", place), (*place, "path"))
    return scope.removesuffix(_PORTS.get(urlsplit(scope).scheme, "")) + path


def _headers(value: Json, place: Place) -> tuple[Header, ...]:
    """Headers as an object, or as Node has them: names and values in turns."""
    if isinstance(value, list):
        texts = [text_of(item, place) for item in value]
        if len(texts) % 2:
            raise MisplacedError(place, "a name without a value")
        return tuple(zip(texts[::2], texts[1::2], strict=True))
    given = mapping_of(value or {}, place)
    return headers_of(
        {name: str(each) if isinstance(each, int) else each for name, each in given.items()}, place
    )


def _response_body(item: JsonObject, place: Place) -> bytes:
    value = item.get("response")
    coded = any(
        name.lower() == "content-encoding"
        for name, _ in _headers(item.get("rawHeaders", item.get("headers")), place)
    )
    if coded and isinstance(value, list) and value and all(map(_is_hex, value)):
        return b"".join(bytes.fromhex(piece) for piece in value)
    if item.get("responseIsBinary") and _is_hex(value):
        return bytes.fromhex(str(value))
    return _body_bytes(value, place)


def _body_bytes(value: Json, place: Place) -> bytes:
    if value is None:
        return b""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict | list | bool | int | float):
        return orjson.dumps(value)
    raise MisplacedError(place, f"expected a text or JSON, found {kind_name(value)}")


def _is_hex(value: Json) -> bool:
    try:
        return isinstance(value, str) and bool(value) and bool(bytes.fromhex(value))
    except ValueError:
        return False
