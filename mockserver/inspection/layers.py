"""The layers of a session's state: what the base says, what the override does, what was written."""

import contextlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from mockserver.collections import Store
from mockserver.errors import FormatError, InvalidFilesError, SessionError
from mockserver.model import Json, JsonObject, SessionSpec, did_you_mean, shortened
from mockserver.redaction.journal_redaction import redact_journal_body
from mockserver.sessions.session import Session
from mockserver.snapshots.resolver import SnapshotResolver
from mockserver.state import (
    TOKENS,
    Base,
)

MOST_ROWS = 200
"""Resources of one page, at most."""

_EMPTY = Store()
_MOST_FIELDS = 2000
_LABELS = (
    "name", "displayName", "title", "summary", "primaryEmail", "email", "orgUnitPath", "subject",
    "description", "textPayload", "filename",
)  # fmt: skip
ABSENT: Any = object()


class Layers(NamedTuple):
    """The bases that a session's state stands on.

    Attributes:
        base: The base of its suite alone; None where it cannot be read any more.
        override: What the session started from: the base with its overrides.
    """

    base: Base | None
    override: Base


class ResourceLayers(NamedTuple):
    """One resource in each layer, in session time; None where a layer does not have it."""

    base: JsonObject | None
    override: JsonObject | None
    session: JsonObject | None

    @property
    def change(self) -> str:
        """What the session did to it: `added`, `changed`, `removed`, or nothing."""
        if self.session == self.override:
            return ""
        if self.override is None:
            return "added"
        return "removed" if self.session is None else "changed"

    @property
    def overridden(self) -> str:
        """What the override did to it, in the same words."""
        return ResourceLayers(None, self.base, self.override).change


def layers_of(session: Session, worlds: SnapshotResolver) -> Layers:
    """The layers of a session; its suite is read again where its files changed."""
    base: Base | None = None
    with contextlib.suppress(FormatError, InvalidFilesError, SessionError, FileNotFoundError):
        base = worlds.resolve(SessionSpec(base=session.spec.base, overrides=())).base
    return Layers(base, session.base)


def list_collections(session: Session, worlds: SnapshotResolver) -> list[JsonObject]:
    """The collections of a session that hold something, or held it.

    Returns:
        For each its `name`, how many `rows` it has now, and how many were `added`, `changed` and
        `removed`, by the override (`override`) and by the session (`session`).
    """
    layers, diff = layers_of(session, worlds), session.world.diff()
    found = []
    for name in session.world.names():
        if name == TOKENS:
            continue
        rows = len(session.world.table(name))
        override = _count_changes(layers, name)
        own = {kind: len(changed) for kind, changed in diff.get(name, {}).items()}
        if rows or own or override:
            found.append({"name": name, "rows": rows, "override": override, "session": own})
    return found


def _count_changes(layers: Layers, name: str) -> dict[str, int]:
    """How many resources the override added, changed and removed."""
    if layers.base is None:
        return {}
    before = layers.base.tables.get(name, _EMPTY)
    after = layers.override.tables.get(name, _EMPTY)
    if before is after:
        return {}
    counts: dict[str, int] = {}
    for key in {**before.rows(), **after.rows()}:
        kind = ResourceLayers(None, before.get(key), after.get(key)).change
        if kind:
            counts[kind] = counts.get(kind, 0) + 1
    return counts


