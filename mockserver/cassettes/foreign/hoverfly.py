"""Simulations of Hoverfly: pairs of a request and a response, under `data`.

A pair whose matchers are exact is a recording; one with globs or patterns answers many requests
and is none, so it is left out with a note.
"""

from urllib.parse import quote, urlencode

from mockserver.cassettes.files.parser import bytes_of, headers_of
from mockserver.cassettes.files.values import (
    MisplacedError,
    list_of,
    mapping_of,
    status_of,
    text_of,
)
from mockserver.cassettes.foreign.common import (
    ImportedRecording,
    Source,
    decode_if_coded,
    file_content,
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

NAME = "Hoverfly"
_TEMPLATE = "{{"


def recognises(value: Json) -> bool:
    """Whether it has `data.pairs`."""
    data = value.get("data") if isinstance(value, dict) else None
    return isinstance(data, dict) and "pairs" in data


def read(value: Json, source: Source) -> ImportedRecording:
    """The pairs that are recordings; the others are left out with a note."""
    place: Place = ("data", "pairs")

    def interaction(item: Json, where: Place) -> Interaction:
        _, request, response = read_entry(item, where)
        return Interaction(
            _request(request, (*where, "request")),
            _response(response, (*where, "response"), source),
        )

    meta = value.get("meta") if isinstance(value.get("meta"), dict) else {}
    version = f"hoverfly {meta.get('hoverflyVersion', '')}".strip()
    items = with_places(value["data"]["pairs"], place)
    return import_items(NAME, items, interaction, recorded_by=version)


def _request(request: JsonObject, place: Place) -> RecordedRequest:
    wanted = {
        name: _exact_text(request.get(name), (*place, name))
        for name in ("method", "scheme", "destination", "path", "body")
    }
    for name in ("method", "destination"):
        if not wanted[name]:
            raise MisplacedError((*place, name), "it answers any")
    path = quote(wanted["path"] or "/", safe="/%:@!$&'()*+,;=~-._")
    headers = mapping_of(request.get("headers") or {}, (*place, "headers"))
    return RecordedRequest(
        str(wanted["method"]).upper(),
        f"{wanted['scheme'] or 'http'}://{wanted['destination']}{path}{_query(request, place)}",
        tuple(
            (name, _exact_text(given, (*place, "headers")) or "") for name, given in headers.items()
        ),
        (wanted["body"] or "").encode(),
    )


def _query(request: JsonObject, place: Place) -> str:
    given = request.get("query", request.get("deprecatedQuery"))
    if isinstance(given, dict) and not ({"exactMatch", "matcher"} & given.keys()):
        pairs = [
            (name, value)
            for name, matcher in given.items()
            for value in _values(matcher, (*place, "query", name))
        ]
        return f"?{urlencode(pairs)}" if pairs else ""
    text = _exact_text(given, (*place, "query"))
    return f"?{text}" if text else ""


def _values(value: Json, place: Place) -> list[str]:
    """The values of one query field; several of one name stand in an array matcher."""
    first = value[0] if isinstance(value, list) and len(value) == 1 else value
    if isinstance(first, dict) and first.get("matcher") == "array":
        return [text_of(item, place) for item in list_of(first.get("value"), place)]
    text = _exact_text(value, place)
    return [] if text is None else text.split(";")


def _exact_text(value: Json, place: Place) -> str | None:
    """The text that is demanded, None for any.

    Raises:
        MisplacedError: It is not one text that is demanded.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):  # before version 5
        if set(value) - {"exactMatch", "jsonMatch"} or not value:
            raise MisplacedError(place, "it matches by pattern")
        return text_of(next(iter(value.values())), place)
    matchers = [mapping_of(item, place) for item in list_of(value, place)]
    if not matchers:
        return None
    if len(matchers) > 1 or str(matchers[0].get("matcher")) not in {"exact", "json"}:
        raise MisplacedError(place, "it matches by pattern")
    return text_of(matchers[0].get("value"), place)


def _response(answer: JsonObject, place: Place, source: Source) -> RecordedResponse:
    body = answer.get("body")
    if answer.get("templated") and _TEMPLATE in str(body):
        raise MisplacedError((*place, "body"), "its response is made when it is asked")
    if answer.get("bodyFile"):
        name = text_of(answer["bodyFile"], (*place, "bodyFile"))
        content = file_content(source.files, name, (*place, "bodyFile"))
    else:
        coded = {"base64": body} if answer.get("encodedBody") else body
        content = bytes_of(coded, (*place, "body"))
    headers, content, coding = decode_if_coded(
        headers_of(answer.get("headers"), (*place, "headers")), content
    )
    code = status_of(answer.get("status", 200), (*place, "status"))
    return RecordedResponse(code, "", headers, content, coding)
