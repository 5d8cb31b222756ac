"""Rows of a declared collection: their keys, what is made for them, and what they must be."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from hashlib import blake2b
from operator import itemgetter

import orjson

from mockserver.collections import BY_KEY, Index, Store
from mockserver.collections.places import has_field, place_of, value_at, with_value, without_field
from mockserver.declared.calls import DeclaredCall
from mockserver.declared.declaration import Collection, Declaration
from mockserver.declared.errors import Detail, refusal
from mockserver.declared.operations import Around, collection_path
from mockserver.declared.queries import ListRules
from mockserver.declared.schemas import RowSchema
from mockserver.declared.shapes import RowShape
from mockserver.declared.templates import render, row_values
from mockserver.googleapi import ApiError
from mockserver.model import Json, JsonObject, Miss, did_you_mean, shortened
from mockserver.state import (
    World,
    rfc3339,
)
from mockserver.templates import has_templates

_SHORT_IDS = {
    "int": "{{ seq }}",
    "uuid": "{{ uuid() }}",
    "hex": "{{ hex() }}",
    "base36": "{{ base36() }}",
}
_SEQUENCE = re.compile(r"\{\{[^{}]*\bseq\b[^{}]*\}\}")
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?")
_MOST_TRIES = 1000


def silent_table(api: str, name: str) -> str:
    """The name of a table that tells how a change was told, not what was changed."""
    return f"{api}:{name}"


class Rows:
    """One declared collection, compiled.

    Attributes:
        name: Its name.
        api: The API's name.
        base_path: What stands before every path of the API.
        table: Its table, `travel.bookings`.
        declared: What its author says.
        schema: What rows must be, or None.
        rings: What the placeholders of its path mean, in order: the rows around it, and fields.
        lists: How it is listed.
        shape: How its rows look in answers.

    Args:
        declaration: The API.
        name: The collection's name.
        schema: What its rows must be, or None.
    """

    def __init__(self, declaration: Declaration, name: str, schema: RowSchema | None) -> None:
        self.name = name
        self.api = declaration.api
        self.base_path = declaration.base_path
        self.table = f"{declaration.api}.{name}"
        self.declared: Collection = declaration.collections[name]
        self.schema = schema
        paths = collection_path(declaration, name)
        self.rings: tuple[Around, ...] = paths.around
        self.shape = RowShape(self.declared, self.table, paths.row)
        self._key = place_of(self.declared.key)
        self._around = [place_of(ring.field) for ring in self.rings]
        self._readonly = [place_of(each) for each in self.declared.readonly_fields]
        self._defaults = {place_of(name): each for name, each in self.declared.defaults.items()}
        self.lists = ListRules(self.declared, tuple(ring.field for ring in self.rings))
        self._key_is_number = self.declared.key_type == "integer" or (
            self.declared.ids == "int" and not self.declared.key_type
        )
        self._ids = _SHORT_IDS.get(self.declared.ids, self.declared.ids)
        self._counts = _SEQUENCE.search(self._ids) is not None
        self._has_template_defaults = has_templates(self.declared.defaults)
        self._uniques = {
            tuple(fields): unique_index(
                tuple(fields), timed=any(map(self.declared.is_timed, fields))
            )
            for fields in self.declared.unique
        }
        self._numbers = Index(self._number_in_key)
        self._kinds = dict(_param_kinds(self.declared, schema))
        self._children: tuple[Rows, ...] = ()

    def nest(self, children: Sequence["Rows"]) -> None:
        """Note the collections that are nested in this one."""
        self._children = tuple(
            each
            for each in children
            if each.declared.parent is not None and each.declared.parent.collection == self.name
        )

    def parse_params(self, params: JsonObject) -> JsonObject:
        """Parameters of a query as what they mean: numbers as numbers, truth as truth."""
        kinds = self._kinds
        return {
            name: _as_kind(value, kinds[name])
            if name in kinds and isinstance(value, str)
            else value
            for name, value in params.items()
        }

    def key_in_table(self, captures: Sequence[str]) -> str:
        """The key of a row in its table, of the keys in a path; those around it come first."""
        return "/".join(captures)

    def key_of(self, row: Mapping[str, Json]) -> str:
        """The key of a row in its table."""
        return "/".join(self.keys_of(row))

    def keys_of(self, row: Mapping[str, Json]) -> tuple[str, ...]:
        """The values of the placeholders of a row's path; its own key is the last."""
        return tuple(_text(value_at(row, place)) for place in (*self._around, self._key))

    def own_key(self, row: JsonObject) -> Json:
        """The key of a row as the row has it."""
        return value_at(row, self._key)

    def find(self, world: World, captures: Sequence[str]) -> JsonObject:
        """The row that a path names.

        Raises:
            ApiError: 404: there is none; with the nearest that there is.
        """
        table = world.table(self.table)
        row = table.get(self.key_in_table(captures))
        if row is None:
            raise self.no_row(table, captures)
        return row

    def no_row(self, table: Store, captures: Sequence[str]) -> ApiError:
        """404: no row has this key."""
        asked = captures[-1] if captures else ""
        around = "/".join(captures[:-1])
        prefix = f"{around}/" if around else ""
        known = [key.removeprefix(prefix) for key in table.rows() if key.startswith(prefix)][:2000]
        text = f"No {self.name} with {self.declared.key} {shortened(asked)!r}."
        hint = did_you_mean(asked, known)
        nearest = hint.split("'")[1] if hint.startswith("did you mean '") else ""
        reason = f"no {shortened(asked)!r} in {self.table}"
        miss = Miss(blame="fixture_gap", reason=reason, nearest=nearest)
        return refusal(404, text, miss=miss)

    # --- what answers show ---

    def show(self, row: JsonObject, call: DeclaredCall) -> JsonObject:
        """A row as answers show it."""
        return self.shape.show(row, self.keys_of(row), call)

    def wrap(self, row: JsonObject, call: DeclaredCall) -> JsonObject:
        """A single row as answers show it, in its envelope."""
        return self.shape.wrap(self.show(row, call))

    def address(self, row: JsonObject, call: DeclaredCall) -> str:
        """Where a row is."""
        return f"{call.url}{self.shape.path(self.keys_of(row))}"

    def tag(self, row: JsonObject) -> str:
        """The entity tag of a row, quoted; an empty string where rows have none."""
        if not self.declared.etag:
            return ""
        text = orjson.dumps(row, option=orjson.OPT_SORT_KEYS)
        return f'"{blake2b(text, digest_size=8).hexdigest()}"'

    # --- new rows ---

    def make_row(self, world: World, body: JsonObject, around: Sequence[str]) -> JsonObject:
        """A new row of what a caller sent, with defaults, times and a key.

        Raises:
            ApiError: 400: the key is missing; 404: the row around it is not there.
        """
        declared = self.declared
        sent = body
        for place in self._readonly:
            sent = without_field(sent, place)
        row = self._with_defaults(world, sent)
        for ring, place, key in zip(self.rings, self._around, around, strict=True):
            row = with_value(row, place, self._parent_key(ring, key))
        for name in (declared.created, declared.updated):
            if name:
                row = with_value(row, place_of(name), rfc3339(world.clock.now()))
        if self._ids:
            own = value_at(sent, self._key)
            if own is None or own == "":
                row = without_field(row, self._key)
                row = with_value(row, self._key, self._free_key(world, row))
        elif not has_field(row, self._key):
            told = Detail(f"/{'/'.join(self._key)}", "is missing")
            raise refusal(422, f"The field {declared.key} is missing.", details=[told])
        # the key stands first, as most APIs write it
        first = self._key[0]
        return {first: row.pop(first), **row}

    def _with_defaults(self, world: World, sent: JsonObject) -> JsonObject:
        """What a caller sent, with the defaults of what is not there."""
        defaults = {
            place: each for place, each in self._defaults.items() if not has_field(sent, place)
        }
        if not self._has_template_defaults:
            row = {place[0]: each for place, each in defaults.items() if len(place) == 1} | sent
        else:
            values = row_values(world, self.table, body=sent)
            simple = {place[0]: each for place, each in defaults.items() if len(place) == 1}
            row = render(simple, values) | sent
            defaults = {place: render(each, values) for place, each in defaults.items()
                        if len(place) > 1}  # fmt: skip
        for place, each in defaults.items():
            row = row if len(place) == 1 else with_value(row, place, each)
        return row

    def restrict_changes(self, own: JsonObject, row: JsonObject) -> JsonObject:
        """A row as a caller wants it, with what callers cannot set as it was."""
        hidden = [place_of(each) for each in self.declared.hidden_fields]
        for place in (*self._readonly, *hidden):
            if has_field(own, place):
                row = with_value(row, place, value_at(own, place))
            elif place in self._readonly:
                row = without_field(row, place)
        return row

    def keep_identity(self, own: JsonObject, row: JsonObject) -> JsonObject:
        """A row with the key, the place and the time of creation of the one that it was."""
        created = self.declared.created
        more = [place_of(created)] if created else []
        for place in (self._key, *self._around, *more):
            if has_field(own, place):
                row = with_value(row, place, value_at(own, place))
        return row

    def with_key(self, row: JsonObject, key: str) -> JsonObject:
        """A row with the key that a path gives it."""
        is_number = self.key_is_number and key.isdecimal()
        return with_value(row, self._key, int(key) if is_number else key)

    def _parent_key(self, ring: Around, key: str) -> Json:
        """A parent's key as rows have it: as the parent itself says it."""
        return int(key) if key.isdecimal() and ring.collection in self._numbered_fields else key

    @cached_property
    def _numbered_fields(self) -> set[str]:
        return set()

    def number_parents(self, names: Iterator[str]) -> None:
        """Note which collections have whole numbers for keys."""
        self._numbered_fields.update(names)

    @property
    def key_is_number(self) -> bool:
        """Whether keys are whole numbers."""
        return self._key_is_number

    def _free_key(self, world: World, row: JsonObject) -> Json:
        """A new key that no row has."""
        table = world.table(self.table)
        for _ in range(_MOST_TRIES):
            number = self._next(world) if self._counts else 0
            key = render(self._ids, row_values(world, self.table, number, body=row))
            if isinstance(key, str) and self._key_is_number and key.isdecimal():
                key = int(key)
            if self.key_of(with_value(row, self._key, key)) not in table:
                return key
        raise refusal(409, f"No new {self.declared.key} is left: `ids` always makes the same.")

    def _next(self, world: World) -> int:
        """The next number of the collection: one more than the highest so far."""
        counters = silent_table(self.api, "sequences")
        row = world.table(counters).get(self.name)
        latest = int(row["latest"]) if row is not None else self._highest(world)
        world.put(counters, self.name, {"latest": latest + 1})
        return latest + 1

    @contextmanager
    def sequence_kept(self, world: World) -> Iterator[None]:
        """Counts no number for a row that is refused.

        Yields:
            Once.
        """
        counters = silent_table(self.api, "sequences")
        before = world.table(counters).get(self.name) if self._counts else None
        try:
            yield
        except ApiError:
            if before is not None:
                world.put(counters, self.name, before)
            elif self._counts:
                world.delete(counters, self.name)
            raise

    def _highest(self, world: World) -> int:
        """The highest number among the keys that are there."""
        found = world.table(self.table).ordered(self._numbers)
        return max(0, found.entries(len(found) - 1)[0][0]) if found else 0

    @cached_property
    def _numbered_key(self) -> re.Pattern[str]:
        parts = [re.escape(part) for part in _SEQUENCE.split(self._ids)]
        return re.compile(r"(\d{1,15})".join(parts))

    def _number_in_key(self, _: str, row: JsonObject) -> tuple[int, ...]:
        match = self._numbered_key.fullmatch(_text(self.own_key(row)))
        return (int(match[1]),) if match is not None and match.groups() else ()

    # --- what must hold ---

    def check(self, world: World, row: JsonObject, refs: Mapping[str, "Rows"], *, own: str) -> None:
        """Refuse a row that may not be written.

        Args:
            world: Where.
            row: The row as it would be.
            refs: Collections by name.
            own: The key in the table of the row that it replaces, or an empty string.

        Raises:
            ApiError: 422: it does not fit the schema, or names what is not there; 409: it has what
                must be unique.
        """
        self.check_form(row)
        details = [
            Detail(f"/{field}", f"names no {target.partition('.')[0]}: {_shorten(row[field])}")
            for field, target in self.declared.refs.items()
            if row.get(field) is not None and not self._is_there(world, row[field], target, refs)
        ]
        if details:
            first = details[0]
            raise refusal(422, f"{first.pointer[1:]} {first.message}.", details=details)
        self._check_unique(world, row, own)

    def check_form(self, row: JsonObject) -> None:
        """Refuse a row that does not fit its schema.

        Raises:
            ApiError: 422, with each reason.
        """
        found = self.form_problems(row)
        if found:
            raise invalid_body([Detail(*each) for each in found])

    def form_problems(self, row: JsonObject) -> list[tuple[str, str]]:
        """In what a row does not fit its schema: JSON pointer and sentence of each."""
        if self.schema is None:
            return []
        # what the server itself writes is held against a schema that speaks of it
        own = {self.declared.key, self.declared.created, self.declared.updated}
        own.update(ring.field for ring in self.rings)
        known = self.schema.known_fields
        value = {name: each for name, each in row.items() if name not in own or name in known}
        return self.schema.problems(value)

    def _is_there(self, world: World, value: Json, target: str, refs: Mapping[str, "Rows"]) -> bool:
        name, _, field = target.partition(".")
        other = refs[name]
        table = world.table(other.table)
        if field == other.declared.key and not other.rings:
            return _text(value) in table
        index = unique_index((field,), timed=other.declared.is_timed(field))
        return table.first(index, (_text(value),)) is not None

    def _check_unique(self, world: World, row: JsonObject, own: str) -> None:
        table = world.table(self.table)
        for fields, index in self._uniques.items():
            values = next(iter(index.values("", row)), None)
            holder = None if values is None else table.first(index, values)
            if holder is not None and holder != own:
                names = " and ".join(fields)
                details = [Detail(f"/{fields[0]}", "is taken")]
                text = f"There is a {self.name} with this {names} already."
                raise refusal(409, text, details=details)

    def key_taken(self, world: World, row: JsonObject) -> bool:
        """Whether a row with this key is there."""
        return self.key_of(row) in world.table(self.table)

    # --- what is nested ---

    def nested_rows(
        self, world: World, row: JsonObject
    ) -> Iterator[tuple["Rows", str, JsonObject]]:
        """The rows nested in a row, however deep.

        Yields:
            Collection, key in its table, and row.
        """
        start = f"{self.key_of(row)}/"
        for child in self._children:
            table = world.table(child.table)
            found = table.starting(BY_KEY, start).entries()
            for key in [key for _, _, key in sorted(found, key=itemgetter(1))]:
                inner = table.rows()[key]
                yield from child.nested_rows(world, inner)
                yield child, key, inner


