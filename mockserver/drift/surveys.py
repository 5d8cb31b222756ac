"""What a recording or a snapshot holds, by method or collection, in the form that is compared."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import orjson

from mockserver.cassettes.files import read_cassette
from mockserver.drift.shapes import Subject, add_value
from mockserver.errors import FormatError
from mockserver.messages import is_json, is_json_lines, media_type
from mockserver.messages.mcp_calls import GREETINGS, McpCall, is_mcp, mcp_call
from mockserver.model import Cassette, Interaction, Json, JsonObject, SessionSpec
from mockserver.snapshots.contracts import items_of
from mockserver.snapshots.resolver import SnapshotResolver
from mockserver.storage import Layer, merge_layers, read_object

Definitions = Mapping[str, Mapping[str, JsonObject]]
"""What servers list: kind of thing to name to its definition."""

_LISTS = {
    "tools/list": ("tools", "name"),
    "resources/list": ("resources", "uri"),
    "resources/templates/list": ("resourceTemplates", "uriTemplate"),
    "prompts/list": ("prompts", "name"),
}
"""A method that lists to the member that holds the things, and to what each is called by."""

SERVER = "server"
"""The kind of definition that a server itself is."""

_OF_PROTOCOL = frozenset({"_meta", "cacheScope", "resultType", "ttlMs"})

_FAILED, _REFUSED, _DONE = 500, 400, 200


def subject_of(call: McpCall) -> str:
    """What a call is compared as: a tool or a prompt of its own, else its method.

    >>> subject_of(McpCall("tools/call", {"name": "add"})), subject_of(McpCall("tools/list", {}))
    ('tools.add', 'mcp.tools.list')
    """
    name = call.params.get("name")
    if call.method in {"tools/call", "prompts/get"} and isinstance(name, str):
        return f"{call.method.partition('/')[0]}.{name}"
    return "mcp." + call.method.replace("/", ".")


def survey_mcp(
    interactions: Iterable[Interaction],
) -> tuple[dict[str, Subject], Definitions]:
    """What recordings of MCP hold: subjects, and what was listed last under each name."""
    subjects: dict[str, Subject] = {}
    listed: dict[str, dict[str, JsonObject]] = {}
    for interaction in interactions:
        if not is_mcp(interaction):
            continue
        try:
            call = mcp_call(interaction)
        except ValueError:
            continue
        if call.method in GREETINGS:
            listed.setdefault(SERVER, {})[""] = _introduction(call.result or {})
            continue
        subject = subjects.setdefault(subject_of(call), Subject())
        if call.method in _LISTS:
            kind, key = _LISTS[call.method]
            listed.setdefault(kind, {}).update(_items_by_name(call.result or {}, kind, key))
            subject.count = 1
            continue
        status = _status(call)
        subject.count += 1
        subject.statuses[status] += 1
        if status == _DONE and call.result is not None:
            add_value(subject.shape, _parsed_texts(call.result))
    return subjects, listed


def _introduction(result: JsonObject) -> JsonObject:
    """What a server says of itself, whichever version of the protocol it was asked in."""
    meta, info = result.get("_meta"), result.get("serverInfo")
    if info is None and isinstance(meta, dict):
        info = next((meta[key] for key in meta if key.endswith("/serverInfo")), None)
    told: JsonObject = {"serverInfo": info or {}}
    return told | ({"instructions": result["instructions"]} if "instructions" in result else {})


def _status(call: McpCall) -> int:
    if call.result is None:
        return _REFUSED
    return _FAILED if call.result.get("isError") is True else _DONE


def _items_by_name(result: JsonObject, kind: str, key: str) -> Iterator[tuple[str, JsonObject]]:
    things = result.get(kind)
    for thing in things if isinstance(things, list) else ():
        if isinstance(thing, dict) and isinstance(thing.get(key), str):
            yield thing[key], thing


def _parsed_texts(result: JsonObject) -> JsonObject:
    """A result without what versions of the protocol add; texts that are JSON as what they say."""
    found = {name: value for name, value in result.items() if name not in _OF_PROTOCOL}
    content = found.get("content")
    if isinstance(content, list):
        found["content"] = [_parsed_text(block) for block in content]
    return found


def _parsed_text(block: Json) -> Json:
    if not isinstance(block, dict) or not isinstance(block.get("text"), str):
        return block
    try:
        value = orjson.loads(block["text"])
    except orjson.JSONDecodeError:
        return block
    return {**block, "text": value} if isinstance(value, dict | list) else block


Kind = Literal["cassette", "snapshot"]
Naming = Callable[[Interaction], str]

_PAGE_TOKENS = ("pageToken", "page_token")
_NOT_COLLECTIONS = frozenset({"capturedAt", "errors", "faults", "http"})
_YAML = {".yaml", ".yml"}


@dataclass(frozen=True, slots=True)
class Survey:
    """What is compared with another one.

    Attributes:
        kind: What it is of.
        name: The file or folder, as given.
        taken_at: RFC 3339: the oldest of its recordings, or the snapshot's `capturedAt`; empty
            where it does not say.
        subjects: By method id (or verb and path, where no method is known), or by collection.
        definitions: What MCP servers list.
    """

    kind: Kind
    name: str
    taken_at: str
    subjects: Mapping[str, Subject]
    definitions: Definitions = field(default_factory=dict)


def survey_interactions(interactions: Iterable[Interaction], naming: Naming) -> dict[str, Subject]:
    """What some interactions hold, by the name that each is given."""
    subjects: dict[str, Subject] = {}
    for interaction in interactions:
        subject = subjects.setdefault(naming(interaction), Subject())
        response = interaction.response
        subject.count += 1
        subject.statuses[response.status] += 1
        subject.pages += _is_further_page(interaction.request.url)
        if response.status < 400:
            for value in _answer_values(interaction):
                add_value(subject.shape, value)
    return subjects


def survey_snapshot(raw: Mapping[str, Json]) -> dict[str, Subject]:
    """What a raw snapshot holds, by collection."""
    subjects: dict[str, Subject] = {}
    for name, value in raw.items():
        if name in _NOT_COLLECTIONS:
            continue
        subject = subjects[name] = Subject()
        for _, item in items_of(value):
            add_value(subject.shape, item)
            subject.count += 1
    return subjects


def path_name(interaction: Interaction) -> str:
    """Verb, host and path of a request whose method is not known; ids stand as `*`.

    >>> from mockserver.model import RecordedRequest, RecordedResponse
    >>> request = RecordedRequest("GET", "https://api.example.com/v1/users/1093/tags?x=1")
    >>> path_name(Interaction(request, RecordedResponse(200)))
    'GET api.example.com/v1/users/*/tags'
    """
    url = urlsplit(interaction.request.url)
    steps = ["*" if _is_id(step) else step for step in url.path.split("/")]
    return f"{interaction.request.method} {url.netloc}{'/'.join(steps)}"


def is_json_answer(interaction: Interaction) -> bool:
    """Whether an answer is whole and says that it is JSON."""
    response = interaction.response
    return bool(response.body) and is_json(media_type(response.headers))


def _is_id(step: str) -> bool:
    return bool(re.search(r"\d{3}|[%@]|^\d+$|[0-9a-fA-F]{8}", step))


def _is_further_page(url: str) -> bool:
    query = urlsplit(url).query
    return any(f"{name}=" in query for name in _PAGE_TOKENS)


def _answer_values(interaction: Interaction) -> list[Json]:
    """The values of an answer: its JSON, or each line of it; what is neither is its media type."""
    response = interaction.response
    if not response.body:
        return []
    kind = media_type(response.headers)
    try:
        if is_json(kind):
            return [orjson.loads(response.body)]
        if is_json_lines(kind):
            return [orjson.loads(line) for line in response.body.splitlines() if line.strip()]
    except orjson.JSONDecodeError:
        return [f"{kind}, not JSON"]
    return [kind]


@dataclass(frozen=True, slots=True)
class Source:
    """What was read; one of the two is there.

    Attributes:
        name: The file or folder, as given.
        cassette: The interactions, or None.
        snapshot: The raw snapshot, or None.
    """

    name: str
    cassette: Cassette | None = None
    snapshot: JsonObject | None = None


def read_source(path: Path) -> Source:
    """Read a cassette (YAML, or JSON with `interactions`), or a snapshot: suite, folder or file.

    Raises:
        FormatError: It is none of these, or cannot be read.
    """
    if path.is_dir():
        return Source(str(path), snapshot=_read_snapshot(path))
    if path.suffix in _YAML:
        return Source(str(path), cassette=read_cassette(path))
    value = read_object(path)
    if isinstance(value.get("interactions"), list | dict):
        return Source(str(path), cassette=read_cassette(path))
    return Source(str(path), snapshot=value)


def survey(source: Source, naming: Naming) -> Survey:
    """What a source holds, in the form that is compared.

    Args:
        source: The cassette or snapshot.
        naming: Names the method of a recorded call, see `Documents.name`.
    """
    if source.cassette is not None:
        others = (each for each in source.cassette.interactions if not is_mcp(each))
        subjects = survey_interactions(others, naming)
        of_mcp, definitions = survey_mcp(source.cassette.interactions)
        when = taken_at(source.cassette)
        return Survey("cassette", source.name, when, {**subjects, **of_mcp}, definitions)
    raw = source.snapshot or {}
    captured = raw.get("capturedAt")
    when = captured if isinstance(captured, str) else ""
    return Survey("snapshot", source.name, when, survey_snapshot(raw))


def taken_at(cassette: Cassette) -> str:
    """When the oldest of a cassette's interactions was recorded; empty where it does not say.

    A newer one beside it makes a recording no younger.
    """
    times = [each.recorded_at for each in cassette.interactions if each.recorded_at]
    return min(times, default=cassette.info.recorded_at)


def _read_snapshot(folder: Path) -> JsonObject:
    if (folder / "base").is_dir() or (folder / "fixtures" / "base").is_dir():
        return SnapshotResolver(folder).merged_snapshot(SessionSpec())
    files = sorted(folder.glob("*.json"))
    if not files:
        raise FormatError(
            str(folder), "holds no snapshot", hint="name a suite, or a folder of JSON files"
        )
    return merge_layers([Layer(path.name, read_object(path)) for path in files])
