"""What JSON values look like, put together over many of them: fields, types, words."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from mockserver.model import Json

ITEM = "*"
"""The step of a path that stands for every item of an array, or every entry of a map."""

DEEPEST = 100
"""Nesting that is followed; what is below counts as one value."""

_MOST_WORDS = 16
_WORD = re.compile(r"[A-Z][A-Z]+(_[A-Z0-9]+)*|[a-z]+#[A-Za-z]+(#[A-Za-z]+)*")
_NAME = re.compile(r"[A-Za-z_$@][A-Za-z_$0-9-]{0,63}")
_IDENT = re.compile(r"\d{4}|[0-9a-f]{8}")

Path = tuple[str, ...]


@dataclass(slots=True)
class Field:
    """What was seen at one path.

    Attributes:
        types: Types by how often they were seen: JSON's words, `integer` apart from `number`.
        words: Values that are words of a set (`ACTIVE`, `admin#user`); None when one was something
            else, or when there are too many.
    """

    types: Counter[str] = field(default_factory=Counter)
    words: set[str] | None = field(default_factory=set)

    @property
    def seen(self) -> int:
        """How often it was there."""
        return self.types.total()


Shape = dict[Path, Field]
"""Paths to what was seen there; the empty path is the value itself."""


@dataclass(slots=True)
class Subject:
    """One method of a recording, or one collection of a snapshot.

    Attributes:
        shape: Of what was answered, or of its resources. Only answers below 400 count.
        count: How many answers, or resources.
        statuses: Answers by status; empty for collections.
        pages: Answers that were a further page.
    """

    shape: Shape = field(default_factory=dict)
    count: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    pages: int = 0

    @property
    def succeeded(self) -> bool:
        """Whether it has an answer that is no error; collections have."""
        return not self.statuses or any(status < 400 for status in self.statuses)


def shape_of(values: Iterable[Json]) -> Shape:
    """The shape of some values together.

    >>> shape = shape_of([{"state": "ACTIVE", "size": 1}, {"state": "DELETED"}])
    >>> {"/".join(path): sorted(found.types) for path, found in shape.items()}
    {'': ['object'], 'state': ['string'], 'size': ['integer']}
    >>> sorted(shape["state",].words)
    ['ACTIVE', 'DELETED']
    """
    shape: Shape = {}
    for value in values:
        add_value(shape, value)
    return shape


def add_value(shape: Shape, value: Json) -> None:
    """Put one more value into a shape."""
    waiting: list[tuple[Path, Json]] = [((), value)]
    while waiting:
        path, each = waiting.pop()
        _add_observation(shape.setdefault(path, Field()), each)
        if len(path) < DEEPEST:
            waiting += reversed([((*path, step), inner) for step, inner in _members(each)])


def scalars_of(value: Json) -> Iterator[tuple[Path, Json]]:
    """The texts, numbers and flags of a value, with their paths.

    Yields:
        Each of them.

    >>> list(scalars_of({"users": [{"name": "Ann"}]}))
    [(('users', '*', 'name'), 'Ann')]
    """
    waiting: list[tuple[Path, Json]] = [((), value)]
    while waiting:
        path, each = waiting.pop()
        if not isinstance(each, dict | list):
            yield path, each
        elif len(path) < DEEPEST:
            waiting += [((*path, step), inner) for step, inner in _members(each)]


def type_of(value: Json) -> str:
    """JSON's word for the type of a value; whole numbers are `integer`.

    >>> [type_of(value) for value in (None, True, 1, 1.5, "", [], {})]
    ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names = {int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names[type(value)]


def pointer(path: Path) -> str:
    """A path as messages write it.

    >>> pointer(("users", "*", "name"))
    '/users/*/name'
    """
    return "".join(f"/{step}" for step in path)


def _add_observation(found: Field, value: Json) -> None:
    found.types[type_of(value)] += 1
    if isinstance(value, str) and found.words is not None:
        found.words.add(value)
        if len(found.words) > _MOST_WORDS or not _WORD.fullmatch(value):
            found.words = None


def _members(value: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(value, list):
        for item in value:
            yield ITEM, item
    elif isinstance(value, dict):
        for key, each in value.items():
            yield (key if _is_name(key) else ITEM), each


def _is_name(key: str) -> bool:
    """Whether a key is the name of a field, and not an address, a path or an id."""
    return bool(_NAME.fullmatch(key)) and not _IDENT.search(key)
