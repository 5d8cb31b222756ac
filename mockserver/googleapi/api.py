"""What an emulated API declares about itself: one value, one line in the table of APIs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from mockserver.googleapi.call import Call, Handler
from mockserver.googleapi.collections import READ_VERBS, Resource, method_prefixes
from mockserver.googleapi.errors import Dialect
from mockserver.googleapi.keyed import KeyedResource, import_keyed_rows
from mockserver.googleapi.raw_snapshot import SnapshotImport, named_rows
from mockserver.model import Capture, Captures, JsonObject

if TYPE_CHECKING:
    from mockserver.redaction import Rule


@dataclass(frozen=True)
class Collection:
    """A top-level key of a snapshot that an API owns.

    Attributes:
        name: The key, `orgUnits`.
        about: One phrase for help texts.
        times: Paths of timestamp fields inside one resource of the table of the same name (`*` is
            every item).
        resource: The schema of one of its resources as a snapshot has them,
            `admin:directory_v1#OrgUnit`; empty where a snapshot may have them in another form.
        is_table: Whether there is a table of that name; else the rows are in another one.
        make: Makes a resource of its key, its source in an import, and the customer's id, when it
            is first read; None where the import makes all.
    """

    name: str
    about: str
    times: tuple[tuple[str, ...], ...] = ()
    resource: str = ""
    is_table: bool = True
    make: Callable[[str, JsonObject, str], JsonObject] | None = None


class LazyHandlers(Mapping[str, Handler]):
    """The handlers of an API, whose module is loaded at the first look, not at the server's start.

    Args:
        package: The package of the API, `mockserver.apis.directory`.
        module: The module of it that has the handlers.
        name: The name of the table there.
    """

    def __init__(self, package: str, module: str = "methods", name: str = "HANDLERS") -> None:
        self._load = lazy_attribute(package, module, name)

    @cached_property
    def _handlers(self) -> Mapping[str, Handler]:
        found: Mapping[str, Handler] = self._load()
        return found

    @override
    def __getitem__(self, method_id: str) -> Handler:
        return self._handlers[method_id]

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._handlers)

    @override
    def __len__(self) -> int:
        return len(self._handlers)


def lazy_attribute(package: str, module: str, name: str) -> Callable[[], Any]:
    """A function that loads a module of a package and answers a value of it."""
    return lambda: getattr(import_module(f"{package}.{module}"), name)


def lazy_import(
    package: str,
    collections: Sequence[Collection],
    *further: str,
    module: str = "snapshot",
    name: str = "import_snapshot",
) -> Callable[[SnapshotImport], None]:
    """The import of an API, whose module is loaded for the first snapshot that has keys of it.

    Of a snapshot that has none its tables are empty.

    Args:
        package: The package of the API.
        collections: What it owns of a snapshot.
        further: Keys that it reads rows from though it does not own them.
        module: The module of the package that has it.
        name: What it is called there.
    """
    load = lazy_attribute(package, module, name)
    keys = (*(each.name for each in collections), *further)
    tables = tuple(each.name for each in collections if each.is_table)

    def import_snapshot(found: SnapshotImport) -> None:
        if any([key in found.raw for key in keys]):  # noqa: C419  (each is noted as read)
            load()(found)
        else:
            found.tables.update({name: {} for name in tables})

    return import_snapshot


class _DerivedHandlers(LazyHandlers):
    """The handlers of an API's resources and locations, and those beside them."""

    def __init__(self, api: "Api") -> None:
        given, resources, locations = api.handlers, api.resources, api.locations

        def load() -> Mapping[str, Handler]:
            found: dict[str, Handler] = {}
            for each in resources:
                found |= each.handlers(api.prefix)
            if locations:
                from mockserver.googleapi.operations import location_handlers

                tables = tuple(each.collection for each in resources)
                for place in locations:
                    found |= location_handlers(place, tables)
            found |= given
            if not api.aliases:
                return found
            return {name: partial(_answer, api, each) for name, each in found.items()}

        self._load = load


def _answer(api: "Api", answer: Handler, call: Call) -> JsonObject | None:
    for name, (alias, table) in api.aliases.items():
        if call.params.get(name) == alias:
            if not len(call.world.table(table)):
                nouns = {each.collection.rpartition("/")[2]: each for each in api.resources}
                if call.id.endswith(".list"):  # who reads makes nothing
                    return {"kind": nouns[call.id.split(".")[-2]].kind}
                if call.id.endswith(".insert"):
                    _insert_first(api, call, nouns[table.rpartition("/")[2]])
            call.params[name] = next(iter(call.world.table(table).rows()), alias)
    return answer(call)


def _insert_first(api: "Api", call: Call, resource: Resource) -> None:
    """Make the row that everybody has, of a table without rows."""
    if isinstance(resource, KeyedResource):
        noun = resource.collection.rpartition("/")[2]
        insert = resource.handlers(api.prefix)[f"{api.prefix}.{noun}.insert"]
        insert(replace(call, params={}, body=dict(resource.untold)))


