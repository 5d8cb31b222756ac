"""Members of a JSON value: taken out, masked, and numbers written in one way; in place."""

import re
from collections.abc import Callable, Iterator

import orjson

from mockserver.model import Json

_TIME = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\b1\d{9}(?:\d{3}|\.\d+)?\b"
)
_MASK = "<time>"
_EXACT = 2**53
_EVERY = "*"


def drop_member(value: Json, path: tuple[str, ...]) -> None:
    """Take the member at a path out of a value; `*` is every item of a list or object.

    >>> body = {"entries": [{"id": 1, "a": 2}]}
    >>> drop_member(body, ("entries", "*", "id"))
    >>> body
    {'entries': [{'a': 2}]}
    """
    last = path[-1]
    for holder in _values_at(value, path[:-1]):
        if isinstance(holder, list):
            holder[:] = [] if last == _EVERY else _without_item(holder, last)
        elif last == _EVERY and isinstance(holder, dict):
            holder.clear()
        elif isinstance(holder, dict):
            holder.pop(last, None)


def sort_lists(value: Json, path: tuple[str, ...]) -> None:
    """Sort the lists at a path by what their items hold; `*` is every item of a list or object.

    >>> body = {"tags": ["b", "a"]}
    >>> sort_lists(body, ("tags",))
    >>> body
    {'tags': ['a', 'b']}
    """
    for found in _values_at(value, path):
        if isinstance(found, list):
            found.sort(key=_sort_key)


def without_nulls(value: Json) -> Json:
    """The value without members that are null.

    >>> without_nulls({"a": None, "b": [None, {"c": None}]})
    {'b': [None, {}]}
    """
    if isinstance(value, dict):
        return {name: without_nulls(item) for name, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def mask_times(value: Json, path: tuple[str, ...]) -> None:
    """Replace every time in the text, or the number of seconds, at a path.

    >>> body = {"filter": 'timestamp>="2026-11-20T09:00:00Z" AND severity=ERROR'}
    >>> mask_times(body, ("filter",))
    >>> body
    {'filter': 'timestamp>="<time>" AND severity=ERROR'}
    """
    name = path[-1]
    for holder in _values_at(value, path[:-1]):
        if isinstance(holder, dict) and name in holder:
            holder[name] = _mask_value(holder[name])


def with_whole_numbers(value: Json, deepest: int) -> Json:
    """The value with `1.0` written as `1`.

    Raises:
        ValueError: It is nested more than `deepest` levels.

    >>> with_whole_numbers({"a": [1.0, 1.5]}, 9)
    {'a': [1, 1.5]}
    """
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) <= _EXACT else value
    if not isinstance(value, dict | list):
        return value
    if not deepest:
        raise ValueError("nested too deeply to be compared by its members")
    if isinstance(value, list):
        return [with_whole_numbers(item, deepest - 1) for item in value]
    return {name: with_whole_numbers(item, deepest - 1) for name, item in value.items()}


def _without_item(items: list[Json], index: str) -> list[Json]:
    if not index.isdecimal() or int(index) >= len(items):
        return items
    return items[: int(index)] + items[int(index) + 1 :]


def _sort_key(value: Json) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _mask_value(found: Json) -> Json:
    if isinstance(found, str):
        return _TIME.sub(_MASK, found)
    number = isinstance(found, int | float) and _TIME.fullmatch(str(found))
    return _MASK if number else found


def _values_at(value: Json, path: tuple[str, ...]) -> Iterator[Json]:
    if not path:
        yield value
        return
    for item in _STEPS[type(value)](value, path[0]) if type(value) in _STEPS else ():
        yield from _values_at(item, path[1:])


def _of_object(value: dict[str, Json], name: str) -> list[Json]:
    if name == _EVERY:
        return list(value.values())
    return [value[name]] if name in value else []


def _of_list(value: list[Json], name: str) -> list[Json]:
    if name == _EVERY:
        return value
    return [value[int(name)]] if name.isdecimal() and int(name) < len(value) else []


_STEPS: dict[type, Callable[..., list[Json]]] = {dict: _of_object, list: _of_list}
