"""Turns a resolved snapshot into the tables that the APIs serve."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import (
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)
from typing_extensions import override

from mockserver.apis import generic
from mockserver.apis.generic import SERVED_DOCUMENTS
from mockserver.collections import LazyRows, Store
from mockserver.errors import Problem, plain_reason
from mockserver.googleapi import Api, SnapshotImport, code_name
from mockserver.model import FEW, Fault, Frozen, Json, JsonObject, did_you_mean, shortened
from mockserver.state import (
    Base,
    newest_time,
    parse_clock_time,
)
from mockserver.storage import kind_of
from mockserver.stubs import SocketStep, StubRules, socket_problems, stub_problems


def unserved_collections(raw: Mapping[str, Json], apis: Sequence[Api]) -> Iterator[Problem]:
    """Collections of `resources` whose methods are emulated from other keys, or that none reads.

    Args:
        raw: The resolved snapshot.
        apis: The emulated APIs.

    Yields:
        An error for each, its place a JSON pointer.
    """
    documents = raw.get(SERVED_DOCUMENTS)
    for key, collections in documents.items() if isinstance(documents, dict) else ():
        for name, rows in collections.items() if isinstance(collections, dict) else ():
            found = generic.find_collection(key, name) if rows else None
            if found is None:
                continue
            problem = _unread(key, name, apis)
            if problem is not None:
                where = f"/{SERVED_DOCUMENTS}/{key}/{name.replace('~', '~0').replace('/', '~1')}"
                yield Problem(where, *problem)


def _unread(key: str, name: str, apis: Sequence[Api]) -> tuple[str, str] | None:
    """Why nothing reads a collection, and what to do; None where something does."""
    found = generic.find_collection(key, name)
    if found is None or any(found.table in api.reads for api in apis):
        return None
    if not found.readers:
        return f"no method of {key} reads or changes {name!r}, so it is never served", ""
    document = tuple(key.split(":", 1))
    own = [api for api in apis if document in api.documents and not api.beside_conventions]
    # a resource is emulated or generic, never half of each
    emulated = {method.rpartition(".")[0] for api in own for method in api.handlers}
    if not emulated.issuperset(reader.rpartition(".")[0] for reader in found.readers):
        return None
    exact = [
        item.name
        for api in own
        for item in api.collections
        if item.resource.partition("#")[2] == found.schema
    ]
    reader = found.readers[0]
    text = f"{reader} is emulated and does not read {SERVED_DOCUMENTS!r}, so it is never served"
    if not exact:
        return text, "remove it"
    keys = " or ".join(map(repr, exact))
    return text, f"write it under the key {keys}"


SERVER_KEYS: Mapping[str, str] = {
    "$schema": "where an editor finds the JSON Schema of snapshots",
    "capturedAt": "when the snapshot was true (RFC 3339)",
    "errors": "tool or method name to the error it answers with",
    "faults": "fault scripts",
    "http": "literal HTTP answers",
    "mcp": "what MCP clients are served beside tools, and how tools behave over MCP",
    "tools": "tools with their responses",
}
"""Keys of a snapshot that no API owns."""

_EPOCH = "2026-01-01T00:00:00Z"
_CODES = {
    code_name(status): status for status in (400, 401, 403, 404, 409, 429, 500, 501, 503, 504)
}
_ABSENT: Any = object()
_UNFORESEEN = (TypeError, ValueError, LookupError, AttributeError, OverflowError)
"""What reading rows of shapes that no API has may raise."""
_LINT = "understudy snapshot lint tells fields of a wrong type"


class Stub(StubRules):
    """A literal HTTP answer, as a snapshot's `http` has them.

    Attributes:
        method: The HTTP method; `*` is any.
        url: `host/path`, or `/path` on any host; `{name}` stands for one segment of the path.
        socket: The steps of a WebSocket that is opened there.
    """

    method: str = "GET"
    url: str
    socket: tuple[SocketStep, ...] = ()

    @model_serializer(mode="wrap")
    def _without_nothing(self, dump: SerializerFunctionWrapHandler) -> JsonObject:
        found: JsonObject = dump(self)
        if not self.socket:
            found.pop("socket", None)
        return found

    @model_validator(mode="after")
    def _opens_by_get(self) -> "Stub":
        others = self.model_fields_set & {"body", "sequence", "status"}
        if self.socket and (others or self.method not in {"GET", "*"}):
            what = sorted(others)[0] if others else f"method {self.method}"
            raise ValueError(f"a WebSocket (socket) is opened by GET and has no {what}")
        return self


class _WatchedMapping(Mapping[str, Any]):
    """A mapping that notes what was read of it, so that a result is kept while that is the same."""

    def __init__(self, values: Mapping[str, Any], seen: dict[str, Any]) -> None:
        self._values = values
        self._seen = seen

    @override
    def __getitem__(self, key: str) -> Any:
        self._seen.pop(key, None)  # what was read last is told where it cannot be read
        self._seen[key] = self._values.get(key, _ABSENT)
        return self._values[key]

    @override
    def __iter__(self) -> Iterator[str]:
        self._seen.update(self._values)
        return iter(self._values)

    @override
    def __len__(self) -> int:
        return len(self._values)


@dataclass(frozen=True)
class ImportedTables:
    """What one API made of a snapshot, and of which values; kept while those are the same."""

    read: Mapping[str, Any]
    customer: str
    tables: Mapping[str, Store]
    result: SnapshotImport

    def holds(self, raw: Mapping[str, Json], customer: str) -> bool:
        """Whether another snapshot would give the same, because it shares all that was read."""
        return self.customer == customer and all(
            raw.get(key, _ABSENT) is value for key, value in self.read.items()
        )


class Importer:
    """Imports snapshots with a set of APIs; snapshots that share values share tables."""

    def __init__(self, apis: Sequence[Api]) -> None:
        self._apis = apis
        self._last: dict[str, list[ImportedTables]] = {api.name: [] for api in apis}
        self._times = {
            collection.name: collection.times
            for api in apis
            for collection in api.collections
            if collection.times
        }
        self._makers = {
            collection.name: collection.make
            for api in apis
            for collection in api.collections
            if collection.make is not None
        }
        self.keys = {
            **SERVER_KEYS,
            **{item.name: item.about for api in apis for item in api.collections},
        }
        self._error_names = {
            name: method for api in apis for name, method in api.error_names.items()
        }

    def import_snapshot(self, raw: Mapping[str, Json]) -> tuple[Base, SnapshotImport]:
        """The base that a resolved snapshot makes, and the notes of all its imports together."""
        notes = SnapshotImport(raw=raw, customer=_customer(raw))
        notes.problems += self._unknown_keys(raw)
        tables: dict[str, Store] = {}
        for api in self._apis:
            done = self._import_tables(api, raw, notes.customer)
            tables.update(done.tables)
            notes.times.update(done.result.times)
            notes.faults += done.result.faults
            notes.changes += done.result.changes
            notes.problems += done.result.problems
            notes.checks += done.result.checks
            notes.silent |= done.result.silent
        notes.problems += unserved_collections(raw, self._apis)
        times = {**self._times, **notes.times}
        captured = _captured_at(raw, tables, times, notes.problems)
        notes.faults += self._faults(raw, notes.problems)
        base = Base(
            tables=tables,
            times=times,
            captured_at=captured,
            faults=tuple(notes.faults),
            stubs=tuple(_stubs(raw, notes.problems)),
            tools=_object(raw, "tools", notes.problems),
            keys=frozenset(raw),
            mcp=_object(raw, "mcp", []),
            silent=frozenset(notes.silent),
        )
        return base, notes

    def _import_tables(self, api: Api, raw: Mapping[str, Json], customer: str) -> ImportedTables:
        kept = self._last[api.name]
        for place, earlier in enumerate(kept):
            if earlier.holds(raw, customer):
                kept.insert(0, kept.pop(place))
                return earlier
        seen: dict[str, Any] = {}
        result = SnapshotImport(raw=_WatchedMapping(raw, seen), customer=customer)
        if api.import_snapshot is not None:
            try:
                api.import_snapshot(result)
                if api is generic.API:
                    for each in filter(None, (other.complete_rows for other in self._apis)):
                        each(result)
            except _UNFORESEEN as error:
                problem = f"holds a value that {api.name} cannot read: {error}"
                result.problems.append(Problem(f"/{next(reversed(seen), '')}", problem, _LINT))
        done = ImportedTables(seen, customer, self.stores(result), result)
        kept.insert(0, done)
        del kept[_KEPT:]
        return done

    def stores(self, found: SnapshotImport) -> dict[str, Store]:
        """The tables that one API's import filled."""
        tables = {name: Store(rows) for name, rows in found.tables.items()}
        for name, sources in found.sources.items():
            tables[name] = Store(LazyRows(sources, self.maker(name, found.customer)))
        return tables

    def maker(self, table: str, customer: str) -> Callable[[str, JsonObject], JsonObject]:
        """What makes the rows of a table of what an import has for them."""
        make = self._makers[table]
        return lambda key, source: make(key, source, customer)

    def _unknown_keys(self, raw: Mapping[str, Json]) -> Iterator[Problem]:
        for number, key in enumerate(key for key in raw if key not in self.keys):
            hint = did_you_mean(key, self.keys) if number < FEW else ""
            where = f"/{key.replace('~', '~0').replace('/', '~1')}"
            yield Problem(where, f"unknown collection {shortened(key)!r}", hint)

    def _faults(self, raw: Mapping[str, Json], problems: list[Problem]) -> Iterator[Fault]:
        for name, value in _object(raw, "errors", problems).items():
            fault = self._named_error(name, value, problems)
            if fault is not None:
                yield fault
        for number, value in enumerate(_array(raw, "faults", problems)):
            try:
                yield Fault.model_validate({**value, "origin": f"faults[{number}]"})
            except (ValidationError, TypeError) as error:
                problems += _invalid(f"/faults/{number}", error, Fault)

    def _named_error(self, name: str, value: Json, problems: list[Problem]) -> Fault | None:
        method = self._error_names.get(name)
        where = f"/errors/{name}"
        if method is None:
            few = len(problems) < FEW
            hint = did_you_mean(name, self._error_names) if few else ""
            problems.append(Problem(where, f"unknown error name {shortened(name)!r}", hint))
            return None
        if not isinstance(value, str) or not value:
            problems.append(
                Problem(
                    where, f"expected text such as 'UNAUTHENTICATED: ...', found {kind_of(value)}"
                )
            )
            return None
        code, _, message = value.partition(":")
        known = code.strip().upper() in _CODES
        return Fault(
            method=method,
            status=_CODES.get(code.strip().upper(), 500),
            message=(message if known else value).strip(),
            origin=f"errors.{name}",
        )


