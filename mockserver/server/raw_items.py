"""The resources of a raw collection, whatever form a snapshot has them in."""

from collections.abc import Iterator

from mockserver.model import Json


def items_of(value: Json) -> Iterator[tuple[str, Json]]:
    """Each resource with its JSON pointer below the collection.

    A collection is a list, a captured page (`{"items": [...]}`), lists by key (members of groups),
    or one object.

    >>> list(items_of({"a@example.com": [{"id": "1"}]}))
    [('/a@example.com/0', {'id': '1'})]

    Yields:
        Pointer and resource, in order.
    """
    if isinstance(value, dict):
        yield from _of_object(value)
    elif isinstance(value, list):
        yield from ((f"/{number}", item) for number, item in enumerate(value))


def _of_object(value: dict[str, Json]) -> Iterator[tuple[str, Json]]:
    if isinstance(value.get("items"), list):
        yield from ((f"/items{pointer}", item) for pointer, item in items_of(value["items"]))
    elif value and all(isinstance(each, list) for each in value.values()):
        for key, each in value.items():
            at = key.replace("~", "~0").replace("/", "~1")
            yield from ((f"/{at}{pointer}", item) for pointer, item in items_of(each))
    else:
        yield "", value
