"""A cassette's mapping, as JSON or YAML gave it, to the words; every mistake has its place."""

import base64
from collections.abc import Sequence
from typing import cast, get_args

from mockserver.cassettes.files.body_files import DIGEST, LARGEST_FILE
from mockserver.cassettes.files.layout import INFO, MATCH, group_headers, restore_order
from mockserver.cassettes.files.values import (
    MisplacedError,
    kind_name,
    list_of,
    mapping_of,
    member,
    status_of,
    text_of,
    url_of,
    value_text,
)
from mockserver.model import (
    CASSETTE_VERSION,
    MATCH_PARTS,
    BodyFile,
    CassetteInfo,
    Chunk,
    Header,
    Interaction,
    Json,
    JsonObject,
    Match,
    MatchPart,
    RecordedRequest,
    RecordedResponse,
    ResponseEnd,
    did_you_mean,
    pointer_path,
)
from mockserver.storage.untrusted_json import Place

FACTS: dict[str, tuple[type, ...]] = {
    "at": (str,),
    "duration_ms": (int, float),
    "method_id": (str,),
    "request_coding": (str,),
    "response_coding": (str,),
    "chunks": (list,),
    "request_header_order": (list,),
    "response_header_order": (list,),
    "review": (list,),
    "ended": (str,),
}


_LONGEST_MS = 366 * 86_400_000


def interactions_of(value: Json) -> tuple[Sequence[Json], CassetteInfo]:
    """The list of interactions, not yet read, and what the cassette says about itself.

    Raises:
        MisplacedError: It is no cassette, or one of a version that we do not know.
    """
    if isinstance(value, list) and value and isinstance(value[0], dict) and "request" in value[0]:
        raise MisplacedError((), "is from before vcrpy 1.0", hint="record it again")
    top = mapping_of(value, ())
    if "version" not in top:
        raise MisplacedError((), "has no `version`", hint="a cassette begins with `version: 1`")
    version = top["version"]
    if version != CASSETTE_VERSION or isinstance(version, bool):
        later = isinstance(version, int) and version > CASSETTE_VERSION
        raise MisplacedError(
            ("version",),
            f"has version {version!r}; this program reads version {CASSETTE_VERSION}",
            hint="a newer understudy wrote it: install that one" if later else "",
        )
    items = member(top, "interactions", ())
    if items is not None and not isinstance(items, list):
        raise MisplacedError(("interactions",), f"expected a list, found {kind_name(items)}")
    return items or (), _info(top)


def _info(top: JsonObject) -> CassetteInfo:
    place: Place = ("recorded_with",)
    about = mapping_of(top.get("recorded_with") or {}, place)
    known = {name: about[name] for name in INFO if name in about}
    for name, item in known.items():
        wanted = dict if name in {"revisions", "plan", "extra"} else str
        if not isinstance(item, wanted):
            raise MisplacedError(
                (*place, name), f"expected {_NAMES[wanted]}, found {kind_name(item)}"
            )
    foreign = {
        name: item
        for name, item in top.items()
        if name not in {"version", "match", "recorded_with", "interactions"}
    }
    newer = {name: item for name, item in about.items() if name not in INFO}
    extra = {**foreign, **newer, **known.pop("extra", {})}
    return CassetteInfo(**known, extra=extra, match=_match(top.get("match")))


def _match(value: Json) -> Match | None:
    """How requests are compared."""
    if value is None:
        return None
    place: Place = ("match",)
    given = mapping_of(value, place)
    for name in given:
        if name not in MATCH:
            hint = did_you_mean(str(name), MATCH) or f"it has {', '.join(MATCH)}"
            raise MisplacedError((*place, name), f"a match has no {name!r}", hint=hint)
    parts = _read_texts(given.get("parts"), (*place, "parts"))
    for number, part in enumerate(parts):
        if part not in MATCH_PARTS:
            known = f"known: {', '.join(MATCH_PARTS)}"
            raise MisplacedError((*place, "parts", number), f"no part is {part!r}", hint=known)
    absent = given.get("null_is_absent", False)
    if not isinstance(absent, bool):
        raise MisplacedError(
            (*place, "null_is_absent"), f"expected true or false, found {kind_name(absent)}"
        )
    return Match(
        cast("tuple[MatchPart, ...]", parts) or MATCH_PARTS,
        _pointers(given.get("ignore"), (*place, "ignore")),
        absent,
        _pointers(given.get("any_order"), (*place, "any_order")),
        _pointers(given.get("varies"), (*place, "varies")),
    )


