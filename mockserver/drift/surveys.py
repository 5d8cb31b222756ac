"""What a recording or a snapshot holds, by method or collection, in the form that is compared."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import orjson

from mockserver.cassettes.files import read_cassette
from mockserver.drift.mcp import Definitions, survey_mcp
from mockserver.drift.shapes import Subject, add_value
from mockserver.errors import FormatError
from mockserver.messages import is_json, is_json_lines, media_type
from mockserver.messages.mcp_calls import is_mcp
from mockserver.model import Cassette, Interaction, Json, JsonObject, SessionSpec
from mockserver.snapshots.contracts import items_of
from mockserver.snapshots.resolver import SnapshotResolver
from mockserver.storage import Layer, merge_layers, read_object

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
