"""Changes of rows: what is written beside what is sent, and what must hold beforehand."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from mockserver.collections.collection import (
    Collection,
    Reference,
    Schema,
    Tables,
    as_text,
    is_key,
)
from mockserver.collections.places import has_field, place_of, value_at, with_value, without_field
from mockserver.collections.refusals import (
    BrokenReferenceError,
    CircularReferenceError,
    DuplicateKeyError,
    ImmutableFieldError,
    InvalidFieldsError,
    KeysUsedUpError,
    MissingKeyError,
    MissingRowError,
    NotUniqueError,
    ReferencedError,
    StaleVersionError,
)
from mockserver.collections.store import BY_KEY
from mockserver.model import Json, JsonObject, did_you_mean

NewKey = Callable[[JsonObject], Json]
"""Makes a key for a new row; called again where a row has it already."""

Fill = Callable[[JsonObject], JsonObject]
"""Makes the defaults of a new row, by field, of what its collection says."""

_MOST_TRIES = 1000
_NO_KEY: tuple[Json, ...] = (None, "")


def _as_it_is(_: Collection, row: JsonObject) -> JsonObject:
    return row


@dataclass(slots=True)
class Changes:
    """Reads and changes rows of the collections of one API.

    Attributes:
        schema: The collections.
        tables: Their rows.
        now: The time that is written.
        complete: Adds to a row that is to be written what follows from its fields.
    """

    schema: Schema
    tables: Tables
    now: str = ""
    complete: Callable[[Collection, JsonObject], JsonObject] = _as_it_is

    # --- reading ---

    def find(self, collection: Collection, keys: Sequence[str]) -> JsonObject:
        """The row with a key inside of the rows around it.

        Args:
            collection: The collection.
            keys: The keys of the rows around it, the outermost first, and its own.

        Raises:
            MissingRowError: There is none.
        """
        row = self.tables.table(collection.table).get("/".join(keys))
        # where keys have slashes, those of another row may come to the same
        if row is None or (len(keys) > 1 and collection.keys_of(row) != tuple(keys)):
            raise self.missing(collection, keys)
        return row

    def missing(self, collection: Collection, keys: Sequence[str]) -> MissingRowError:
        """Tells that no row has a key, and the nearest that one has."""
        *around, asked = keys or ("",)
        start = "".join(f"{each}/" for each in around)
        table = self.tables.table(collection.table)
        near = table.beside(f"{start}{asked}", start=start)
        hint = did_you_mean(asked, [entry[0].removeprefix(start) for entry in near])
        nearest = hint.split("'")[1] if hint.startswith("did you mean '") else ""
        return MissingRowError(collection, asked, nearest)

    def check_around(self, collection: Collection, keys: Sequence[str]) -> None:
        """Refuse what is asked inside of a row that is not there.

        Raises:
            MissingRowError: With the row around it that is missing.
        """
        for depth, parent in enumerate(collection.parents, 1):
            if parent.collection:
                self.find(self.schema[parent.collection], keys[:depth])

    # --- new rows ---

    def new_row(
        self,
        collection: Collection,
        sent: JsonObject,
        around: Sequence[str] = (),
        fill: Fill | None = None,
        new_key: NewKey | None = None,
    ) -> JsonObject:
        """A row of what a caller sends: with defaults, the rows around it, times and a key.

        Args:
            collection: The collection.
            sent: What the caller sends.
            around: The keys of the rows around it, the outermost first.
            fill: Makes the defaults that are needed; None takes them as they are.
            new_key: Makes a key for a row that brings none; None where callers name rows.

        Raises:
            MissingKeyError: It has no key, and nothing makes one.
            InvalidFieldsError: Its key is no text and no number.
            KeysUsedUpError: `new_key` makes none that is free.
        """
        for place in collection.server_fields:
            sent = without_field(sent, place)
        row = _with_defaults(collection, sent, fill)
        if around:
            row = self._inside_of(collection, row, around)
        for place in collection.times:
            row = with_value(row, place, self.now)
        if new_key is not None and collection.own_key(sent) in _NO_KEY:
            row = self._with_free_key(collection, new_key, row)
        own = collection.own_key(row)
        if own in _NO_KEY:
            raise MissingKeyError(collection)
        if not is_key(own):
            pointer = f"/{'/'.join(collection.key_place)}"
            raise InvalidFieldsError(collection, [(pointer, "must be a text or a number")])
        # the key stands first, as most APIs write it
        row = _with_versions(collection, row, None)
        first = collection.key_place[0]
        return {first: row.pop(first), **row}

    def _inside_of(
        self, collection: Collection, row: JsonObject, around: Sequence[str]
    ) -> JsonObject:
        for parent, place, key in zip(collection.parents, collection.around, around, strict=True):
            other = self.schema[parent.collection] if parent.collection else None
            is_number = other is not None and other.key_is_number and key.isdecimal()
            row = with_value(row, place, int(key) if is_number else key)
        return row

    def _with_free_key(
        self, collection: Collection, new_key: NewKey, row: JsonObject
    ) -> JsonObject:
        place, table = collection.key_place, self.tables.table(collection.table)
        row = without_field(row, place)
        for _ in range(_MOST_TRIES):
            keyed = with_value(row, place, new_key(row))
            if table.get(collection.key_of(keyed)) is None:
                return keyed
        raise KeysUsedUpError(collection)

    def insert(self, collection: Collection, row: JsonObject) -> JsonObject:
        """Add a new row.

        Raises:
            RefusedError: Its form is wrong, it names what is not there, it has what must be unique,
                or its key.
        """
        row = self.complete(collection, row)
        self._check(collection, row, own="")
        key = collection.key_of(row)
        if self.tables.table(collection.table).get(key) is not None:
            raise DuplicateKeyError(collection, collection.own_key(row))
        self.tables.put(collection.table, key, row)
        return row

    # --- changes ---

    def replace(self, collection: Collection, own: JsonObject, row: JsonObject) -> JsonObject:
        """Change a row into what a caller wants it to be; what callers cannot set stays.

        Raises:
            StaleVersionError: It has a version that is not the row's.
            RefusedError: As `update`.
        """
        for version in collection.versions:
            place = place_of(version.field)
            sent = None if version.kind == "hash" else value_at(row, place)
            if None not in (sent, version.of(own)) and as_text(sent) != as_text(version.of(own)):
                raise StaleVersionError(collection, version.field, version.of(own))
        for place in (*collection.server_fields, *map(place_of, collection.hidden)):
            if has_field(own, place):
                row = with_value(row, place, value_at(own, place))
            elif place in collection.server_fields:
                row = without_field(row, place)
        return self.update(collection, own, row)

    def update(self, collection: Collection, own: JsonObject, row: JsonObject) -> JsonObject:
        """Change a row; key, rows around it and time of creation stay.

        Raises:
            ImmutableFieldError: Another key, or another value of a field that stays.
            RefusedError: The form of the row is wrong, it names what is not there, or it has what
                must be unique.
        """
        row = self.complete(collection, row)
        if str(collection.own_key(row)) != str(collection.own_key(own)):
            raise ImmutableFieldError(collection, collection.key)
        for name in collection.immutable:
            if value_at(row, place_of(name)) != value_at(own, place_of(name)):
                raise ImmutableFieldError(collection, name)
        for place in collection.fixed_places:
            if has_field(own, place):
                row = with_value(row, place, value_at(own, place))
        row = _with_versions(collection, self._with_time(collection, row), own)
        key = collection.key_of(own)
        self._check(collection, row, own=key)
        self.tables.put(collection.table, key, row)
        return row

    def _with_time(self, collection: Collection, row: JsonObject) -> JsonObject:
        if not collection.updated:
            return row
        return with_value(row, place_of(collection.updated), self.now)

    def with_position(self, collection: Collection, row: JsonObject, after: str = "") -> JsonObject:
        """A row that comes right after one of its siblings, or first; the others make room.

        Raises:
            BrokenReferenceError: `after` is the key of no sibling.
        """
        position = collection.position
        if position is None:
            return row
        alike = [place_of(each) for each in position.alike]
        place, table = place_of(position.field), self.tables.table(collection.table)
        around = f"{'/'.join(collection.keys_of(row)[:-1])}/" if collection.parents else ""
        keys = table.starting(BY_KEY, around).row_keys() if around else table.rows()
        kin = {key: each for key in keys if (each := table.get(key)) is not None}
        own, wanted = collection.key_of(row), [value_at(row, each) for each in alike]
        order = sorted(
            (key for key, each in kin.items()
             if key != own and [value_at(each, other) for other in alike] == wanted),
            key=lambda key: as_text(value_at(kin[key], place)),
        )  # fmt: skip
        if after and f"{around}{after}" not in order:
            reference = Reference(position.field, collection.name, collection.key)
            raise BrokenReferenceError(collection, [(reference, after)])
        order.insert(order.index(f"{around}{after}") + 1 if after else 0, own)
        for number, key in enumerate(order):
            each = row if key == own else kin[key]
            moved = with_value(each, place, f"{number:020}")
            if key == own:
                row = moved
            elif moved != each:
                self.tables.put(collection.table, key, moved)
        return row

    # --- what must hold ---

    def _check(self, collection: Collection, row: JsonObject, *, own: str) -> None:
        problems = collection.problems(row)
        if problems:
            raise InvalidFieldsError(collection, problems)
        if collection.references:
            broken = [
                (each, value)
                for each in collection.references
                if (value := value_at(row, place_of(each.field))) is not None
                and not self._is_there(collection, each, row)
            ]
            if broken:
                raise BrokenReferenceError(collection, broken)
        if not collection.unique:
            return
        table = self.tables.table(collection.table)
        for names in collection.unique:
            index = collection.by_values(*names)
            values = next(iter(index.values("", row)), None)
            holder = None if values is None else table.first(index, values)
            if holder is not None and holder != own:
                raise NotUniqueError(collection, names, holder)

    def _is_there(self, collection: Collection, reference: Reference, row: JsonObject) -> bool:
        other, value = self.schema[reference.collection], value_at(row, place_of(reference.field))
        table = self.tables.table(other.table)
        if reference.within:
            *around, own = collection.keys_of(row)
            seen: set[str] = set()
            while value is not None and as_text(value) not in seen:
                if other is collection and as_text(value) == own:
                    above = value_at(row, place_of(reference.field))
                    raise CircularReferenceError(collection, [(reference, above)])
                seen.add(as_text(value))
                found = table.get("/".join((*around, as_text(value))))
                if found is None:
                    return False
                value = value_at(found, place_of(reference.field)) if other is collection else None
            return True
        if reference.target == other.key and not other.parents:
            return as_text(value) in table
        return table.first(other.by_values(reference.target), (as_text(value),)) is not None

    # --- deletions ---

    def remove(self, collection: Collection, row: JsonObject) -> None:
        """Delete a row, with the rows inside of it and what references say.

        Raises:
            ReferencedError: A row that would stay forbids it.
        """
        gone = self._gather(collection, row)
        left: dict[tuple[str, str], JsonObject] = {}
        for each, held in gone.values():
            for other, reference, key in self._referrers(each, held):
                place = (other.table, key)
                if place in gone or reference.on_delete not in {"refuse", "clear"}:
                    continue
                by = left.get(place) or self.tables.table(other.table).get(key) or {}
                cleared = without_field(by, place_of(reference.field))
                if place not in left:
                    cleared = _with_versions(other, self._with_time(other, cleared), by)
                if reference.on_delete == "refuse" or other.problems(cleared):
                    raise ReferencedError(each, each.key_of(held), other, key, reference)
                left[place] = cleared
        for (table, key), cleared in left.items():
            self.tables.put(table, key, cleared)
        for (table, key), (each, held) in gone.items():
            holder = self.schema.get(each.parents[-1].collection) if each.parents else None
            is_inside = holder is not None and (holder.table, key.rpartition("/")[0]) in gone
            if each.tombstone and not is_inside:
                dead = self._with_time(each, {**held, **each.tombstone})
                self.tables.put(table, key, _with_versions(each, dead, held))
            else:
                self.tables.delete(table, key)

    def _gather(
        self, collection: Collection, row: JsonObject
    ) -> dict[tuple[str, str], tuple[Collection, JsonObject]]:
        """The rows that go with one, those that are inside of others before them."""
        found: dict[tuple[str, str], tuple[Collection, JsonObject]] = {}
        waiting = [(collection, row, False)]
        while waiting:
            each, held, is_inside = waiting.pop()
            key = each.key_of(held)
            if (each.table, key) in found:
                continue
            found[each.table, key] = each, held
            for child in self.schema.children(each.name):
                inside = list(self._inside(child, each, held))
                if inside and child.parents[-1].on_delete == "refuse" and not is_inside:
                    by, holder = self._innermost(child, inside[0])
                    raise ReferencedError(each, key, by, by.key_of(holder))
                waiting += ((child, inner, True) for inner in inside)
            for other, reference, other_key in self._referrers(each, held):
                if reference.on_delete == "cascade":
                    by_row = self.tables.table(other.table).get(other_key)
                    waiting.append((other, by_row or {}, False))
        return dict(reversed(found.items()))

    def _inside(
        self, child: Collection, collection: Collection, row: JsonObject
    ) -> Iterator[JsonObject]:
        """The rows of a collection that are inside of a row of another one.

        Yields:
            Them, in the order that they were put.
        """
        table, own = self.tables.table(child.table), as_text(collection.own_key(row))
        found = table.starting(BY_KEY, f"{collection.key_of(row)}/").entries()
        for entry in sorted(found, key=itemgetter(1)):
            inner = table.rows()[entry[2]]
            if child.keys_of(inner)[-2] == own:
                yield inner

    def _innermost(self, collection: Collection, row: JsonObject) -> tuple[Collection, JsonObject]:
        for child in self.schema.children(collection.name):
            inner = next(self._inside(child, collection, row), None)
            if inner is not None:
                return self._innermost(child, inner)
        return collection, row

    def _referrers(
        self, collection: Collection, row: JsonObject
    ) -> Iterator[tuple[Collection, Reference, str]]:
        """The rows that name one and do not stay as they are.

        Yields:
            Their collection, the field, and their key.
        """
        for other, reference in self.schema.referrers(collection.name):
            value = value_at(row, place_of(reference.target))
            if reference.on_delete != "keep" and value is not None:
                table, index = self.tables.table(other.table), other.by_values(reference.field)
                for key in table.find(index, (as_text(value),)).row_keys():
                    yield other, reference, key


def _with_defaults(collection: Collection, sent: JsonObject, fill: Fill | None) -> JsonObject:
    """What a caller sends, with the defaults of what is not there."""
    if not collection.defaults:
        return {**sent}
    missing = {
        name: each
        for name, each in collection.defaults.items()
        if not has_field(sent, place_of(name))
    }
    # what is at the top comes first, also of what templates make
    made = dict(sorted(missing.items(), key=lambda item: len(place_of(item[0])) > 1))
    if made and fill is not None:
        made = fill(made)
    row = {name: each for name, each in made.items() if len(place_of(name)) == 1} | sent
    for name, each in made.items():
        row = row if len(place_of(name)) == 1 else with_value(row, place_of(name), each)
    return row


def _with_versions(collection: Collection, row: JsonObject, own: JsonObject | None) -> JsonObject:
    """A row with the versions of its latest change."""
    for version in collection.held_versions:
        before = None if own is None else version.of(own)
        row = with_value(row, place_of(version.field), version.following(before, row))
    return row
