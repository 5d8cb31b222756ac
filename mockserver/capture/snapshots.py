"""Snapshots made of cassettes, the base files of a suite, and the overrides of its cases."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import jsonpatch
import orjson

from mockserver.apis.generic import SERVED_DOCUMENTS
from mockserver.apis.generic.answered_rows import collection_of, is_read, rows_of, with_path
from mockserver.errors import CaptureError, MockServerError
from mockserver.googleapi import Api, Catalog, Match
from mockserver.messages import header, read_json, read_json_object
from mockserver.model import (
    AnsweredCall,
    Capture,
    Cassette,
    Interaction,
    Json,
    JsonObject,
    SessionSpec,
    did_you_mean,
)
from mockserver.snapshots.resolver import SnapshotResolver
from mockserver.storage import Suite, read_object

CAPTURED = "00-capture.json"
"""The file that tells when the snapshot was captured."""


def write_base(suite: Path, raw: JsonObject, *, replace: bool) -> tuple[Path, ...]:
    """Write a snapshot into `base/` of a suite; the folders are made.

    Args:
        suite: The suite's folder.
        raw: Collection to resources, and `capturedAt`.
        replace: Whether files of the same names may be replaced.

    Returns:
        The files, `capturedAt` first.

    Raises:
        MockServerError: There are base files that are not to be replaced, or one of another name
            holds one of the collections.
        CaptureError: A file cannot be written.
    """
    base = suite / "base"
    moment = {name: value for name, value in raw.items() if name == "capturedAt"}
    files: dict[Path, Json] = {base / CAPTURED: moment} if moment else {}
    files |= {base / f"{name}.json": {name: raw[name]} for name in raw if name not in moment}
    check_base(suite, replace=replace)
    _check_other_files(base, files, raw)
    try:
        base.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            write_json(path, content)
    except OSError as error:
        raise CaptureError(f"cannot write {base}: {error.strerror or error}") from error
    return tuple(files)


def check_base(suite: Path, *, replace: bool) -> None:
    """Refuse a folder whose base would not be replaced, before anything is asked for it.

    Raises:
        MockServerError: There are base files, and they are not to be replaced.
    """
    there = sorted((suite / "base").glob("*.json"))
    if there and not replace:
        raise MockServerError(
            f"{there[0]} is there already", hint="--replace, or write to a suite of its own"
        )


def _check_other_files(base: Path, files: dict[Path, Json], raw: JsonObject) -> None:
    """Refuse to write beside a file that holds one of the collections, too."""
    for path in sorted(base.glob("*.json")):
        held = [] if path in files else sorted(raw.keys() & read_object(path).keys())
        if held:
            raise MockServerError(
                f"{path} holds {', '.join(held)} already, and both would be merged",
                hint="delete it, or write to a suite of its own",
            )


def write_json(path: Path, content: Json) -> None:
    """Write one JSON file, indented; whole or not at all.

    Raises:
        OSError: It cannot be written.
    """
    text = orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as file:
        draft = Path(file.name)
        file.write(text)
    try:
        draft.chmod(0o644)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


_OVERRIDE = "x-http-method-override"


@dataclass
class SnapshotResult:
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

    def make(self, cassette: Cassette) -> SnapshotResult:
        """Make a snapshot of a cassette; failed calls are told, never taken for empty lists."""
        made = SnapshotResult()
        collections: dict[str, _CollectionBuilder] = {}
        resources: dict[str, dict[str, dict[str, JsonObject]]] = {}
        for interaction in cassette.interactions:
            match = self._match(interaction)
            name = match.method.id if match else _request_path(interaction)
            answer = read_json(interaction.response.body)[0]
            if interaction.response.status >= 300 or not isinstance(answer, dict):
                made.failed.append((name, interaction.response.status))
                continue
            captures = self._captures.get(name, ()) if match else ()
            if match is not None and not captures and is_read(match.method):
                made.used += 1
                _add_rows(resources, match, interaction, answer)
                continue
            if match is None or not captures:
                made.unused[name] = made.unused.get(name, 0) + 1
                continue
            made.used += 1
            answered = AnsweredCall(
                name,
                _params(match, interaction),
                read_json_object(interaction.request.body),
                answer,
            )
            for capture in captures:
                _collect(collections, capture, answered)
        if cassette.info.recorded_at:
            made.raw["capturedAt"] = cassette.info.recorded_at
        made.raw |= {name: each.value() for name, each in sorted(collections.items())}
        if resources:
            made.raw[SERVED_DOCUMENTS] = {
                document: {name: list(rows.values()) for name, rows in sorted(several.items())}
                for document, several in sorted(resources.items())
            }
        return made

    @cached_property
    def _captures(self) -> Mapping[str, tuple[Capture, ...]]:
        return {name: captures for api in self._apis for name, captures in api.captures().items()}

    def _match(self, interaction: Interaction) -> Match | None:
        request = interaction.request
        verb = header(request.headers, _OVERRIDE) or request.method
        url = urlsplit(request.url)
        return self._catalog.match(url.netloc, verb, url.path)


def _add_rows(
    resources: dict[str, dict[str, dict[str, JsonObject]]],
    match: Match,
    interaction: Interaction,
    answer: JsonObject,
) -> None:
    """Put what a read of an API without a table of its own answers into `resources`."""
    document, name = collection_of(match.method)
    rows = resources.setdefault(document, {}).setdefault(name, {})
    query = urlsplit(interaction.request.url).query
    for _, key, row in rows_of(match.method, match.captures, answer, query):
        rows[key] = {**rows.get(key, {}), **with_path(match.method, match.captures, row)}


def _collect(
    collections: dict[str, "_CollectionBuilder"], capture: Capture, answered: AnsweredCall
) -> None:
    """Take what an answer gives; one whose resources are all of another collection gives none."""
    items = list(_items(capture, answered.answer))
    rows = [capture.reshape(item, answered) if capture.reshape else item for item in items]
    kept = [row for row in rows if row is not None]
    if kept or not items:
        collecting = collections.setdefault(capture.collection, _CollectionBuilder(capture))
        collecting.take(capture, answered, kept)


@dataclass
class _CollectionBuilder:
    """One collection, as its answers come in."""

    capture: Capture
    rows: dict[str, dict[object, JsonObject]] = field(default_factory=dict)

    def take(
        self, capture: Capture, answered: AnsweredCall, resources: Sequence[JsonObject]
    ) -> None:
        key = str(answered.params.get(capture.under, "")) if capture.shape == "lists" else ""
        rows = self.rows.setdefault(key, {})
        for row in resources:
            ident = _identity(capture, row)
            rows[ident] = _merge_rows(rows[ident], row, capture) if ident in rows else row

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
    told = [_value_at(row, path) for path in capture.identity] or [row]
    return orjson.dumps(told, option=orjson.OPT_SORT_KEYS)


def _value_at(row: JsonObject, path: str) -> Json:
    value: Json = row
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _merge_rows(old: JsonObject, new: JsonObject, capture: Capture) -> JsonObject:
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


def _request_path(interaction: Interaction) -> str:
    url = urlsplit(interaction.request.url)
    return f"{interaction.request.method} {url.netloc}{url.path}"


_OVERRIDES = "overrides.json"
_PATCH = "captured.patch.json"
_MOMENT = "capturedAt"


def minimal_override(
    base: Mapping[str, Json], captured: Mapping[str, Json]
) -> tuple[JsonObject, list[JsonObject]]:
    """What has to be put over a base to get what was captured.

    A collection that differs is replaced, or patched where the patch is the shorter one; one that
    was not captured stays.

    Returns:
        The override, and the operations of a patch (RFC 6902).

    >>> minimal_override({"a": [1] * 99, "b": [1]}, {"a": [1] * 98 + [2], "b": [7]})
    ({'b': [7]}, [{'op': 'replace', 'path': '/a/98', 'value': 2}])
    """
    override: JsonObject = {}
    patch: list[JsonObject] = []
    for name, value in captured.items():
        before = base.get(name)
        if name not in base:
            override[name] = value
        elif before != value:
            steps = jsonpatch.make_patch({name: before}, {name: value}).patch
            # an override's objects are merged, so that only a patch takes a key away
            if isinstance(before, dict) or len(orjson.dumps(steps)) < len(orjson.dumps(value)):
                patch += steps
            else:
                override[name] = value
    return override, patch


def write_override(
    captured: Path, suite: Path, case: str, only: Sequence[str], *, replace: bool
) -> Iterator[str]:
    """Write the override of a case.

    Args:
        captured: The folder of a suite that was captured.
        suite: The folder of the suite that the case belongs to.
        case: The case's id.
        only: Collections that count; all that were captured when empty.
        replace: Whether an override that is there may be replaced.

    Yields:
        Lines about what was written.

    Raises:
        MockServerError: A suite cannot be read, a collection was not captured, nothing differs, or
            the override is there.
        CaptureError: It cannot be written.
    """
    base = SnapshotResolver(suite).merged_snapshot(SessionSpec())
    found = SnapshotResolver(captured).merged_snapshot(SessionSpec())
    for name in only:
        if name not in found:
            raise MockServerError(
                f"{captured} does not hold {name!r}", hint=did_you_mean(name, found)
            )
    chosen = {name: found[name] for name in only or found if name != _MOMENT}
    lines = [*write_layers(base, chosen, Suite(suite).override_folder(case), replace=replace)]
    if not lines:
        raise MockServerError(f"what was captured is what the base of {suite} holds")
    yield from lines


def write_layers(
    base: Mapping[str, Json], wanted: Mapping[str, Json], folder: Path, *, replace: bool = False
) -> Iterator[str]:
    """Write what has to be put over a base to get what is wanted, as an override folder.

    Yields:
        Lines about what was written; none where nothing differs.

    Raises:
        MockServerError: The override is there.
        CaptureError: It cannot be written.
    """
    override, patch = minimal_override(base, wanted)
    files: dict[str, JsonObject | list[JsonObject]] = {}
    if override:
        files[_OVERRIDES] = override
    if patch:
        files[_PATCH] = patch
    if files:
        yield from _write_files(folder, files, replace=replace)


def _write_files(
    folder: Path, files: Mapping[str, JsonObject | list[JsonObject]], *, replace: bool
) -> Iterator[str]:
    there = [folder / name for name in (_OVERRIDES, _PATCH) if (folder / name).is_file()]
    if there and not replace:
        raise MockServerError(f"{there[0]} is there already", hint="--replace writes it anew")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            write_json(folder / name, content)
            what = ", ".join(content) if isinstance(content, dict) else f"{len(content)} steps"
            yield f"{folder / name}: {what}"
        for path in there:
            if path.name not in files:
                path.unlink()
    except OSError as error:
        raise CaptureError(f"cannot write {folder}: {error.strerror or error}") from error
