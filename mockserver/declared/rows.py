"""Rows of a declared collection: their keys, what is made for them, and what they must be."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

from mockserver.collections import Index
from mockserver.collections.change import Changes
from mockserver.collections.collection import (
    Collection,
    Parent,
    Position,
    Reference,
    Schema,
    Version,
    as_text,
)
from mockserver.collections.places import place_of, with_value, without_field
from mockserver.declared.calls import DeclaredCall
from mockserver.declared.declaration import ANY_FIELD, Declaration, Sort
from mockserver.declared.forms import typed_fields
from mockserver.declared.operations import collection_path
from mockserver.declared.queries import ListRules
from mockserver.declared.schemas import RowSchema
from mockserver.declared.shapes import RowShape
from mockserver.declared.templates import render, row_values
from mockserver.model import Json, JsonMapping, JsonObject
from mockserver.state import World, rfc3339
from mockserver.storage.untrusted_json import Place
from mockserver.templates import has_templates, is_template

_SHORT_IDS = {
    "int": "{{ seq }}",
    "uuid": "{{ uuid() }}",
    "hex": "{{ hex() }}",
    "base36": "{{ base36() }}",
}
_SEQUENCE = re.compile(r"\{\{[^{}]*\bseq\b[^{}]*\}\}")
_PLAIN_NUMBER = re.compile(r"\{\{\s*seq\s*\}\}")


def silent_table(api: str, name: str) -> str:
    """The name of a table that tells how a change was told, not what was changed."""
    return f"{api}:{name}"


def keys_table(api: str) -> str:
    """The name of the table with the keys that an API's next new rows get, `travel:keys`."""
    return silent_table(api, "keys")


class Rows:
    """One declared collection, compiled.

    Attributes:
        name: Its name.
        api: The API's name.
        base_path: What stands before every path of the API.
        table: Its table, `travel.bookings`.
        declared: What its author says.
        schema: What rows must be, or None.
        action_schemas: What the bodies of actions must be, by action.
        lists: How it is listed.
        shape: How its rows look in answers.
        collection: What its rows are like.
        siblings: The collections of the API.
        asks_params: Whether new rows depend on the parameters of a call.
        create_status: The status of the answer to a creation.

    Args:
        declaration: The API.
        name: The collection's name.
        schemas: The JSON Schemas of the API by place.
    """

    def __init__(
        self, declaration: Declaration, name: str, schemas: Mapping[Place, RowSchema]
    ) -> None:
        self.name = name
        self.api = declaration.api
        self.base_path = declaration.base_path
        self.table = f"{declaration.api}.{name}"
        declared = self.declared = declaration.collections[name]
        schema = self.schema = schemas.get(("collections", name))
        self.action_schemas = {
            action: schemas.get(("collections", name, "actions", action))
            for action in declared.actions
        }
        self.collection = collection_of(declaration, name, schema)
        self.shape = RowShape(declared, self.collection, collection_path(declaration, name).row)
        self.siblings = Schema(())
        self.lists = ListRules(declared, self.collection, schema)
        self._foreseen = keys_table(declaration.api)
        self._ids = _SHORT_IDS.get(declared.ids, declared.ids)
        self._counters = silent_table(self.api, "sequences")
        self._counts = _SEQUENCE.search(self._ids) is not None
        literals = _SEQUENCE.split(self._ids)
        self._numbered_key = re.compile(r"(\d{1,15})".join(map(re.escape, literals)))
        numbers = all(_PLAIN_NUMBER.fullmatch(each) for each in _SEQUENCE.findall(self._ids))
        is_plain = self._counts and numbers and not any(map(is_template, literals))
        self._around_number = literals if is_plain else None
        self._has_template_defaults = has_templates(declared.defaults)
        self.asks_params = self._has_template_defaults or declared.position is not None
        self._numbers = Index(self._number_in_key)
        self.create_status = declared.create_status
        self._has_tags, self._position = declared.etag, declared.position
        self._computed = declared.computed

    def changes(self, world: World) -> Changes:
        """What reads and changes its rows in a session."""
        now = rfc3339(world.now()) if self.siblings.has_times else ""
        if not self._computed:
            return Changes(self.siblings, world, now)
        return Changes(self.siblings, world, now, partial(self._compute, world))

    def _compute(self, world: World, collection: Collection, row: JsonObject) -> JsonObject:
        """A row with the fields that follow from others; one of another collection as it is."""
        for name, template in (
            self.declared.computed.items() if collection.name == self.name else ()
        ):
            value = render(template, row_values(world, self.table, row=row))
            place = place_of(name)
            row = without_field(row, place) if value is None else with_value(row, place, value)
        return row

    def parse_params(self, params: JsonObject) -> JsonObject:
        """Parameters of a query as what they mean: numbers as numbers, truth as truth."""
        return typed_fields(params, {"properties": self.lists.params})

    def find(self, world: World, captures: Sequence[str]) -> JsonObject:
        """The row that a path names.

        Raises:
            MissingRowError: There is none.
        """
        return self.changes(world).find(self.collection, captures)

    def wrap(self, row: JsonObject, call: DeclaredCall) -> JsonObject:
        """A single row as answers show it, in its envelope."""
        return self.shape.wrap(self.shape.show(row, call))

    def tag(self, row: JsonObject) -> str:
        """The entity tag of a row, quoted; an empty string where rows have none."""
        return f'"{self.collection.version_of(row)}"' if self._has_tags else ""

    # --- new rows ---

    def insert(
        self,
        world: World,
        body: JsonObject,
        around: Sequence[str],
        params: JsonMapping = MappingProxyType({}),
    ) -> JsonObject:
        """A new row of what a caller sent.

        Raises:
            RefusedError: It cannot be written, or a row around it is not there.
        """
        changes = self.changes(world)
        if self.collection.parents:
            changes.check_around(self.collection, around)
        fill = partial(self._fill, world, body, params) if self._has_template_defaults else None
        new_key = partial(self._new_key, world) if self._ids else None
        row = changes.new_row(self.collection, body, around, fill, new_key)
        if self._position is not None:
            row = self.placed(changes, row, params)
        return changes.insert(self.collection, row)

    def placed(self, changes: Changes, row: JsonObject, params: JsonMapping) -> JsonObject:
        """A row at the place among its siblings that a caller names."""
        position = self.declared.position
        if position is None:
            return row
        after = str(params.get(position.after) or "")
        return changes.with_position(self.collection, row, after)

    def _fill(
        self, world: World, sent: JsonObject, params: JsonMapping, defaults: JsonObject
    ) -> JsonObject:
        values = row_values(world, self.table, body=sent, params=params)
        made = {name: render(each, values) for name, each in defaults.items()}
        return {
            name: each for name, each in made.items() if defaults[name] is None or each is not None
        }

    def _new_key(self, world: World, row: JsonObject) -> Json:
        foreseen = world.table(self._foreseen).get(self.name)
        if foreseen is not None and foreseen["next"]:
            first, *rest = foreseen["next"]
            world.put(self._foreseen, self.name, {"next": rest})
            return first
        number = self._next(world) if self._counts else 0
        key: Json
        if self._around_number is None:
            key = render(self._ids, row_values(world, self.table, number, body=row))
        else:  # a template of nothing but the number need not be run
            key = str(number).join(self._around_number) if any(self._around_number) else number
        if isinstance(key, str) and self.collection.key_is_number and key.isdecimal():
            return int(key)
        return key

    def with_key(self, row: JsonObject, key: str) -> JsonObject:
        """A row with the key that a path gives it."""
        is_number = self.collection.key_is_number and key.isdecimal()
        return with_value(row, self.collection.key_place, int(key) if is_number else key)

    def _next(self, world: World) -> int:
        """The next number of the collection: one more than the highest so far."""
        counters = self._counters
        row = world.table(counters).get(self.name)
        if row is None:
            found = world.table(self.table).ordered(self._numbers)
            row = {"latest": found.entries(len(found) - 1)[0][0] if found else 0}
        latest = int(row["latest"]) + 1
        world.put(counters, self.name, {"latest": latest})
        return latest

    def _number_in_key(self, _: str, row: JsonObject) -> tuple[int, ...]:
        match = self._numbered_key.fullmatch(as_text(self.collection.own_key(row)))
        return (int(match[1]),) if match is not None and match.groups() else ()


