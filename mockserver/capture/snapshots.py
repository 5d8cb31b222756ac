"""Makes a base snapshot of a cassette: answers become resources, resources become collections."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import orjson

from mockserver.googleapi import Api, Catalog, Match
from mockserver.messages import header
from mockserver.model import (
    Answered,
    Capture,
    Cassette,
    Interaction,
    Json,
    JsonObject,
)

_OVERRIDE = "x-http-method-override"


@dataclass
class Made:
    """What a cassette came to.

    Attributes:
        raw: The snapshot, collection to resources as a suite's base files hold them.
        used: How many interactions gave something.
        failed: Interactions that were answered with an error: method and status.
        unused: Method, or host and path, that no API has a collection for; and how often.
    """

    raw: JsonObject = field(default_factory=dict)
    used: int = 0
    failed: list[tuple[str, int]] = field(default_factory=list)
    unused: dict[str, int] = field(default_factory=dict)


class SnapshotMaker:
    """Turns recorded answers into collections, by the tables of the APIs.

    Args:
        apis: The emulated APIs.
        catalog: The documents.
    """

    def __init__(self, apis: Sequence[Api], catalog: Catalog) -> None:
        self._apis = apis
        self._catalog = catalog

    def make(self, cassette: Cassette) -> Made:
        """Make a snapshot of a cassette; failed calls are told, never taken for empty lists."""
        made = Made()
        collections: dict[str, _Collecting] = {}
        for interaction in cassette.interactions:
            match = self._match(interaction)
            name = match.method.id if match else _place(interaction)
            answer = _json(interaction.response.body)
            if interaction.response.status >= 300 or not isinstance(answer, dict):
                made.failed.append((name, interaction.response.status))
                continue
            captures = self._captures.get(name, ()) if match else ()
            if match is None or not captures:
                made.unused[name] = made.unused.get(name, 0) + 1
                continue
            made.used += 1
            answered = Answered(name, _params(match, interaction), _body(interaction), answer)
            for capture in captures:
                _collect(collections, capture, answered)
        if cassette.info.recorded_at:
            made.raw["capturedAt"] = cassette.info.recorded_at
        made.raw |= {name: each.value() for name, each in sorted(collections.items())}
        return made

    @cached_property
    def _captures(self) -> Mapping[str, tuple[Capture, ...]]:
        return {name: captures for api in self._apis for name, captures in api.captures().items()}

    def _match(self, interaction: Interaction) -> Match | None:
        request = interaction.request
        verb = header(request.headers, _OVERRIDE) or request.method
        url = urlsplit(request.url)
        return self._catalog.match(url.netloc, verb, url.path)


def _collect(collections: dict[str, "_Collecting"], capture: Capture, answered: Answered) -> None:
    """Take what an answer gives; one whose resources are all of another collection gives none."""
    items = list(_items(capture, answered.answer))
    rows = [capture.reshape(item, answered) if capture.reshape else item for item in items]
    kept = [row for row in rows if row is not None]
    if kept or not items:
        collecting = collections.setdefault(capture.collection, _Collecting(capture))
        collecting.take(capture, answered, kept)


@dataclass
class _Collecting:
    """One collection, as its answers come in."""

    capture: Capture
    rows: dict[str, dict[object, JsonObject]] = field(default_factory=dict)

    def take(self, capture: Capture, answered: Answered, resources: Sequence[JsonObject]) -> None:
        key = str(answered.params.get(capture.under, "")) if capture.shape == "lists" else ""
        rows = self.rows.setdefault(key, {})
        for row in resources:
            ident = _identity(capture, row)
            rows[ident] = _merged(rows[ident], row, capture) if ident in rows else row

    def value(self) -> Json:
        if self.capture.shape == "lists":
            return {key: list(rows.values()) for key, rows in self.rows.items()}
        rows = list(self.rows.get("", {}).values())
        if self.capture.shape == "rows":
            return rows
        return {self.capture.under: rows} if self.capture.under else rows[-1] if rows else {}


def _items(capture: Capture, answer: JsonObject) -> Iterator[JsonObject]:
    listed: Any = answer.get(capture.items, []) if capture.items else [answer]
    yield from (item for item in listed if isinstance(item, dict))


def _identity(capture: Capture, row: JsonObject) -> object:
    if capture.shape == "object" and not capture.under:
        return ""
    told = [_at(row, path) for path in capture.identity] or [row]
    return orjson.dumps(told, option=orjson.OPT_SORT_KEYS)


def _at(row: JsonObject, path: str) -> Json:
    value: Json = row
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _merged(old: JsonObject, new: JsonObject, capture: Capture) -> JsonObject:
    joined = {
        name: [*old.get(name, ()), *(item for item in new.get(name, ()) if item not in old[name])]
        for name in capture.joined
        if name in old
    }
    return {**old, **new, **joined}


def _params(match: Match, interaction: Interaction) -> dict[str, Json]:
    request = interaction.request
    query = urlsplit(request.url).query
    if header(request.headers, _OVERRIDE):
        query = request.body.decode(errors="replace")
    params: dict[str, Json] = dict(match.captures)
    for name, value in parse_qsl(query, keep_blank_values=True):
        parameter = match.method.parameters.get(name)
        if parameter is not None and parameter.repeated:
            params.setdefault(name, []).append(value)
        else:
            params[name] = value
    return params


def _body(interaction: Interaction) -> JsonObject:
    found = _json(interaction.request.body)
    return found if isinstance(found, dict) else {}


def _json(body: bytes) -> Json:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def _place(interaction: Interaction) -> str:
    url = urlsplit(interaction.request.url)
    return f"{interaction.request.method} {url.netloc}{url.path}"
