"""What a collection is like, as data: its keys, what is written for rows, what must hold."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from typing import Literal, Protocol

import orjson
from typing_extensions import override

from mockserver.collections.places import Place, place_of, value_at, without_field
from mockserver.collections.selections import FieldIndexes
from mockserver.collections.store import Index, Store
from mockserver.model import Json, JsonMapping, JsonObject

OnDelete = Literal["keep", "refuse", "cascade", "clear"]
"""What becomes of a row that names a deleted one: it stays as it is, it forbids the deletion, it is
deleted too, or its field goes."""

_MOST_FIELDS = 64
"""Fields of one collection, named by callers, whose indexes are remembered."""


class Tables(Protocol):
    """Where rows are."""

    def table(self, name: str) -> Store:
        """The rows of a table."""
        ...

    def put(self, name: str, key: str, row: JsonObject) -> None:
        """Add or replace a row."""
        ...

    def delete(self, name: str, key: str) -> None:
        """Remove a row."""
        ...


@dataclass(frozen=True, slots=True)
class Parent:
    """What a row is inside of.

    Attributes:
        field: The field with the key of the row around it.
        collection: Whose row that is; empty where only the value counts.
        on_delete: What the rows inside do to a deletion of that row.
    """

    field: str
    collection: str = ""
    on_delete: Literal["refuse", "cascade"] = "cascade"


@dataclass(frozen=True, slots=True)
class Reference:
    """A field that names a row of another collection, or of the same.

    Attributes:
        field: The field.
        collection: Whose row it names.
        target: The field there that has the same value.
        on_delete: What a deletion of that row does to the one that names it.
        within: Whether that row must be inside of the same rows.
    """

    field: str
    collection: str
    target: str
    on_delete: OnDelete = "keep"
    within: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    """Where a row stands among its siblings: the rows that are inside of the same rows.

    Attributes:
        field: The field that holds it: digits, in the order of texts.
        alike: Further fields that siblings have in common.
    """

    field: str
    alike: tuple[str, ...] = ()


def content_hash(row: JsonObject) -> str:
    """Sixteen hexadecimal digits that are others for another content."""
    text = orjson.dumps(row, option=orjson.OPT_SORT_KEYS)
    return blake2b(text, digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Version:
    """What tells one state of a row from another.

    Attributes:
        field: The field that holds it; empty for a hash that rows do not hold.
        kind: A hash of the content; or a counter of changes, as a number or as text.
        digest: What makes the hash.
    """

    field: str = ""
    kind: Literal["hash", "number", "text"] = "hash"
    digest: Callable[[JsonObject], str] = content_hash

    def of(self, row: JsonObject) -> Json:
        """The version of a row, of its content for a hash."""
        if self.kind != "hash":
            return value_at(row, place_of(self.field))
        return self.digest(without_field(row, place_of(self.field)) if self.field else row)

    def following(self, before: Json, row: JsonObject) -> Json:
        """The version of a row that is written, given the one before."""
        if self.kind == "hash":
            return self.of(row)
        latest = int(before) if isinstance(before, int | str) and str(before).isdecimal() else 0
        return str(latest + 1) if self.kind == "text" else latest + 1


def _no_problems(_: JsonObject) -> Sequence[tuple[str, str]]:
    return ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Collection:
    """One kind of rows.

    Attributes:
        name: Its name.
        table: Its table; of its name when empty.
        key: The field that names a row among those inside the same rows.
        key_is_number: Whether keys are whole numbers.
        parents: What its rows are inside of, the outermost first.
        defaults: What fields of a new row are that the caller does not send.
        output_only: Fields that callers cannot set.
        hidden: Fields that callers do not see, and so keep in a row that they replace.
        immutable: Fields that stay what a new row had.
        created: The field with the time of creation; empty for none.
        updated: The field with the time of the latest change; empty for none.
        timed: Further fields with timestamps.
        versions: What tells its states apart; `version_of` is the first.
        unique: Fields of which no two rows have the same values.
        references: The fields that name other rows.
        position: Where its rows stand among their siblings; None where that is not told.
        tombstone: Fields that a deleted row gets instead of going; it goes with the row around it.
        filters: The fields that lists are asked for.
        orders: The fields that lists are ordered by.
        searched: The fields whose texts lists are searched for words.
        fields: The fields that rows can have at their top; None for any.
        problems: What is wrong with the form of a row: JSON pointer and sentence of each.
        key_place: The place of the key.
        around: The places of the keys of the rows around.
        key_places: The places of the keys of the rows around, and of its own.
        fixed_places: The places that no change reaches: key, rows around, time of creation.
        server_fields: The places of the fields that callers cannot set.
        times: The places of the times that a new row gets.
        held_versions: The versions that rows hold.

    Raises:
        ValueError: Two of these contradict each other.
    """

    name: str
    table: str = ""
    key: str = "id"
    key_is_number: bool = False
    parents: tuple[Parent, ...] = ()
    defaults: JsonMapping = field(default_factory=dict)
    output_only: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    immutable: tuple[str, ...] = ()
    created: str = ""
    updated: str = ""
    timed: tuple[str, ...] = ()
    versions: tuple[Version, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    references: tuple[Reference, ...] = ()
    position: Position | None = None
    tombstone: JsonMapping = field(default_factory=dict)
    filters: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    fields: frozenset[str] | None = None
    problems: Callable[[JsonObject], Sequence[tuple[str, str]]] = _no_problems
    key_place: Place = field(init=False)
    around: tuple[Place, ...] = field(init=False)
    key_places: tuple[Place, ...] = field(init=False)
    fixed_places: tuple[Place, ...] = field(init=False)
    server_fields: tuple[Place, ...] = field(init=False)
    times: tuple[Place, ...] = field(init=False)
    held_versions: tuple[Version, ...] = field(init=False)
    _indexes: dict[str, FieldIndexes] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        key_place, around = place_of(self.key), tuple(place_of(each.field) for each in self.parents)
        created = (place_of(self.created),) if self.created else ()
        updated = (place_of(self.updated),) if self.updated else ()
        derived = {
            "table": self.table or self.name,
            "key_place": key_place,
            "around": around,
            "key_places": (*around, key_place),
            "fixed_places": (key_place, *around, *created),
            "server_fields": tuple(map(place_of, self.output_only)),
            "times": (*created, *updated),
            "held_versions": tuple(each for each in self.versions if each.field),
            "_indexes": {},
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)
        for wrong in self._contradictions():
            raise ValueError(f"{self.name}: {wrong}")

    def _contradictions(self) -> Iterator[str]:
        held: dict[str, str] = {}
        own = [(self.key, "the key"), *((each.field, "a row around it") for each in self.parents)]
        own += [(name, "a time") for name in {self.created, self.updated} if name]
        own += [(each.field, "a version") for each in self.versions if each.field]
        for name, what in own:
            if name in held:
                yield f"the field {name!r} would hold {held[name]} and {what}"
            held[name] = what
        for name in self.defaults:
            if name in held and held[name] != "the key":
                yield f"the field {name!r} holds {held[name]}, and has a default"
        asked = {
            "default": self.defaults,
            "unique field": [name for names in self.unique for name in names],
            "reference": [each.field for each in self.references],
            "position": [self.position.field] if self.position else (),
            "filter": self.filters,
            "order": self.orders,
            "searched field": self.searched,
        }
        for what, names in asked.items():
            for name in names:
                if not (self.has_field(name) or name in held):
                    yield f"the {what} {name!r} is a field that the schema lacks"

    def has_field(self, name: str) -> bool:
        """Whether rows can have a field."""
        return self.fields is None or place_of(name)[0] in self.fields

    def keys_of(self, row: JsonMapping) -> tuple[str, ...]:
        """The keys of the rows around a row, and its own, as texts."""
        return tuple([as_text(value_at(row, place)) for place in self.key_places])

    def key_of(self, row: JsonMapping) -> str:
        """The key of a row in its table."""
        if not self.parents:
            return as_text(value_at(row, self.key_place))
        return "/".join(self.keys_of(row))

    def own_key(self, row: JsonMapping) -> Json:
        """The key of a row as the row has it."""
        return value_at(row, self.key_place)

    def version_of(self, row: JsonObject) -> Json:
        """What tells a state of a row from another; None where rows have no versions."""
        return self.versions[0].of(row) if self.versions else None

    def is_timed(self, name: str) -> bool:
        """Whether timestamps, which move with the session's clock, may be in a field."""
        named = (self.created, self.updated, *self.timed)
        return place_of(name)[0] in {place_of(each)[0] for each in named if each}

    def by_values(self, *names: str) -> Index:
        """The index of rows by their values of some fields, as texts; no rows that lack one."""
        return _values_index(names, timed=any(map(self.is_timed, names)))

    def field_indexes(self, name: str) -> FieldIndexes:
        """The indexes of one field."""
        found = self._indexes.get(name)
        if found is None:
            if len(self._indexes) >= _MOST_FIELDS:
                self._indexes.clear()
            found = self._indexes[name] = FieldIndexes(name, timed=self.is_timed(name))
        return found


