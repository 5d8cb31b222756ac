"""Rows of declared collections as a snapshot holds them, under the API's name."""

from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import islice

from mockserver.collections.collection import is_key
from mockserver.collections.places import place_of, value_at, with_value
from mockserver.declared.declaration import Declaration
from mockserver.declared.rows import Rows, keys_table, silent_table
from mockserver.errors import Problem
from mockserver.googleapi import SnapshotImport
from mockserver.model import FEW, Json, JsonObject, did_you_mean, shortened
from mockserver.storage import kind_of
from mockserver.storage.documents import pointer_of

SILENT = ("webhooks", "jobs", "requests", "limits", "sequences", "keys", "files")
"""Tables of an API that are no part of its data."""


def import_rows(declaration: Declaration, rows: Mapping[str, Rows], into: SnapshotImport) -> None:
    """Turn `{"travel": {"flights": [...]}}` into the tables of an API.

    Rows are a list, or an object from key to row. What cannot be served is a problem of the import;
    what would be refused of a caller is a warning.
    """
    name = declaration.api
    for each in rows.values():
        into.tables[each.table] = {}
        if each.declared.timed:
            into.times[each.table] = tuple(map(place_of, each.declared.timed))
    into.silent.update(silent_table(name, each) for each in SILENT)
    into.problems += _import_keys(keys_table(name), rows, into)
    given = into.raw.get(name)
    if given is None:
        return
    if not isinstance(given, dict):
        text = f"expected an object of collections, found {kind_of(given)}"
        into.problems.append(Problem(f"/{name}", text))
        return
    for key, value in given.items():
        where = pointer_of((name, key))
        if key not in rows:
            hint = did_you_mean(key, rows)
            into.problems.append(Problem(where, f"unknown collection {shortened(key)!r}", hint))
            continue
        into.problems += _import_collection(rows[key], value, where, into)
    into.checks.append(lambda: _references(rows, into, name))


def _import_keys(table: str, rows: Mapping[str, Rows], into: SnapshotImport) -> Iterator[Problem]:
    """Note the keys that the next new rows get, `{"travel:keys": {"bookings": ["B7", "B9"]}}`.

    Yields:
        What is wrong with them.
    """
    into.tables[table] = {}
    given = into.raw.get(table, {})
    if not isinstance(given, dict):
        yield Problem(f"/{table}", f"expected an object, found {kind_of(given)}")
        return
    for name, keys in given.items():
        where = pointer_of((table, name))
        if name not in rows or not rows[name].declared.ids:
            known = [each for each in rows if rows[each].declared.ids]
            text = f"{shortened(name)!r} is no collection that makes keys"
            yield Problem(where, text, did_you_mean(name, known))
        elif not isinstance(keys, list) or not all(map(is_key, keys)):
            yield Problem(where, "expected an array of keys, each a text or a whole number")
        else:
            into.tables[table][name] = {"next": keys}


def _import_collection(
    rows: Rows, value: Json, where: str, into: SnapshotImport
) -> Iterator[Problem]:
    """Put the rows of one collection into its table.

    Yields:
        What is wrong with them.
    """
    table, key, collection = into.tables[rows.table], rows.declared.key, rows.collection
    if isinstance(value, dict):
        value = {name: _with_key(row, key, name) for name, row in value.items()}
    elif not isinstance(value, list):
        yield Problem(where, f"expected an array of rows, found {kind_of(value)}")
        return
    needed = [(each, place_of(each)) for each in (key, *(up.field for up in collection.parents))]
    for name, row in _items(value):
        text = hint = ""
        if not isinstance(row, dict):
            text = f"expected an object, found {kind_of(row)}"
        elif missing := [each for each, at in needed if not is_key(value_at(row, at))]:
            near = [each for each in row if each.casefold() == missing[0].casefold()]
            hint = did_you_mean(missing[0], near)
            text = f"has no {missing[0]!r}, which names it"
        elif isinstance(name, str) and name != (found := str(value_at(row, needed[0][1]))):
            text = f"has the {key} {shortened(found)!r}, and stands under {shortened(name)!r}"
        elif (own := collection.key_of(row)) in table:
            text = f"has the {key} of another row: {shortened(own)!r}"
        else:
            table[own] = row
        if text:
            yield Problem(f"{where}{pointer_of((name,))}", text, hint)
    into.checks.append(lambda: _unlike_rows(rows, value, where))


def _items(value: JsonObject | list[Json]) -> Iterable[tuple[str | int, Json]]:
    return value.items() if isinstance(value, dict) else enumerate(value)


def _unlike_rows(rows: Rows, value: JsonObject | list[Json], where: str) -> Iterator[Problem]:
    """The first rows that their schema would refuse of a caller.

    Yields:
        A warning for each.
    """
    found = (
        (name, problem)
        for name, row in _items(value)
        for problem in (rows.collection.problems(row) if isinstance(row, dict) else ())[:1]
    )
    for name, (pointer, message) in islice(found, FEW):
        yield Problem(f"{where}{pointer_of((name,))}{pointer}", message, "", "warning")


def _with_key(row: Json, key: str, name: str) -> Json:
    """A row with the key that it is given under, where it says none itself."""
    place = place_of(key)
    if not isinstance(row, dict) or value_at(row, place) is not None:
        return row
    return {key: name, **row} if len(place) == 1 else with_value(row, place, name)


def _references(rows: Mapping[str, Rows], into: SnapshotImport, name: str) -> Iterator[Problem]:
    """Rows that name what is not there, or each other in a circle: the first of each field.

    Yields:
        One for each field.
    """
    for each in rows.values():
        inside = [parent for parent in each.collection.parents if parent.collection][-1:]
        targets = {one.field: (one.collection, one.target) for one in each.collection.references}
        for one in inside:
            targets[one.field] = one.collection, rows[one.collection].declared.key
        for field, (other, wanted) in targets.items():
            place, inner = place_of(field), place_of(wanted)
            known = {str(value_at(row, inner)) for row in into.tables[rows[other].table].values()}
            for key, row in into.tables[each.table].items():
                value = value_at(row, place)
                if value is not None and str(value) not in known:
                    text = f"{shortened(key)}: {field} names no {other}: {shortened(str(value))}"
                    yield Problem(f"/{name}/{each.name}", text, "", "warning")
                    break
            if other == each.name and wanted == each.declared.key:
                yield from _circles(into.tables[each.table], field, f"/{name}/{each.name}")


def _circles(table: Mapping[str, JsonObject], field: str, where: str) -> Iterator[Problem]:
    """The first rows that name each other in a circle, as a warning.

    Yields:
        One, or none.
    """
    place = place_of(field)
    above = {
        key: [f"{key.rpartition('/')[0]}/{value}".lstrip("/")]
        for key, row in table.items()
        if (value := value_at(row, place)) is not None
    }
    try:
        TopologicalSorter(above).prepare()
    except CycleError as error:
        circle = " > ".join(map(shortened, error.args[1][::-1][:FEW]))
        yield Problem(where, f"{field} leads in a circle: {circle}", "", "warning")