def _key_of(resource: Resource) -> Collection:
    """The snapshot's key of a collection."""
    paths = dict.fromkeys((*resource.created, *resource.updated, *resource.times))
    times = tuple(tuple(each.split(".")) for each in paths)
    return Collection(resource.collection, resource.about, times, resource.schema)


@dataclass(frozen=True)
class Api:
    """One emulated API.

    Of its resources follow handlers, collections, the import and captures; what is given of these
    is beside them. Where it names no documents, a document is made of the resources.

    Attributes:
        name: Folder name, `directory`.
        documents: `(name, version)` of the Discovery documents it serves, `("admin",
            "directory_v1")`.
        handlers: Discovery id to handler. Methods of the documents that are not here answer 501.
        collections: The snapshot keys it owns.
        import_snapshot: Turns those keys into tables; called once for each resolved snapshot, in
            table order.
        complete_rows: Completes the rows that the generic API imports from `resources`, in its
            import: an API's own import sees its own tables alone.
        supplements: Documents of its own for routes that no Discovery document has, in Discovery's
            form.
        dialect: How it says errors.
        error_names: Keys of the snapshot's `errors` map that mean one of its methods: key to method
            id or glob.
        captures: Loads its table of what captured answers fill.
        redaction: Loads its rules of what is secret in its answers, beside those for every API.
        reads: Tables that it reads of what the generic API imports from `resources`,
            `gmail:v1/messages`.
        long: Beginnings of the ids of methods that may look through so many rows that others are
            not to wait for them.
        searched: Of such methods those whose work is that of looking through some collections, by
            their ids: while these hold few rows, they take no longer than others.
        shown: Of methods whose answers have few fields unless `fields` asks for others: the mask.
        relies: What an agent can rely on, and the proof, in sentences; for the page of APIs.
        is_public: Whether its methods ask for no credential where their document names no scope.
        is_confidential: Whether its answers are credentials, which no journal may hold.
        resources: Its collections, with their standard methods: of rows that have full names; or
            keyed ones, which are read from what the generic API imports.
        locations: Beginnings of ids of the methods that list the locations of its resources and
            the operations in them, `apphub.projects.locations`.
        aliases: Parameter to what may stand there for the first row of a table, and that table; of
            an API that has resources.
        host: Where it is served when its document is made of resources.
        beside_conventions: Whether conventions answer what it has no handler for, and the calls
            that a handler leaves to them (`LeftToConventionsError`).
        raw: Answers the paths of its host that no document has: it is given verb, path and query.
    """

    name: str
    documents: tuple[tuple[str, str], ...] = ()
    handlers: Mapping[str, Handler] = field(default_factory=dict)
    collections: tuple[Collection, ...] = ()
    import_snapshot: Callable[[SnapshotImport], None] | None = None
    complete_rows: Callable[[SnapshotImport], None] | None = None
    supplements: tuple[JsonObject, ...] = ()
    dialect: Dialect = "one_platform"
    error_names: Mapping[str, str] = field(default_factory=dict)
    captures: Callable[[], Captures] = dict
    redaction: "Callable[[], tuple[Rule, ...]]" = tuple
    reads: frozenset[str] = frozenset()
    long: tuple[str, ...] = ()
    searched: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    relies: str = ""
    is_public: bool = False
    is_confidential: bool = False
    resources: tuple[Resource, ...] = ()
    locations: tuple[str, ...] = ()
    aliases: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    host: str = ""
    beside_conventions: bool = False
    raw: Handler | None = None

    def __post_init__(self) -> None:
        if not self.resources:
            return
        keyed = tuple(each for each in self.resources if isinstance(each, KeyedResource))
        named = tuple(each for each in self.resources if not isinstance(each, KeyedResource))
        keys = tuple(_key_of(each) for each in named)
        derived: dict[str, Any] = {
            "handlers": _DerivedHandlers(self),
            "collections": (*keys, *self.collections),
            "import_snapshot": partial(_import_rows, named, keyed, self.import_snapshot),
            "captures": partial(_captures, self.prefix, named, self.captures),
            "reads": self.reads.union(each.collection for each in keyed),
        }
        if not self.documents:
            from mockserver.googleapi.resource_documents import document_of

            derived["supplements"] = (
                document_of(self.name, self.host, self.resources),
                *self.supplements,
            )
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @property
    def prefix(self) -> str:
        """What the ids of its methods begin with."""
        return self.documents[0][0] if self.documents else self.name


def _captures(api: str, resources: Sequence[Resource], given: Callable[[], Captures]) -> Captures:
    """What lists and reads of the resources fill, and what is given."""
    found = {
        f"{prefix}.{verb}": (Capture(each.collection, each.list_key if verb == "list" else ""),)
        for each in resources
        for prefix in method_prefixes(each, api)
        for verb in READ_VERBS
        if verb in each.verbs
    }
    return {**found, **given()}


def _import_rows(
    named: Sequence[Resource],
    keyed: Sequence[KeyedResource],
    given: Callable[[SnapshotImport], None] | None,
    found: SnapshotImport,
) -> None:
    for each in named:
        found.tables[each.collection] = named_rows(found, each.collection, each.pattern)
    if keyed:
        import_keyed_rows(keyed, found)
    if given is not None:
        given(found)
