"""Fields of rows by their places: `metadata.name` is a field inside another one."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from mockserver.model import Json, JsonObject

Place = tuple[str, ...]
"""The names of the fields from the outermost on."""


@lru_cache(4096)
def place_of(field: str) -> Place:
    """The place of a field with dots between the names.

    >>> place_of("metadata.name"), place_of("id")
    (('metadata', 'name'), ('id',))
    """
    return tuple(field.split("."))


def value_at(row: Json, place: Sequence[str]) -> Json:
    """What a row has at a field, or at a field inside others; None where there is no such."""
    for name in place:
        row = row.get(name) if isinstance(row, dict) else None
    return row


def has_field(row: Json, place: Sequence[str]) -> bool:
    """Whether a row has a field, be it null.

    >>> has_field({"a": {"b": None}}, ("a", "b")), has_field({"a": 1}, ("a", "b"))
    (True, False)
    """
    inner = value_at(row, place[:-1]) if len(place) > 1 else row
    return isinstance(inner, dict) and place[-1] in inner


def with_value(row: Mapping[str, Json], place: Sequence[str], value: Json) -> JsonObject:
    """A row with another value at a place; what stands in the way becomes an object.

    >>> with_value({"a": {"b": 1}, "c": 2}, ("a", "d"), 3)
    {'a': {'b': 1, 'd': 3}, 'c': 2}
    """
    name = place[0]
    if len(place) == 1:
        return {**row, name: value}
    inner, inside = row.get(name), place[1:]
    return {**row, name: with_value(inner if isinstance(inner, dict) else {}, inside, value)}


def without_field(row: JsonObject, place: Sequence[str]) -> JsonObject:
    """A row without the field at a place; the row itself where it has none.

    >>> without_field({"a": {"b": 1}, "c": 2}, ("a", "b"))
    {'a': {}, 'c': 2}
    """
    if not has_field(row, place):
        return row
    name, inside = place[0], place[1:]
    if not inside:
        return {each: value for each, value in row.items() if each != name}
    return {**row, name: without_field(row[name], inside)}


def put_in(place: str, value: Json) -> JsonObject:
    """A value inside objects: `data.items` is an object in an object.

    >>> put_in("data.items", [1])
    {'data': {'items': [1]}}
    """
    for name in reversed(place_of(place)):
        value = {name: value}
    return dict(value)