def collection_of(declaration: Declaration, name: str, schema: RowSchema | None) -> Collection:
    """What the rows of a declared collection are like.

    Raises:
        ValueError: Its declaration contradicts itself.
    """
    declared = declaration.collections[name]
    refusing = {each for each, outer in declaration.collections.items() if not outer.cascade}
    parents = tuple(
        Parent(each.field, each.collection, "refuse" if each.collection in refusing else "cascade")
        for each in collection_path(declaration, name).around
    )
    # what the server itself writes is held against a schema that speaks of it
    own = {declared.key, declared.created, declared.updated, *declared.versions}
    own.update(each.field for each in parents)

    def problems(row: JsonObject) -> list[tuple[str, str]]:
        if schema is None:
            return []
        known = schema.known_fields
        return schema.problems(
            {name: each for name, each in row.items() if name not in own or name in known}
        )

    hashes, position = (Version(),) if declared.etag else (), declared.position
    sort = declared.sort or Sort()
    return Collection(
        name=name,
        table=f"{declaration.api}.{name}",
        key=declared.key,
        key_is_number=declared.key_type == "integer"
        or (declared.ids == "int" and not declared.key_type),
        parents=parents,
        defaults=declared.defaults,
        output_only=declared.readonly_fields,
        hidden=declared.hidden_fields,
        created=declared.created,
        updated=declared.updated,
        timed=declared.times,
        versions=(*hashes, *(Version(*each) for each in declared.versions.items())),
        unique=declared.unique,
        references=tuple(
            Reference(field, *each.target, each.on_delete, each.within)
            for field, each in declared.refs.items()
        ),
        position=Position(position.field, position.alike) if position else None,
        tombstone=declared.tombstone,
        filters=tuple(each.field for each in declared.filters.values() if each.field != ANY_FIELD),
        orders=(*sort.names.values(), *(each for each in sort.fields if each not in sort.names)),
        searched=declared.search.fields if declared.search else (),
        fields=None if schema is None else schema.closed_fields,
        problems=problems,
    )
