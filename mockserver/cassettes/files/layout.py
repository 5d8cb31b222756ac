"""The layout of a cassette as a mapping: vcrpy's version 1, with our facts beside it.

```
version: 1
match: {parts, ignore, null_is_absent, any_order, varies}
recorded_with: {recorded_at, recorded_by, key_id, upstream, revisions, plan, extra}
interactions:
- request: {body, headers, method, uri}
  response: {body: {string}, headers, status: {code, message}}
  (a body in a file of its own: {file: {sha256, bytes}})
  recorded: {at, duration_ms, method_id, request_coding, response_coding, chunks,
             request_header_order, response_header_order, review, ended}
```
"""

import base64
from collections.abc import Iterable
from dataclasses import asdict, fields

from mockserver.cassettes.files.yaml_scalars import body_text
from mockserver.model import (
    CASSETTE_VERSION,
    BodyFile,
    Cassette,
    CassetteInfo,
    Header,
    Interaction,
    Json,
    JsonObject,
    Match,
    RecordedRequest,
)

INFO = tuple(field.name for field in fields(CassetteInfo) if field.name != "match")
MATCH = tuple(field.name for field in fields(Match))


def info_mapping(info: CassetteInfo) -> JsonObject:
    """What a cassette says about itself, without what is empty."""
    return {name: value for name, value in asdict(info).items() if value and name in INFO}


def match_mapping(match: Match | None) -> JsonObject:
    """How the requests of a cassette are compared, without what is as usual."""
    if match is None:
        return {}
    usual = Match()
    found = {name: getattr(match, name) for name in MATCH}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in found.items()
        if value != getattr(usual, name)
    }


def facts_mapping(interaction: Interaction) -> JsonObject:
    """What vcrpy's layout has no place for, without what is empty; `ended` comes last, always."""
    request, response = interaction.request, interaction.response
    facts: JsonObject = {
        "at": interaction.recorded_at,
        "duration_ms": float(interaction.duration_ms),
        "method_id": interaction.method_id,
        "request_coding": request.coding,
        "response_coding": response.coding,
        "chunks": [[to_microseconds(chunk.at_ms), chunk.size] for chunk in response.chunks],
        "request_header_order": header_order(request.headers),
        "response_header_order": header_order(response.headers),
        "review": list(interaction.review),
    }
    return {name: value for name, value in facts.items() if value} | {"ended": response.ended}


def to_microseconds(milliseconds: float) -> float:
    """A time as exact as cassettes keep it."""
    return round(float(milliseconds), 3)


def format_ms(milliseconds: float) -> str:
    """A time in milliseconds as JSON and YAML both read it.

    >>> format_ms(12.5), format_ms(3.0), format_ms(0.0004)
    ('12.5', '3.0', '0.0')
    """
    written = f"{milliseconds:.3f}".rstrip("0")
    return written + "0" if written.endswith(".") else written


def group_headers(headers: Iterable[Header]) -> dict[str, list[str]]:
    """Headers by name, in the order of their first value.

    >>> group_headers([("A", "1"), ("B", "2"), ("A", "3")])
    {'A': ['1', '3'], 'B': ['2']}
    """
    values: dict[str, list[str]] = {}
    for name, value in headers:
        values.setdefault(name, []).append(value)
    return values


def header_order(headers: tuple[Header, ...]) -> list[int]:
    """Which name each header has, by number, where grouping by name loses their order; else empty.

    >>> header_order((("A", "1"), ("B", "2"), ("A", "3")))
    [0, 1, 0]
    """
    numbers: dict[str, int] = {}
    order = [numbers.setdefault(name, len(numbers)) for name, _ in headers]
    return order if order != sorted(order) else []


def restore_order(headers: dict[str, list[str]], order: list[int]) -> tuple[Header, ...] | None:
    """Headers as they were sent; None where the order does not fit them.

    >>> restore_order({"A": ["1", "3"], "B": ["2"]}, [0, 1, 0])
    (('A', '1'), ('B', '2'), ('A', '3'))
    """
    if not order:
        return tuple((name, value) for name, values in headers.items() for value in values)
    names = list(headers)
    waiting = [iter(values) for values in headers.values()]
    found = [
        (names[place], next(waiting[place], None)) for place in order if 0 <= place < len(names)
    ]
    given = tuple((name, value) for name, value in found if value is not None)
    whole = len(given) == len(order) == sum(map(len, headers.values()))
    return given if whole else None


def interaction_mapping(interaction: Interaction) -> JsonObject:
    """One interaction as JSON; a body that is no text stands under `base64`."""
    request, response = interaction.request, interaction.response
    facts = facts_mapping(interaction)
    if "duration_ms" in facts:
        facts["duration_ms"] = to_microseconds(facts["duration_ms"])
    return {
        "request": {
            "body": _request_body(request),
            "headers": group_headers(request.headers),
            "method": request.method,
            "uri": request.url,
        },
        "response": {
            "body": file_mapping(response.file) or _response_body(response.body),
            "headers": group_headers(response.headers),
            "status": {"code": response.status, "message": response.reason},
        },
        "recorded": facts,
    }


def file_mapping(file: BodyFile | None) -> JsonObject:
    """Where a body is that has a file of its own; nothing for one that has none."""
    return {"file": {"sha256": file.digest, "bytes": file.size}} if file else {}


def _request_body(request: RecordedRequest) -> Json:
    if request.file:
        return file_mapping(request.file)
    return _json_body(request.body) if request.body else None


def _json_body(body: bytes) -> Json:
    text = body_text(body)
    return {"base64": base64.b64encode(body).decode()} if text is None else text


def _response_body(body: bytes) -> JsonObject:
    written = _json_body(body)
    return {"string": written} if isinstance(written, str) else written


def cassette_mapping(cassette: Cassette) -> JsonObject:
    """A whole cassette as JSON."""
    about, match = info_mapping(cassette.info), match_mapping(cassette.info.match)
    return {
        "version": CASSETTE_VERSION,
        **({"match": match} if match else {}),
        **({"recorded_with": about} if about else {}),
        "interactions": [interaction_mapping(item) for item in cassette.interactions],
    }
