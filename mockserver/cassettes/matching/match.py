"""Requests compared by less than all that counts, as a session or a cassette says."""

import orjson

from mockserver.cassettes.matching.canonical import Canonical
from mockserver.cassettes.matching.members import dropped, in_one_order, without_nulls
from mockserver.model import Header, Json, JsonObject, Match, pointer_path

_PLAIN = Match()
_LISTED = frozenset({"json", "lines", "form"})


def is_plain(match: Match | None) -> bool:
    """Whether a match compares all that counts."""
    return match is None or match == _PLAIN


def loosened(request: Canonical, match: Match) -> Canonical:
    """What a match compares of a request; equal for two requests that it takes for the same.

    Args:
        request: All that counts of it.
        match: What is compared.
    """
    kind, content = request.body
    listed = kind in _LISTED
    held: JsonObject = {
        "query": {name: list(values) for name, values in request.query},
        "headers": _by_name(request.headers),
        # a copy, for what counts of a request is shared
        "body": _fields(content) if kind == "form" else orjson.loads(orjson.dumps(content)),
    }
    for pointer in match.ignore:
        dropped(held, pointer_path(pointer))
    if match.null_is_absent:
        held["body"] = without_nulls(held["body"])
    for pointer in match.any_order:
        in_one_order(held, pointer_path(pointer))
    body: tuple[str, Json] = (kind, content)
    if listed:
        body = kind, _pairs(held["body"]) if kind == "form" else held["body"]
    return Canonical(
        request.method if "method" in match.parts else "",
        request.host if "host" in match.parts else "",
        request.path if "path" in match.parts else (),
        _pairs(held["query"]) if "query" in match.parts else (),
        _headers(held["headers"]) if "headers" in match.parts else (),
        body if "body" in match.parts else ("none", None),
    )


def _by_name(headers: tuple[Header, ...]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for name, value in headers:
        named.setdefault(name, []).append(value)
    return named


def _headers(named: dict[str, list[str]]) -> tuple[Header, ...]:
    return tuple((name, value) for name, values in named.items() for value in values)


def _fields(content: Json) -> JsonObject:
    return {name: list(values) for name, values in content}


def _pairs(fields: dict[str, list[str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((name, tuple(values)) for name, values in fields.items())
