"""YAML as untrusted input: data only, bounded aliases, and the line of what is wrong."""

import re
from collections.abc import Callable
from typing import Any

import yaml

from mockserver.errors import FormatError
from mockserver.model import Json
from mockserver.storage.cassettes.values import Place

_MAYBE_ALIAS = re.compile(r"(?:^|[\s\[,{:?-])\*[^\s,\[\]{}]", re.MULTILINE)
LARGEST_EXPANSION = 16 * 1024 * 1024
"""Characters that all aliases of one file may stand for together."""
_PYTHON = "tag:yaml.org,2002:python/"


class _Loader(yaml.CSafeLoader):
    """The safe loader, which knows the plain data behind the few Python tags that vcrpy writes."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in known if not tag.endswith(":timestamp")]
        for first, known in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }


def _text(loader: _Loader, node: yaml.ScalarNode) -> Any:
    return loader.construct_scalar(node)


def _sequence(loader: _Loader, node: yaml.SequenceNode) -> Any:
    return loader.construct_sequence(node, deep=True)


def _file(loader: _Loader, node: yaml.MappingNode) -> Any:
    """A body that was read from a file: its state begins with the content."""
    state = loader.construct_mapping(node, deep=True).get("state")
    return state[0] if isinstance(state, list) and state else b""


def _pieces(loader: _Loader, node: yaml.MappingNode) -> Any:
    """A body that was sent piece by piece."""
    arguments = loader.construct_mapping(node, deep=True).get("args")
    pieces = arguments[0] if isinstance(arguments, list) and arguments else []
    if not isinstance(pieces, list) or not all(isinstance(piece, str | bytes) for piece in pieces):
        raise yaml.constructor.ConstructorError(
            problem="a body in pieces that are neither texts nor bytes",
            problem_mark=node.start_mark,
        )
    return b"".join(piece.encode() if isinstance(piece, str) else piece for piece in pieces)


def _binary(loader: _Loader, node: yaml.ScalarNode) -> Any:
    return loader.construct_yaml_binary(node)


_CONSTRUCTORS: dict[str, Callable[[Any, Any], Any]] = {
    "str": _text,
    "unicode": _text,
    "tuple": _sequence,
    "object/new:_io.BytesIO": _file,
    "object/apply:builtins.iter": _pieces,
}
for _tag, _constructor in _CONSTRUCTORS.items():
    _Loader.add_constructor(_PYTHON + _tag, _constructor)
_Loader.add_constructor("!binary", _binary)  # as Ruby writes it


def load_yaml(text: str, name: str) -> Json:
    """What a YAML file holds; times stay texts.

    Args:
        text: The file's content.
        name: The file, for messages.

    Raises:
        FormatError: It is not YAML, holds something else than data, or aliases that would grow
            beyond `LARGEST_EXPANSION`; with the line.
    """
    try:
        if _MAYBE_ALIAS.search(text):
            _refuse_bombs(text, name)
        loader = _Loader(text)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise _not_yaml(error, name) from error
    except RecursionError as error:
        raise FormatError(name, "nested too deeply") from error
    except (ValueError, TypeError) as error:
        raise FormatError(name, f"a value that cannot be read: {error}") from error


def _not_yaml(error: yaml.YAMLError, name: str) -> FormatError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    where = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)
    if "could not determine a constructor" in problem:
        tag = problem.rpartition("the tag ")[2].strip("'")
        return FormatError(
            where, f"has the tag {tag.replace(_PYTHON, '!!python/')!r}", hint="a cassette is data"
        )
    return FormatError(where, f"not YAML: {problem}")


def _refuse_bombs(text: str, name: str) -> None:
    """Counts what all aliases stand for, without following one."""
    count = _Expansion()
    for event in yaml.parse(text, _Loader):
        if count.of(event) > LARGEST_EXPANSION:
            where = f"{name}:{event.start_mark.line + 1}" if event.start_mark else name
            raise FormatError(where, "aliases that stand for too much, or for themselves")


class _Expansion:
    """How many characters the aliases of one document stand for, so far."""

    def __init__(self) -> None:
        self._weights: dict[str, int] = {}
        self._open: list[tuple[str | None, list[int]]] = []
        self._total = 0

    def of(self, event: yaml.Event) -> int:
        if isinstance(event, yaml.CollectionStartEvent):
            self._open.append((event.anchor, [1]))
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, parts = self._open.pop()
            self._closed(anchor, sum(parts))
        elif isinstance(event, yaml.ScalarEvent):
            self._closed(event.anchor, len(event.value) + 1)
        elif isinstance(event, yaml.AliasEvent):
            weight = self._weights.get(event.anchor or "", LARGEST_EXPANSION + 1)
            self._total += weight
            self._closed(None, weight)
        return self._total

    def _closed(self, anchor: str | None, weight: int) -> None:
        if anchor:
            self._weights[anchor] = weight
        if self._open:
            self._open[-1][1].append(weight)


def line_of(text: str, place: Place) -> int:
    """The line where a value stands, or that of the nearest thing around it."""
    node: yaml.Node | None = yaml.compose(text, _Loader)
    line = 1
    for key in place:
        if node is None:
            break
        line = node.start_mark.line + 1
        node = _inside(node, key)
    return line if node is None else node.start_mark.line + 1


def _inside(node: yaml.Node, key: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.SequenceNode):
        known = isinstance(key, int) and key < len(node.value)
        return node.value[key] if known else None
    if isinstance(node, yaml.MappingNode):
        return next((value for name, value in node.value if name.value == key), None)
    return None