def _read_texts(value: Json, place: Place) -> tuple[str, ...]:
    items = enumerate(list_of(value, place))
    return tuple(text_of(item, (*place, number)) for number, item in items)


def _pointers(value: Json, place: Place) -> tuple[str, ...]:
    pointers = _read_texts(value, place)
    for number, pointer in enumerate(pointers):
        try:
            pointer_path(pointer)
        except ValueError as error:
            raise MisplacedError((*place, number), str(error)) from error
    return pointers


_NAMES: dict[type, str] = {dict: "a mapping", str: "a text", list: "a list"}


def interaction_of(value: Json, place: Place) -> Interaction:
    """One interaction.

    Raises:
        MisplacedError: Something is missing, or not what it should be.
    """
    item = mapping_of(value, place)
    asked = mapping_of(member(item, "request", place), (*place, "request"))
    answered = mapping_of(member(item, "response", place), (*place, "response"))
    facts = mapping_of(item.get("recorded") or {}, (*place, "recorded"))
    return with_facts(
        _request(asked, (*place, "request")), _response(answered, place), facts, place
    )


def with_facts(
    request: RecordedRequest, response: RecordedResponse, facts: JsonObject, place: Place
) -> Interaction:
    """An interaction with its facts put where they belong.

    Raises:
        MisplacedError: A fact that we do not know, or one that does not fit.
    """
    place = (*place, "recorded")
    if not facts:
        return Interaction(request, response)
    _check_facts(facts, place)
    return Interaction(
        RecordedRequest(
            request.method,
            request.url,
            _restore_headers(request.headers, facts, "request_header_order", place),
            request.body,
            facts.get("request_coding", ""),
            request.file,
        ),
        RecordedResponse(
            response.status,
            response.reason,
            _restore_headers(response.headers, facts, "response_header_order", place),
            response.body,
            facts.get("response_coding", ""),
            _chunks(facts.get("chunks", ()), _size(response), (*place, "chunks")),
            facts.get("ended", "complete"),
            response.file,
        ),
        facts.get("at", ""),
        float(facts.get("duration_ms", 0.0)),
        facts.get("method_id", ""),
        tuple(mapping_of(item, (*place, "review")) for item in facts.get("review", ())),
    )


def _check_facts(facts: JsonObject, place: Place) -> None:
    for name, value in facts.items():
        if name not in FACTS:
            hint = did_you_mean(str(name), FACTS)
            raise MisplacedError((*place, name), f"unknown fact {name!r}", hint=hint)
        if not isinstance(value, FACTS[name]) or isinstance(value, bool):
            raise MisplacedError((*place, name), f"{name}: {kind_name(value)} cannot stand here")
    if abs(facts.get("duration_ms", 0)) > _LONGEST_MS:
        raise MisplacedError((*place, "duration_ms"), "duration_ms: longer than a year")
    if facts.get("ended", "complete") not in get_args(ResponseEnd):
        known = ", ".join(get_args(ResponseEnd))
        raise MisplacedError((*place, "ended"), f"ended: {facts['ended']!r} is none of {known}")


def _restore_headers(
    headers: tuple[Header, ...], facts: JsonObject, name: str, place: Place
) -> tuple[Header, ...]:
    if name not in facts:
        return headers
    order = facts[name]
    found = (
        restore_order(group_headers(headers), order)
        if all(isinstance(number, int) for number in order)
        else None
    )
    if found is None:
        raise MisplacedError((*place, name), f"{name} does not fit the headers")
    return found


def _chunks(value: Sequence[Json], size: int, place: Place) -> tuple[Chunk, ...]:
    chunks = []
    for pair in value:
        if not _is_chunk(pair):
            raise MisplacedError(place, f"expected [milliseconds, bytes], found {value_text(pair)}")
        chunks.append(Chunk(float(pair[0]), pair[1]))
    if chunks and sum(chunk.size for chunk in chunks) != size:
        raise MisplacedError(place, f"chunks do not add up to the {size} bytes of the body")
    return tuple(chunks)