def collection_page(
    session: Session,
    worlds: SnapshotResolver,
    name: str,
    *,
    text: str = "",
    changed: bool = False,
    offset: int = 0,
    limit: int = 50,
) -> JsonObject:
    """A page of a collection's resources, those that the session removed included.

    Args:
        session: The session.
        worlds: What its layers are read by.
        name: The collection.
        text: A text that a resource must have, in any case.
        changed: Whether only those are wanted that an override or the session touched.
        offset: How many are passed over.
        limit: How many are told.

    Returns:
        `rows` (`key`, `label`, `override` and `session`: what became of it there), `matched`,
        `total`.

    Raises:
        SessionError: 404: there is no such collection.
    """
    now = _table(session, name)
    layers = layers_of(session, worlds)
    override = layers.override.tables.get(name, _EMPTY)
    before = None if layers.base is None else layers.base.tables.get(name, _EMPTY)
    gone = [key for key in override.rows() if key not in now]
    keys = [*now.rows(), *gone]
    total, matched = len(keys), len(keys)
    needle = text.casefold()
    is_filtered = bool(changed or needle)
    if not is_filtered:  # only what is shown is looked at
        keys = keys[offset : offset + limit]
    found: list[tuple[str, ResourceLayers]] = []
    for key in keys:
        started = _in_session_time(session, name, override.get(key))
        own = override.get(key) if before is None else before.get(key)
        is_same = own is override.get(key)
        base = started if is_same else _in_session_time(session, name, own)
        held = ResourceLayers(base, started, now.get(key))
        if changed and not (held.change or held.overridden):
            continue
        if needle and needle not in f"{key} {_text_of(held.session or started)}".casefold():
            continue
        found.append((key, held))
    if is_filtered:
        matched, found = len(found), found[offset : offset + limit]
    return {
        "collection": name,
        "rows": [
            {
                "key": key,
                "label": _label(held.session or held.override or {}, key),
                "override": held.overridden,
                "session": held.change,
            }
            for key, held in found
        ],
        "matched": matched,
        "total": total,
    }


def resource_layers(
    session: Session, worlds: SnapshotResolver, name: str, key: str
) -> ResourceLayers:
    """One resource in each layer.

    Raises:
        SessionError: 404: no layer has it.
    """
    now, layers = _table(session, name), layers_of(session, worlds)
    started = layers.override.tables.get(name, _EMPTY).get(key)
    own = started if layers.base is None else layers.base.tables.get(name, _EMPTY).get(key)
    if now.get(key) is None and started is None and own is None:
        raise SessionError(f"no resource {shortened(key)!r} in {name!r}", status=404)
    return ResourceLayers(
        _in_session_time(session, name, own),
        _in_session_time(session, name, started),
        now.get(key),
    )


def compare_fields(held: ResourceLayers) -> list[JsonObject]:
    """Each field of a resource with its value in every layer that has it; no secret is told.

    Returns:
        `pointer`, the layers' values, and `changed`: the layers that differ from the one before.
    """
    flat = [flatten(redact_journal_body(each)) if each is not None else {} for each in held]
    fields = []
    for pointer in list(dict.fromkeys(place for each in flat for place in each))[:_MOST_FIELDS]:
        base, override, own = (each.get(pointer, ABSENT) for each in flat)
        changed = [] if override == base else ["override"]
        changed += [] if own == override else ["session"]
        values = {"base": base, "override": override, "session": own}
        kept = {layer: value for layer, value in values.items() if value is not ABSENT}
        fields.append({"pointer": pointer, **kept, "changed": changed})
    return fields


def flatten(value: Json, pointer: str = "") -> dict[str, Json]:
    """The leaves of a value by their JSON pointers; empty objects and arrays are leaves.

    >>> flatten({"a": {"b": 1, "c/d": []}})
    {'/a/b': 1, '/a/c~1d': []}
    """
    found: dict[str, Json] = {}
    left: list[tuple[str, Json]] = [(pointer, value)]
    while left:
        place, each = left.pop()
        if isinstance(each, dict) and each:
            inner = [(f"{place}/{escape_token(name)}", item) for name, item in each.items()]
            left += reversed(inner)
        elif isinstance(each, list) and each:
            left += reversed([(f"{place}/{number}", item) for number, item in enumerate(each)])
        else:
            found[place] = each
    return found


def escape_token(name: str) -> str:
    """A name as a token of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def _table(session: Session, name: str) -> Store:
    known = [each for each in session.world.names() if each != TOKENS]
    if name not in known:
        hint = did_you_mean(name, known)
        raise SessionError(f"no collection {shortened(name)!r}", status=404, hint=hint)
    return session.world.table(name)


def _in_session_time(session: Session, name: str, row: JsonObject | None) -> JsonObject | None:
    return None if row is None else session.world.in_session_time(name, row)


def _text_of(row: JsonObject | None) -> str:
    return orjson.dumps(redact_journal_body(row)).decode() if row else ""


def _label(row: Mapping[str, Json], key: str) -> str:
    """What people know a resource by, where that is not its key."""
    for name in _LABELS:
        value = row.get(name)
        if isinstance(value, dict):
            value = value.get("fullName")
        if isinstance(value, str) and value and value != key:
            return value[:200]
    return ""
