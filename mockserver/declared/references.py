"""References in schemas and OpenAPI documents: where they lead, and which lead nowhere."""

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Any
from urllib.parse import urlsplit

from mockserver.declared.keywords import as_list, as_object, at_pointer
from mockserver.model import Json
from mockserver.storage.untrusted_json import Place

_NOT_SCHEMA = frozenset({"example", "examples", "default", "enum", "const"})
_IN_PLACE = ("allOf", "anyOf", "oneOf")


def references(raw: Json) -> Iterator[tuple[Place, str]]:
    """Every reference of a document; what stands in examples is none.

    Yields:
        Place and text of each.
    """
    waiting: list[tuple[Any, Json]] = [((), raw)]
    while waiting:
        place, value = waiting.pop()
        reference = as_object(value).get("$ref")
        if isinstance(reference, str):
            yield (*_flat_place(place), "$ref"), reference
        is_names = place and place[1] in {"properties", "schemas", "definitions", "$defs"}
        inner: Iterable[tuple[Any, Json]] = enumerate(as_list(value))
        waiting += [
            ((place, name), each)
            for name, each in (value.items() if isinstance(value, dict) else inner)
            if isinstance(each, dict | list)
            and (is_names or not (name in _NOT_SCHEMA or str(name).startswith("x-")))
        ]


def _flat_place(place: Any) -> Place:
    """A place as a tuple; while walking it is a chain of pairs, which costs nothing to lengthen."""
    found: list[str | int] = []
    while place:
        place, last = place
        found.append(last)
    return tuple(reversed(found))


def wrong_reference(raw: Json, reference: str) -> str:
    """What is wrong with a reference, or an empty string."""
    if not reference.startswith("#"):
        try:
            parts = urlsplit(reference)
        except ValueError:
            return "which is no address"
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


def endless_references(raw: Json, known: Iterable[str]) -> frozenset[str]:
    """References to schemas that consist of themselves: no value can ever be held against them.

    A schema whose fields or items are of its own kind is none of them.

    Args:
        raw: The document.
        known: References into it that hold.
    """
    inner = {each: set(_parts_in_place(at_pointer(raw, each))) for each in known}
    endless: set[str] = set()
    while True:
        try:
            TopologicalSorter(inner).prepare()
        except CycleError as error:
            endless.update(error.args[1])
            inner = {each: parts for each, parts in inner.items() if each not in endless}
        else:
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
