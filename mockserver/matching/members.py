"""Members of a JSON value: taken out, masked, and numbers written in one way; in place."""

import re
from collections.abc import Callable, Iterator

from mockserver.model import Json

_TIME = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\b1\d{9}(?:\d{3}|\.\d+)?\b"
)
_MASK = "<time>"
_EXACT = 2**53
_EVERY = "*"


def dropped(value: Json, path: tuple[str, ...]) -> None:
    """Take the member at a path out of a value; `*` is every item of a list or object.

    >>> body = {"entries": [{"id": 1, "a": 2}]}
    >>> dropped(body, ("entries", "*", "id"))
    >>> body
    {'entries': [{'a': 2}]}
    """
    for holder in _holders(value, path[:-1]):
        if isinstance(holder, dict):
            holder.pop(path[-1], None)


def masked(value: Json, path: tuple[str, ...]) -> None:
    """Replace every time in the text, or the number of seconds, at a path.

    >>> body = {"filter": 'timestamp>="2026-11-20T09:00:00Z" AND severity=ERROR'}
    >>> masked(body, ("filter",))
    >>> body
    {'filter': 'timestamp>="<time>" AND severity=ERROR'}
    """
    name = path[-1]
    for holder in _holders(value, path[:-1]):
        if isinstance(holder, dict) and name in holder:
            holder[name] = _masked(holder[name])


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


def _masked(found: Json) -> Json:
    if isinstance(found, str):
        return _TIME.sub(_MASK, found)
    number = isinstance(found, int | float) and _TIME.fullmatch(str(found))
    return _MASK if number else found


def _holders(value: Json, path: tuple[str, ...]) -> Iterator[Json]:
    if not path:
        yield value
        return
    for item in _STEPS[type(value)](value, path[0]) if type(value) in _STEPS else ():
        yield from _holders(item, path[1:])


def _of_object(value: dict[str, Json], name: str) -> list[Json]:
    if name == _EVERY:
        return list(value.values())
    return [value[name]] if name in value else []


def _of_list(value: list[Json], name: str) -> list[Json]:
    return value if name == _EVERY else []


_STEPS: dict[type, Callable[..., list[Json]]] = {dict: _of_object, list: _of_list}