class Schema(Mapping[str, Collection]):
    """The collections of one API by name.

    Attributes:
        has_times: Whether rows of any tell when they were written.

    Raises:
        ValueError: One is inside of, or refers to, what is not there; or they are inside of each
            other in a circle.
    """

    def __init__(self, collections: Iterable[Collection]) -> None:
        self._known = {each.name: each for each in collections}
        self.has_times = any(each.created or each.updated for each in self._known.values())
        self._children: dict[str, list[Collection]] = {}
        self._referrers: dict[str, list[tuple[Collection, Reference]]] = {}
        for each in self._known.values():
            for number, parent in enumerate(each.parents):
                if parent.collection and parent.collection not in self._known:
                    raise ValueError(f"{each.name}: no collection {parent.collection!r} around it")
                if parent.collection == each.name:
                    raise ValueError(f"{each.name}: is inside of itself")
                if parent.collection and number == len(each.parents) - 1:
                    self._children.setdefault(parent.collection, []).append(each)
            for reference in each.references:
                other = self._known.get(reference.collection)
                if other is None:
                    raise ValueError(
                        f"{each.name}: {reference.field} refers to no collection"
                        f" {reference.collection!r}"
                    )
                target = reference.target
                if target != other.key and (target,) not in other.unique:
                    raise ValueError(
                        f"{each.name}: {reference.field} refers to {target!r}, which is neither the"
                        f" key of {other.name!r} nor unique there"
                    )
                self._referrers.setdefault(other.name, []).append((each, reference))

    @override
    def __getitem__(self, name: str) -> Collection:
        return self._known[name]

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    @override
    def __len__(self) -> int:
        return len(self._known)

    def children(self, name: str) -> Sequence[Collection]:
        """The collections whose rows are inside of one's rows."""
        return self._children.get(name, ())

    def referrers(self, name: str) -> Sequence[tuple[Collection, Reference]]:
        """The collections, and their fields, that name rows of one."""
        return self._referrers.get(name, ())


@cache
def _values_index(names: tuple[str, ...], *, timed: bool) -> Index:
    places = [place_of(name) for name in names]

    def values(_: str, row: JsonMapping) -> tuple[tuple[str, ...], ...]:
        found = [value_at(row, place) for place in places]
        return () if None in found else (tuple(map(as_text, found)),)

    return Index(values, timed=timed)


def is_key(value: Json) -> bool:
    """Whether a value can name a row: a number, or a text that is not empty.

    >>> is_key(7), is_key("a"), is_key(""), is_key(True)
    (True, True, False, False)
    """
    return value != "" and isinstance(value, _KEYS) and not isinstance(value, bool)


_KEYS = (str, int, float)


def as_text(value: Json) -> str:
    """A value as keys have it.

    >>> as_text(7), as_text("a"), as_text(None)
    ('7', 'a', '')
    """
    if isinstance(value, str):
        return value
    if type(value) is int:
        return str(value)
    return "" if value is None else orjson.dumps(value).decode()