def _param_kinds(declared: Collection, schema: RowSchema | None) -> Iterator[tuple[str, str]]:
    """What parameters of a list stand for: name and JSON type.

    Yields:
        Those that are no texts.
    """
    if declared.paging is not None:
        yield declared.paging.size, "integer"
        if declared.paging.style not in {"cursor", "key"}:
            yield declared.paging.param or declared.paging.style, "integer"
    properties = (
        schema.schema.get("properties") if schema and isinstance(schema.schema, dict) else {}
    )
    for name, rule in declared.filters.items():
        field = properties.get(rule.field) if isinstance(properties, dict) else None
        kind = field.get("type") if isinstance(field, dict) else None
        if isinstance(kind, list):
            kind = next((each for each in kind if each != "null"), None)
        if rule.op in {"<", "<=", ">", ">="} and kind is None:
            kind = "number"
        if rule.op == "exists":
            kind = "boolean"
        if kind in {"integer", "number", "boolean"}:
            yield name, kind


def _as_kind(text: str, kind: str) -> Json:
    """A text as a value of a JSON type; the text itself where it is none."""
    if kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if not _NUMBER.fullmatch(text):
        return text
    return int(text) if text.removeprefix("-").isdecimal() else float(text)


def invalid_body(details: Sequence[Detail]) -> ApiError:
    """422: the body does not fit the schema."""
    first = details[0]
    place = first.pointer[1:].replace("/", ".")
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    text = f"{place}: {first.message}{more}" if place else f"{first.message}{more}"
    return refusal(422, text, details=details)


@cache
def unique_index(fields: tuple[str, ...], *, timed: bool) -> Index:
    """The index of fields of which no two rows may have the same values.

    A row that lacks one of them is not in it: it is never the same as another.
    """
    places = [place_of(field) for field in fields]

    def values(_: str, row: Mapping[str, Json]) -> tuple[tuple[str, ...], ...]:
        found = [value_at(row, place) for place in places]
        return () if None in found else (tuple(map(_text, found)),)

    return Index(values, timed=timed)


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else orjson.dumps(value).decode()


def _shorten(value: Json) -> str:
    return shortened(_text(value))