_KEPT = 64
"""Imports of one API that are kept: the base's, and those of recent overrides."""


def _customer(raw: Mapping[str, Json]) -> str:
    customer = raw.get("customer")
    found = customer.get("id") if isinstance(customer, dict) else None
    return found if isinstance(found, str) and found else "C00000000"


def _captured_at(
    raw: Mapping[str, Json],
    tables: Mapping[str, Store],
    times: Mapping[str, tuple[tuple[str, ...], ...]],
    problems: list[Problem],
) -> datetime:
    """When a snapshot was true; where it does not say so, the newest timestamp in it.

    A fixed moment would lie before what happened: events would be of the future, and not served.
    """
    value = raw.get("capturedAt", _EPOCH)
    if "capturedAt" not in raw:
        newest = newest_time(tables, times)
        if newest is not None:
            text = "'capturedAt' is missing: the newest timestamp of the snapshot stands for it"
            hint = "say when the snapshot was taken"
            problems.append(Problem("/capturedAt", text, hint, "warning"))
            return newest
    try:
        return parse_clock_time(value)
    except (ValueError, TypeError) as error:
        known = isinstance(error, ValueError)
        message = str(error) if known else f"expected an RFC 3339 timestamp, found {kind_of(value)}"
        problems.append(Problem("/capturedAt", message))
        return parse_clock_time(_EPOCH)


