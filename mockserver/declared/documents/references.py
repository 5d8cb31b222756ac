"""References of OpenAPI documents: where they lead, and those that lead nowhere or round."""

from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from mockserver.model import Json, JsonObject
from mockserver.storage.untrusted_json import Place

_NOT_SCHEMA = frozenset({"example", "examples", "default", "enum", "const"})
_IN_PLACE = ("allOf", "anyOf", "oneOf")


def pointer_of(place: Place) -> str:
    """A place as a JSON pointer without its first slash."""
    return "/".join(str(each).replace("~", "~0").replace("/", "~1") for each in place)


def as_object(value: Any) -> JsonObject:
    """A value where it is an object; `{}` otherwise."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Json]:
    """A value where it is an array; `[]` otherwise."""
    return value if isinstance(value, list) else []


def references(raw: Json) -> Iterator[tuple[Place, str]]:
    """Every reference of a document; what stands in examples is none.

    Yields:
        Place and text of each.
    """
    waiting: list[tuple[Any, Json]] = [((), raw)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str):
                yield (*flat_place(place), "$ref"), reference
            is_names = place and place[1] in {"properties", "schemas", "definitions"}
            waiting += [
                ((place, name), each)
                for name, each in value.items()
                if isinstance(each, dict | list)
                and (is_names or not (name in _NOT_SCHEMA or name.startswith("x-")))
            ]
        elif isinstance(value, list):
            waiting += [
                ((place, n), each) for n, each in enumerate(value) if isinstance(each, dict | list)
            ]


def flat_place(place: Any) -> Place:
    """A place as a tuple; while walking it is a chain of pairs, which costs nothing to lengthen."""
    found: list[str | int] = []
    while place:
        place, last = place
        found.append(last)
    return tuple(reversed(found))


def wrong_reference(raw: Json, reference: str) -> str:
    """What is wrong with a reference, or an empty string."""
    if not reference.startswith("#"):
        parts = urlsplit(reference)
        if parts.scheme or parts.netloc:
            return "which is on the network, and nothing is read from there"
        return "which is another file, and none is read"
    seen = set()
    while isinstance(reference, str):
        if reference in seen:
            return "which refers to itself and to nothing else"
        seen.add(reference)
        try:
            value = at_pointer(raw, reference)
        except LookupError:
            return "which is not there"
        reference = value.get("$ref") if isinstance(value, dict) else None  # type: ignore[assignment]
    return ""


def at_pointer(raw: Json, reference: str) -> Json:
    """The value that a reference into the document means.

    Raises:
        LookupError: It is not there.
    """
    value: Any = raw
    before, *parts = unquote(reference.removeprefix("#")).split("/")
    if before:  # an anchor
        raise LookupError(reference)
    for part in parts:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            is_index = name.isdecimal() and int(name) < len(value)
            value = value[int(name)] if is_index else None
        elif isinstance(value, dict):
            value = value.get(name)
        else:
            value = None
        if value is None:
            raise LookupError(reference)
    return value


def endless_references(raw: Json, known: Iterable[str]) -> frozenset[str]:
    """References to schemas that consist of themselves: no value can ever be held against them.

    A schema whose fields or items are of its own kind is none of them.

    Args:
        raw: The document.
        known: References into it that hold.
    """
    done: set[str] = set()
    endless: set[str] = set()
    for start in known:
        path: list[str] = []
        waiting = [(start, 0)]
        while waiting:
            reference, depth = waiting.pop()
            del path[depth:]
            if reference in path:
                endless.update(path[path.index(reference) :])
            elif reference not in done:
                done.add(reference)
                path.append(reference)
                inner = _parts_in_place(at_pointer(raw, reference))
                waiting += [(each, depth + 1) for each in inner]
    return frozenset(endless)


def _parts_in_place(schema: Json) -> Iterator[str]:
    """The references that a schema's values must fit as well.

    Yields:
        Each.
    """
    waiting = [schema]
    while waiting:
        each = as_object(waiting.pop())
        if isinstance(each.get("$ref"), str):
            yield each["$ref"]
            continue
        for word in _IN_PLACE:
            waiting += as_list(each.get(word))
