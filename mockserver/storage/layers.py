"""Layers of a snapshot: how they are put over one another, sharing whatever does not change."""

from collections.abc import Sequence
from dataclasses import dataclass

from mockserver.errors import FormatError
from mockserver.model import Json, JsonObject, shortened


@dataclass(frozen=True)
class Layer:
    """One file (or inline object) of a snapshot.

    Attributes:
        name: The file, relative to the suite, or `inline[n]`.
        content: An object to merge, or the operations of an RFC 6902 patch.
    """

    name: str
    content: JsonObject | tuple[JsonObject, ...]

    @property
    def is_patch(self) -> bool:
        """Whether it is a JSON Patch."""
        return isinstance(self.content, tuple)


def overlay(base: Json, layer: Json) -> Json:
    """Merge objects key by key; anything else in `layer` replaces. Neither argument is changed.

    >>> overlay({"a": {"b": 1, "c": [1]}, "d": 2}, {"a": {"c": [], "e": None}})
    {'a': {'b': 1, 'c': [], 'e': None}, 'd': 2}
    """
    if not (isinstance(base, dict) and isinstance(layer, dict)):
        return layer
    if not layer:
        return base
    return base | {
        key: overlay(base[key], value) if key in base else value for key, value in layer.items()
    }


def apply_patch_operation(document: JsonObject, operation: JsonObject, *, where: str) -> JsonObject:
    """Apply one RFC 6902 operation, copying only the path it touches.

    Raises:
        FormatError: The operation is malformed, its path is not there, or its test fails.
    """
    import jsonpatch
    import jsonpointer

    try:
        copied = _copy_path(document, str(operation.get("path", "")))
        if "from" in operation:
            copied = _copy_path(copied, str(operation["from"]))
        result = jsonpatch.JsonPatch([operation]).apply(copied, in_place=True)
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError) as error:
        said = str(error).partition(" not found in ")
        reason = f"{said[0]} is not there" if said[1] else str(error)
        if isinstance(error, jsonpatch.JsonPatchTestFailed):
            reason = "the test does not hold"
        doing = f"{operation.get('op')} {operation.get('path')}"
        raise FormatError(
            where, f"{shortened(doing)!r} cannot be applied: {shortened(reason)}"
        ) from (error)
    if not isinstance(result, dict):
        raise FormatError(where, "leaves something else than an object")
    return result


def _copy_path(document: Json, pointer: str) -> Json:
    """A copy in which every container on the way to `pointer` is new and may be changed."""
    import jsonpointer

    root = _shallow_copy(document)
    at = root
    for token in jsonpointer.JsonPointer(pointer).parts:
        key = _key(at, token)
        if key is None:
            break
        at[key] = _shallow_copy(at[key])
        at = at[key]
    return root


def _shallow_copy(value: Json) -> Json:
    if isinstance(value, dict):
        return dict(value)
    return list(value) if isinstance(value, list) else value


def _key(container: Json, token: str) -> str | int | None:
    if isinstance(container, dict):
        return token if token in container else None
    if isinstance(container, list) and token.isdigit() and int(token) < len(container):
        return int(token)
    return None


def merge_layers(layers: Sequence[Layer]) -> JsonObject:
    """What a stack of layers resolves to.

    Raises:
        FormatError: A patch cannot be applied.
    """
    snapshot: JsonObject = {}
    for layer in layers:
        snapshot = apply_layer(snapshot, layer)
    return snapshot


def apply_layer(snapshot: JsonObject, layer: Layer) -> JsonObject:
    """One layer put over a snapshot.

    Raises:
        FormatError: A patch cannot be applied.
    """
    if not isinstance(layer.content, tuple):
        result: JsonObject = overlay(snapshot, layer.content)
        return result
    for number, operation in enumerate(layer.content):
        snapshot = apply_patch_operation(snapshot, operation, where=f"{layer.name}#/{number}")
    return snapshot
