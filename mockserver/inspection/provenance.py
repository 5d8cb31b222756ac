"""Where each field of an answer came from: a file of the suite, a write, a stub, a recording."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Literal, NamedTuple

import orjson

from mockserver.collections import Index, Store
from mockserver.errors import FormatError, InvalidFilesError, SessionError
from mockserver.googleapi import Api
from mockserver.inspection.layers import ABSENT, escape_token, flatten
from mockserver.model import Json, JsonObject
from mockserver.sessions.journal import Entry
from mockserver.sessions.session import Session
from mockserver.snapshots.resolver import ResolvedSnapshot, SnapshotResolver
from mockserver.sources.stubs import StubIndex
from mockserver.state import (
    TOKENS,
)

OriginKind = Literal[
    "base", "override", "inline", "session", "stub", "recording", "fault", "request", "method",
]  # fmt: skip
"""Who decided a value: a layer of the snapshot, a write of the session, a literal answer, a
recording, a fault, the request itself, or the method that made it."""

MOST_FIELDS = 600
"""Fields of one answer that are explained."""

_COMMON = 20
"""A value that more resources share than that identifies none of them."""

_LONGEST_ID = 300
_MOST_RAW = 200_000
_ERROR = 400
_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE", "GRPC"})
_SERVER_KEYS = frozenset({"http", "faults", "errors", "tools", "mcp", "$schema", "capturedAt"})
_IDENTIFYING = ("id", "name", "email", "path", "key", "qualifier", "etag")


class FieldOrigin(NamedTuple):
    """Where one field of an answer came from.

    Attributes:
        pointer: The field, a JSON pointer into the answer.
        value: Its value.
        kind: Who decided it.
        where: File and JSON pointer, `base/10-users.json#/users/3/name`; the recording; the fault;
            or an empty string.
        request: The number of the request that wrote it, or None.
        note: What else there is to say, or an empty string.
    """

    pointer: str
    value: Json
    kind: OriginKind
    where: str = ""
    request: int | None = None
    note: str = ""


class _Row(NamedTuple):
    """A resource that a part of an answer shows."""

    table: str
    key: str
    now: JsonObject | None
    started: JsonObject | None
    stored: JsonObject | None


class _RawPlace(NamedTuple):
    """An object of the snapshot as it was written."""

    pointer: str
    value: Mapping[str, Json]


class AnswerOrigins:
    """Explains the answers of one session.

    Args:
        session: The session.
        worlds: What its snapshot is read by.
        apis: The emulated APIs.

    Attributes:
        warning: Why the files may not be those that the session started from, or an empty string.
    """

    def __init__(
        self, session: Session, worlds: SnapshotResolver, apis: Sequence[Api] = ()
    ) -> None:
        self._session = session
        self._worlds = worlds
        self._apis = apis
        self.warning = ""
        self._resolved: ResolvedSnapshot | None = None
        try:
            self._resolved = worlds.resolve(session.spec)
        except (FormatError, InvalidFilesError, SessionError, FileNotFoundError) as error:
            self.warning = f"the suite cannot be read any more: {error}"
        if self._resolved is not None and dict(self._resolved.base.tables) != dict(
            session.base.tables
        ):
            self.warning = "the suite has changed since the session was opened; files are as now"

    def explain(self, entry: Entry) -> list[FieldOrigin]:
        """Where each field of an entry's answer came from, `MOST_FIELDS` of them at most.

        An answer that is no JSON has one field, with an empty pointer. An error that no fault, stub
        or recording answered has none: the method made it.
        """
        answer: Json
        try:
            answer = orjson.loads(entry.response)
        except orjson.JSONDecodeError:
            answer = entry.response.decode("utf-8", "replace")
        whole = self._whole_origin(entry)
        if whole is not None:
            kind, where, below = whole
            return [
                FieldOrigin(pointer, value, kind, f"{where}{pointer}" if below else where)
                for pointer, value in islice(flatten(answer).items(), MOST_FIELDS)
            ]
        if entry.status >= _ERROR:
            return []
        return list(islice(self._fields(answer, "", entry, None, ""), MOST_FIELDS))

    # --- answers that come from one place ---

    def _whole_origin(self, entry: Entry) -> tuple[OriginKind, str, bool] | None:
        """Kind and place of an answer that is from one place; whether fields are below it."""
        if entry.fault:
            return "fault", self._place_of_fault(entry.fault), False
        if entry.recording is not None:
            name, number = entry.recording.cassette, entry.recording.number
            replay = self._session.replay
            file = replay.files.get(name) if replay is not None else None
            return "recording", f"{file.name if file else name}, recording {number}", False
        if entry.source == "stub":
            return self._stub_origin(entry)
        if entry.method_id.startswith("tools.") and self._resolved is not None:
            name = entry.method_id.removeprefix("tools.")
            if "responses" in self._session.base.tools.get(name, {}):
                where = self._where(f"/tools/{escape_token(name)}")
                return self._kind_of(where), where, False
        return None

    def _place_of_fault(self, origin: str) -> str:
        name, _, rest = origin.partition(".") if "." in origin else (origin, "", "")
        if rest:
            return self._where(f"/{name}/{escape_token(rest)}")
        if origin.startswith("faults[") and origin.endswith("]"):
            return self._where(f"/faults/{origin[7:-1]}")
        return "armed by the control API" if origin == "control" else origin

    def _stub_origin(self, entry: Entry) -> tuple[OriginKind, str, bool]:
        index = StubIndex(self._session.base.stubs)
        below = "/" + entry.path[1:].partition("/")[2]  # the host may be the first part of a path
        found = [
            stub
            for path in (entry.path, below)
            for place in index.places(entry.host, path)
            for stub in place.stubs
            if stub.verb in {entry.http_method, "*"} and entry.status in _statuses(stub)
        ]
        named = [stub for stub in index.stubs if stub.id and stub.id == entry.method_id]
        chosen = next(iter(named or found), None)
        if chosen is None:
            return "stub", "a stub of a declared API" if not index.stubs else "", False
        before = self._session.base_before_stubs
        if before is not None and chosen.number >= len(before.stubs):
            return "stub", f"{chosen.place}, added to the session", False
        plain = len(chosen.answers) == 1 and chosen.answers[0].template is None
        pointer = f"/http/{chosen.number}"
        return "stub", self._where(f"{pointer}/body" if plain else pointer), plain

    # --- answers that are put together from resources ---

    def _fields(
        self, value: Json, pointer: str, entry: Entry, row: _Row | None, inside: str
    ) -> Iterator[FieldOrigin]:
        if isinstance(value, dict) and value:
            own = self._find_row(value, entry)
            if own is not None and (row is None or own.key != row.key):
                row, inside = own, ""
            for name, each in value.items():
                step = f"/{escape_token(name)}"
                yield from self._fields(each, pointer + step, entry, row, inside + step)
        elif isinstance(value, list) and value:
            for number, each in enumerate(value):
                step = f"/{number}"
                yield from self._fields(each, pointer + step, entry, row, inside + step)
        elif row is None:
            yield _made_by_method(pointer, value, entry)
        else:
            yield self._origin_in_row(pointer, value, entry, row, inside)

    def _origin_in_row(
        self, pointer: str, value: Json, entry: Entry, row: _Row, inside: str
    ) -> FieldOrigin:
        started = _at(row.started, inside)
        if started is not ABSENT and started == value:
            where, note = self._written_at(row, inside, value)
            return FieldOrigin(pointer, value, self._kind_of(where), where, None, note)
        now = _at(row.now, inside)
        if now is not ABSENT and now == value:
            return FieldOrigin(
                pointer, value, "session", f"{row.table}/{row.key}", self._writer_of(entry, row)
            )
        if row.now != row.started and _is_write(entry):
            return FieldOrigin(pointer, value, "session", f"{row.table}/{row.key}", entry.seq)
        return _made_by_method(pointer, value, entry)

    def _writer_of(self, entry: Entry, row: _Row) -> int | None:
        """The number of the latest request up to an entry that may have written a resource."""
        names = [row.key, *_identifiers(row.now or {}).values()]
        needles = [name.encode() for name in names if name]
        for each in reversed(self._session.journal.entries()):
            if each.seq > entry.seq or not _is_write(each):
                continue
            seen = [each.response, each.path.encode(), orjson.dumps([each.params, each.body])]
            if any(needle in text for needle in needles for text in seen):
                return each.seq
        return None

    # --- which resource a part of an answer shows ---

    @cached_property
    def _tables(self) -> Mapping[str, frozenset[str]]:
        """The collections of each API by the ids of its methods."""
        return {
            method_id: frozenset({*(item.name for item in api.collections), *api.reads})
            for api in self._apis
            for method_id in api.handlers
        }

    def _find_row(self, value: JsonObject, entry: Entry) -> _Row | None:
        """The resource that shares most fields with an object, and one that identifies it."""
        names = self._tables.get(entry.method_id) or ()
        world = self._session.world
        known = [name for name in world.names() if name != TOKENS]
        best: tuple[int, _Row] | None = None
        for name in [each for each in known if each in names] or known:
            for row in self._candidates(name, value):
                shown = (row.now, row.started)
                same = max(_shared_fields(value, each) for each in shown if each is not None)
                if same and (best is None or same > best[0]):
                    best = same, row
        return None if best is None or 2 * best[0] < _scalars(value) else best[1]

    def _candidates(self, name: str, value: JsonObject) -> Iterator[_Row]:
        world, base = self._session.world, self._session.base
        stored, _ = world.stored_table(name)
        started = base.tables.get(name, _NO_ROWS)
        seen: set[str] = set()
        for table in dict.fromkeys((stored, started)):
            for each in _identifiers(value).values():
                found = table.find(_BY_IDENTIFIER, each)
                for key in found.row_keys() if len(found) <= _COMMON else ():
                    if key not in seen:
                        seen.add(key)
                        yield self._row(name, key, stored, started)

    def _row(self, name: str, key: str, stored: Store, started: Store) -> _Row:
        world = self._session.world
        first, now = started.get(key), stored.get(key)
        if stored is started and now is not None:
            now = world.in_session_time(name, now)
        begun = None if first is None else world.in_session_time(name, first)
        return _Row(name, key, now, begun, first)

    # --- where a resource was written ---

    @cached_property
    def _raw_index(self) -> Mapping[str, Sequence[_RawPlace]]:
        found: dict[str, list[_RawPlace]] = {}
        raw = {} if self._resolved is None else self._resolved.raw
        left: list[tuple[str, Json]] = [
            (f"/{escape_token(key)}", value)
            for key, value in raw.items()
            if key not in _SERVER_KEYS
        ]
        for _ in range(_MOST_RAW):
            if not left:
                break
            pointer, value = left.pop()
            if isinstance(value, dict):
                for each in _identifiers(value).values():
                    found.setdefault(each.removeprefix("id:"), []).append(_RawPlace(pointer, value))
                left += [(f"{pointer}/{escape_token(name)}", item) for name, item in value.items()]
            elif isinstance(value, list):
                left += [(f"{pointer}/{number}", item) for number, item in enumerate(value)]
        return found

    def _written_at(self, row: _Row, inside: str, value: Json) -> tuple[str, str]:
        """File and pointer of a field of a resource, and what became of it when it was loaded."""
        place = self._raw_place(row)
        if place is None:
            return self._reshaped(row)
        raw = _at(place.value, inside)
        if raw is ABSENT:
            return self._where(place.pointer), "made of it when it was loaded"
        moved = raw != value
        is_stored = raw == _at(row.stored, inside)
        note = "" if not moved else "moved by the clock" if is_stored else "reshaped on loading"
        return self._where(place.pointer + inside), note

    def _raw_place(self, row: _Row) -> _RawPlace | None:
        stored = row.stored or {}
        names = dict.fromkeys([row.key, *_identifiers(stored).values()])
        best: tuple[int, bool, _RawPlace] | None = None
        for name in names:
            for place in self._raw_index.get(name.removeprefix("id:"), ())[:_COMMON]:
                same = _shared_fields(place.value, stored)
                own = f"/{escape_token(row.table.rpartition('/')[2])}/" in f"{place.pointer}/"
                if same and (best is None or (same, own) > best[:2]):
                    best = same, own, place
        return None if best is None else best[2]

    def _reshaped(self, row: _Row) -> tuple[str, str]:
        """Where a resource was made of that was written in another form, and how."""
        if self._resolved is None:
            return "", ""
        names = [row.key, *_identifiers(row.stored or {}).values()]
        for pointer, sentence in self._resolved.notes.changes:
            if any(name in sentence for name in names if len(name) > 2):
                return self._where(pointer), sentence
        return "", "made when the snapshot was loaded"

    def _where(self, pointer: str) -> str:
        return pointer if self._resolved is None else self._resolved.where(pointer)

    def _kind_of(self, where: str) -> OriginKind:
        """The layer that a place is in."""
        layer = where.partition("#")[0]
        if layer.startswith("inline["):
            return "inline"
        return "base" if "base/" in f"{layer.rpartition('/')[0]}/" else "override"

    def place_of(self, table: str, key: str) -> str:
        """File and pointer of a resource of the snapshot, or an empty string."""
        started = self._session.base.tables.get(table, _NO_ROWS)
        if started.get(key) is None:
            return ""
        stored, _ = self._session.world.stored_table(table)
        row = self._row(table, key, stored, started)
        place = self._raw_place(row)
        return self._reshaped(row)[0] if place is None else self._where(place.pointer)


_NO_ROWS = Store()


def _made_by_method(pointer: str, value: Json, entry: Entry) -> FieldOrigin:
    """A field that no resource has: of the request, or of the method."""
    sent: Iterable[tuple[str, Json]] = flatten(entry.body).items() if entry.body else ()
    name = pointer.rpartition("/")[2]
    for place, each in sent:
        if each == value and each not in (None, "", {}, []) and place.endswith(f"/{name}"):
            return FieldOrigin(pointer, value, "request", f"body {place}")
    for place, each in entry.params.items():
        if each == value and isinstance(each, str) and each:
            return FieldOrigin(pointer, value, "request", place)
    return FieldOrigin(pointer, value, "method", entry.method_id)


def _is_write(entry: Entry) -> bool:
    return entry.http_method in _WRITES and entry.status < _ERROR and entry.source != "control"


def _statuses(stub: Any) -> set[int]:
    return {answer.status for answer in stub.answers}


def _identifiers(value: Mapping[str, Json]) -> dict[str, str]:
    """The texts of an object by which people and methods know it."""
    own = value.get("id")  # activities have an object there
    inner = {f"id/{name}": each for name, each in own.items()} if isinstance(own, dict) else {}
    return {
        name: each
        for name, each in (*value.items(), *inner.items())
        if isinstance(each, str)
        and 0 < len(each) <= _LONGEST_ID
        and name.casefold().endswith(_IDENTIFYING)
    }


_BY_IDENTIFIER = Index(lambda key, row: dict.fromkeys((key, *_identifiers(row).values())))


def _shared_fields(one: Mapping[str, Json], other: Mapping[str, Json]) -> int:
    """How many fields of an object another one has with the same value."""
    return sum(name in other and other[name] == each for name, each in one.items())


def _scalars(value: Mapping[str, Json]) -> int:
    return sum(not isinstance(each, dict | list) for each in value.values())


def _at(value: Any, pointer: str) -> Any:
    """The value at a pointer, or `ABSENT`."""
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return ABSENT
    return ABSENT if value is None and not pointer else value
