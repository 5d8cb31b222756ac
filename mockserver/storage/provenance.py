"""JSON pointers into a snapshot, and where the value at one was written: file and pointer."""

from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from mockserver.errors import MockServerError
from mockserver.model import Json, JsonObject, did_you_mean
from mockserver.storage.layers import Layer, apply_layer, apply_patch_operation

Path = tuple[str, ...]


def parse_pointer(pointer: str) -> Path:
    """The tokens of a pointer, unescaped.

    Raises:
        MockServerError: It is no JSON pointer.

    >>> parse_pointer("/a~1b/0")
    ('a/b', '0')
    """
    import jsonpointer

    try:
        return tuple(jsonpointer.JsonPointer(pointer).parts)
    except jsonpointer.JsonPointerException as error:
        raise MockServerError(f"{pointer!r} is no JSON pointer", hint="it starts with /") from error


def format_pointer(path: Path) -> str:
    """The pointer that a path makes, escaped.

    >>> format_pointer(("a/b", "0"))
    '/a~1b/0'
    """
    import jsonpointer

    return str(jsonpointer.JsonPointer.from_parts(path).path)


def value_at(document: Json, path: Path, default: Json = None) -> Json:
    """The value at a path, or `default`.

    >>> value_at({"a": [1]}, ("a", "0"))
    1
    """
    import jsonpointer

    return jsonpointer.JsonPointer.from_parts(path).resolve(document, default)


@dataclass(frozen=True)
class Origin:
    """One place that a value comes from.

    Attributes:
        layer: The layer's name: a file relative to the suite, or `inline[n]`.
        pointer: JSON pointer inside that file.
    """

    layer: str
    pointer: str

    @override
    def __str__(self) -> str:
        return f"{self.layer}#{self.pointer}"


class Provenance:
    """Where the values of some layers were written; what the layers come to is reckoned once.

    Args:
        layers: In merge order.

    Raises:
        FormatError: A patch cannot be applied.
    """

    def __init__(self, layers: Sequence[Layer]) -> None:
        self._layers = tuple(layers)
        stages: list[JsonObject] = [{}]
        self._steps: list[list[JsonObject]] = []
        for layer in self._layers:
            steps = _patch_steps(layer, stages[-1])
            self._steps.append(steps)
            stages.append(steps[-1] if layer.is_patch else apply_layer(stages[-1], layer))

    def origins(self, pointer: str) -> tuple[Origin, ...]:
        """Where the value at `pointer` was written, the deciding place first.

        An object that several layers merged into has several origins. Empty when no layer wrote it.
        """
        path: Path | None = parse_pointer(pointer)
        found: list[Origin] = []
        for layer, steps in zip(reversed(self._layers), reversed(self._steps), strict=True):
            if path is None:
                break
            if isinstance(layer.content, tuple):
                path = _through_patch(layer, layer.content, steps, path, found)
            else:
                path = _through_merge(layer, layer.content, path, found)
        return tuple(found)


def _patch_steps(layer: Layer, before: JsonObject) -> list[JsonObject]:
    """The snapshot before each operation of a patch, and after the last; else nothing is kept."""
    steps = [before]
    if isinstance(layer.content, tuple):
        for number, operation in enumerate(layer.content):
            steps.append(
                apply_patch_operation(steps[-1], operation, where=f"{layer.name}#/{number}")
            )
    return steps


def origins(layers: Sequence[Layer], pointer: str) -> tuple[Origin, ...]:
    """Where the value at `pointer` was written (see `Provenance.origins`).

    >>> base = Layer("base/a.json", {"a": {"b": 1, "c": 2}})
    >>> case = Layer("EC-001/overrides.json", {"a": {"b": 3}})
    >>> [str(origin) for origin in origins([base, case], "/a/b")]
    ['EC-001/overrides.json#/a/b']
    """
    return Provenance(layers).origins(pointer)


def _through_merge(layer: Layer, content: Json, path: Path, found: list[Origin]) -> Path | None:
    """Notes the layer when it wrote the path; None when no earlier layer has a say."""
    value = content
    for depth, token in enumerate(path):
        if not isinstance(value, dict):
            inside = value_at(value, path[depth:])
            if inside is not None:
                found.append(Origin(layer.name, format_pointer(path)))
            return None
        if token not in value:
            return path
        value = value[token]
    found.append(Origin(layer.name, format_pointer(path)))
    return path if isinstance(value, dict) else None


def _through_patch(
    layer: Layer,
    operations: Sequence[JsonObject],
    stages: Sequence[JsonObject],
    path: Path,
    found: list[Origin],
) -> Path | None:
    current: Path | None = path
    for number in range(len(operations) - 1, -1, -1):
        if current is None:
            break
        step = _before_operation(operations[number], stages[number], current)
        if step is None:
            found.append(Origin(layer.name, f"/{number}"))
        current = step
    return current


def _before_operation(operation: JsonObject, document: Json, path: Path) -> Path | None:
    """The same value's path before an operation, or None when the operation wrote it."""
    kind = operation["op"]
    target = _target(document, str(operation["path"]))
    if kind in ("add", "replace", "copy", "move") and path[: len(target)] == target:
        if kind in ("copy", "move"):
            source = parse_pointer(str(operation["from"]))
            return source + path[len(target) :]
        return None
    if kind in ("add", "copy"):
        return _shift_index(document, target, path, -1)
    if kind == "remove":
        return _shift_index(document, target, path, +1)
    return path


def _target(document: Json, pointer: str) -> Path:
    """An operation's path, with `-` as the index it stands for."""
    parts = parse_pointer(pointer)
    if parts and parts[-1] == "-":
        array = value_at(document, parts[:-1], [])
        return (*parts[:-1], str(len(array)))
    return parts


def _shift_index(document: Json, target: Path, path: Path, by: int) -> Path:
    """The path with its index moved, when the operation inserted or removed an item before it."""
    if not target:
        return path
    parent, index = target[:-1], target[-1]
    array = value_at(document, parent)
    depth = len(parent)
    if not isinstance(array, list) or path[:depth] != parent or len(path) <= depth:
        return path
    mine = path[depth]
    if mine.isdigit() and int(mine) >= int(index):
        return (*parent, str(int(mine) + by), *path[depth + 1 :])
    return path


def resolve_pointer(document: JsonObject, pointer: str) -> tuple[str, Json]:
    """The value a JSON pointer means, and the exact pointer to it.

    An item of a list may be named by an id of its own instead of its index.

    Raises:
        MockServerError: There is nothing; the message says how far the pointer leads.

    >>> resolve_pointer({"users": [{"id": "7", "n": 1}]}, "/users/7/n")
    ('/users/0/n', 1)
    """
    parts = parse_pointer(pointer)
    exact: Path = ()
    value: Json = document
    for token in parts:
        key = _key_of(value, token)
        if key is None:
            known = list(value) if isinstance(value, dict) else []
            raise MockServerError(
                f"nothing at {format_pointer((*exact, token))}", hint=did_you_mean(token, known)
            )
        value = value[int(key)] if isinstance(value, list) else value[key]
        exact = (*exact, key)
    return format_pointer(exact), value


_IDS = ("id", "name", "primaryEmail", "email", "orgUnitId", "orgUnitPath", "schemaName", "deviceId")


def _key_of(value: Json, token: str) -> str | None:
    if isinstance(value, dict):
        return token if token in value else None
    if not isinstance(value, list):
        return None
    if token.isdigit() and int(token) < len(value):
        return token
    for place, item in enumerate(value):
        if isinstance(item, dict) and any(item.get(name) == token for name in _IDS):
            return str(place)
    return None