def _size(response: RecordedResponse) -> int:
    return response.file.size if response.file else len(response.body)


def _is_chunk(pair: Json) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and isinstance(pair[0], int | float)
        and abs(pair[0]) <= _LONGEST_MS
        and isinstance(pair[1], int)
        and pair[1] >= 0
    )


def _request(value: JsonObject, place: Place) -> RecordedRequest:
    unknown = value.keys() - {"body", "headers", "method", "uri"}
    if unknown:
        name = min(map(str, unknown))
        raise MisplacedError(
            (*place, name),
            f"a request has no {name!r}",
            hint="it has body, headers, method and uri",
        )
    body, file = _content(value.get("body"), (*place, "body"))
    return RecordedRequest(
        text_of(member(value, "method", place), (*place, "method")),
        url_of(member(value, "uri", place), (*place, "uri")),
        headers_of(value.get("headers"), (*place, "headers")),
        body,
        file=file,
    )


def _response(value: JsonObject, place: Place) -> RecordedResponse:
    place = (*place, "response")
    if "status_code" in value:  # vcrpy with httpx, before its version 6
        value = {
            "status": {"code": value["status_code"], "message": ""},
            "headers": value.get("headers"),
            "body": {"string": value.get("content")},
        }
    status = mapping_of(member(value, "status", place), (*place, "status"))
    code = status_of(member(status, "code", (*place, "status")), (*place, "status", "code"))
    message = status.get("message")
    body, file = _content(member(value, "body", place), (*place, "body"))
    return RecordedResponse(
        code,
        "" if message is None else text_of(message, (*place, "status", "message")),
        headers_of(value.get("headers"), (*place, "headers")),
        body,
        file=file,
    )


def _content(value: Json, place: Place) -> tuple[bytes, BodyFile | None]:
    """A body, and the file that it is in."""
    if isinstance(value, dict) and "file" in value:
        return b"", _file_of(value["file"], (*place, "file"))
    return bytes_of(value, place), None


def _file_of(value: Json, place: Place) -> BodyFile:
    given = mapping_of(value, place)
    for name in given:
        if name not in {"sha256", "bytes"}:
            raise MisplacedError((*place, name), "the file of a body has sha256 and bytes")
    digest = text_of(member(given, "sha256", place), (*place, "sha256"))
    if DIGEST.fullmatch(digest) is None:
        raise MisplacedError((*place, "sha256"), "expected 64 hexadecimal digits in lower case")
    size = member(given, "bytes", place)
    if not isinstance(size, int) or isinstance(size, bool) or not 0 < size <= LARGEST_FILE:
        raise MisplacedError((*place, "bytes"), f"{value_text(size)} is no size of a body's file")
    return BodyFile(digest, size)


def bytes_of(value: Json, place: Place) -> bytes:
    """A body: null, a text, bytes, or a mapping with `string` or `base64`.

    Raises:
        MisplacedError: It is something else.
    """
    if isinstance(value, dict):
        if "base64" in value:
            return _decode_base64(value["base64"], place)
        return bytes_of(member(value, "string", place), (*place, "string"))
    if value is None:
        return b""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    raise MisplacedError(place, f"expected a text or bytes, found {kind_name(value)}")


def _decode_base64(value: Json, place: Place) -> bytes:
    try:
        return base64.b64decode(text_of(value, (*place, "base64")), validate=True)
    except ValueError as error:
        raise MisplacedError((*place, "base64"), f"is not base64: {error}") from error


def headers_of(value: Json, place: Place) -> tuple[Header, ...]:
    """Headers: a mapping of name to one value or several, or a list of pairs.

    Raises:
        MisplacedError: It is something else.
    """
    pairs = value.items() if isinstance(value, dict) else value or ()
    if not isinstance(value, dict | list | None):
        raise MisplacedError(place, f"expected a mapping, found {kind_name(value)}")
    found: list[Header] = []
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise MisplacedError(place, f"expected a name and a value, found {kind_name(pair)}")
        name, given = pair
        where = (*place, name) if isinstance(value, dict) else place
        values = given if isinstance(given, tuple | list) else [given]
        found += [(text_of(name, where), text_of(item, where)) for item in values]
    return tuple(found)