def _stubs(raw: Mapping[str, Json], problems: list[Problem]) -> Iterator[JsonObject]:
    for number, value in enumerate(_array(raw, "http", problems)):
        where = f"/http/{number}"
        try:
            stub = Stub.model_validate(value)
        except ValidationError as error:
            problems += _invalid(where, error, Stub)
            continue
        wrongs = (*stub_problems(stub), *socket_problems(stub.socket, template=stub.template))
        found = [Problem(f"{where}{wrong.pointer}", wrong.message, wrong.hint) for wrong in wrongs]
        problems += found
        if not found:
            yield stub.model_dump()


def _invalid(where: str, error: ValidationError | TypeError, model: type[Frozen]) -> list[Problem]:
    if not isinstance(error, ValidationError):
        return [Problem(where, "expected an object")]
    found: list[Problem] = []
    for item in error.errors(include_input=False, include_url=False):
        place = "/".join([where, *map(str, item["loc"])])
        if item["type"] == "extra_forbidden" and len(found) < FEW:
            near = did_you_mean(str(item["loc"][-1]), model.model_fields)
            found.append(Problem(place, "unknown field", near))
        else:
            found.append(Problem(place, plain_reason(item["msg"])))
    return found


def _object(raw: Mapping[str, Json], key: str, problems: list[Problem]) -> JsonObject:
    value = raw.get(key) or {}
    if isinstance(value, dict):
        return value
    problems.append(Problem(f"/{key}", f"expected an object, found {kind_of(value)}"))
    return {}


def _array(raw: Mapping[str, Json], key: str, problems: list[Problem]) -> list[Json]:
    value = raw.get(key) or []
    if isinstance(value, list):
        return value
    problems.append(Problem(f"/{key}", f"expected an array, found {kind_of(value)}"))
    return []
