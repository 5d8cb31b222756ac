"""YAML as untrusted input: data only, bounded depth and aliases, and the line of what is wrong."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import yaml
from typing_extensions import override

from mockserver.errors import FormatError
from mockserver.model import Json
from mockserver.storage.untrusted_json import DEEPEST, Place

LARGEST_EXPANSION = 16 * 1024 * 1024
"""Characters that all aliases of one file may stand for together."""
_YAML = "tag:yaml.org,2002:"
_TEXT = f"{_YAML}str"
_PYTHON = f"{_YAML}python/"


class _Loader(yaml.CSafeLoader):
    """The safe loader, which knows the plain data behind the few Python tags that vcrpy writes.

    What it makes is JSON, and bytes: keys are texts as they are written, times are texts, and there
    are neither sets nor pairs.
    """

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in known if not tag.endswith(":timestamp")]
        for first, known in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }
    yaml_constructors = {
        tag: constructor
        for tag, constructor in yaml.CSafeLoader.yaml_constructors.items()
        if tag not in {f"{_YAML}set", f"{_YAML}omap", f"{_YAML}pairs"}
    }

    @override
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        if isinstance(node, yaml.MappingNode):
            self.flatten_mapping(node)
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    raise yaml.constructor.ConstructorError(
                        problem="a key that is no text", problem_mark=key.start_mark
                    )
                key.tag = _TEXT
        found: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return found


def _strict(
    constructor: Callable[[Any, yaml.Node], Any], kind: str
) -> Callable[[Any, yaml.Node], Any]:
    """A constructor of the library that says where a tag promises what the text does not keep."""

    def construct(loader: _Loader, node: yaml.Node) -> Any:
        try:
            found = constructor(loader, node)
        except (ValueError, LookupError, AttributeError, TypeError) as error:
            raise yaml.constructor.ConstructorError(
                problem=f"this is no {kind}", problem_mark=node.start_mark
            ) from error
        if isinstance(found, int) and not -(2**63) <= found < 2**64:
            raise yaml.constructor.ConstructorError(
                problem="an integer that 64 bits do not hold", problem_mark=node.start_mark
            )
        return found

    return construct


def _construct_text(loader: _Loader, node: yaml.ScalarNode) -> Any:
    return loader.construct_scalar(node)


def _construct_sequence(loader: _Loader, node: yaml.SequenceNode) -> Any:
    return loader.construct_sequence(node, deep=True)


def _construct_file(loader: _Loader, node: yaml.MappingNode) -> Any:
    """A body that was read from a file: its state begins with the content."""
    state = loader.construct_mapping(node, deep=True).get("state")
    return state[0] if isinstance(state, list) and state else b""


def _construct_pieces(loader: _Loader, node: yaml.MappingNode) -> Any:
    """A body that was sent piece by piece."""
    arguments = loader.construct_mapping(node, deep=True).get("args")
    pieces = arguments[0] if isinstance(arguments, list) and arguments else []
    if not isinstance(pieces, list) or not all(isinstance(piece, str | bytes) for piece in pieces):
        raise yaml.constructor.ConstructorError(
            problem="a body in pieces that are neither texts nor bytes",
            problem_mark=node.start_mark,
        )
    return b"".join(piece.encode() if isinstance(piece, str) else piece for piece in pieces)


_CONSTRUCTORS: dict[str, Callable[[Any, Any], Any]] = {
    "str": _construct_text,
    "unicode": _construct_text,
    "tuple": _construct_sequence,
    "object/new:_io.BytesIO": _construct_file,
    "object/apply:builtins.iter": _construct_pieces,
}
for _tag, _constructor in _CONSTRUCTORS.items():
    _Loader.add_constructor(_PYTHON + _tag, _constructor)
_Loader.add_constructor(f"{_YAML}timestamp", _construct_text)
for _kind in ("bool", "int", "float", "binary"):
    _tag = _YAML + _kind
    _Loader.add_constructor(_tag, _strict(_Loader.yaml_constructors[_tag], _kind))
_Loader.add_constructor("!binary", _Loader.yaml_constructors[f"{_YAML}binary"])  # as Ruby writes it


def load_yaml(text: str, name: str) -> Json:
    """What a YAML file holds; times stay texts.

    Args:
        text: The file's content.
        name: The file, for messages.

    Raises:
        FormatError: It is not YAML, holds something else than data, is deeper than `DEEPEST`, or
            has aliases that would grow beyond `LARGEST_EXPANSION`; with the line.
    """
    try:
        _refuse_bombs(text, name)
        loader = _Loader(text)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise _yaml_error(error, name) from error


def _yaml_error(error: yaml.YAMLError, name: str) -> FormatError:
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
    """Measures depth, and what all aliases stand for, before anything is built.

    The library builds what is within each other by calling itself, without a limit.
    """
    count = _Expansion()
    for event in yaml.parse(text, _Loader):
        wrong = ""
        if count.add(event) > LARGEST_EXPANSION:
            wrong = "aliases that stand for too much, or for themselves"
        elif count.depth > DEEPEST:
            wrong = f"nested more than {DEEPEST} deep"
        if wrong:
            where = f"{name}:{event.start_mark.line + 1}" if event.start_mark else name
            raise FormatError(where, wrong)


class _Expansion:
    """How many characters the aliases of one document stand for, so far.

    Attributes:
        depth: Of the deepest container so far, with what aliases stand for.
    """

    def __init__(self) -> None:
        self.depth = 0
        self._weights: dict[str, tuple[int, int]] = {}
        self._open: list[_Container] = []
        self._total = 0

    def add(self, event: yaml.Event) -> int:
        if isinstance(event, yaml.ScalarEvent):
            self._close(event.anchor, len(event.value) + 1, 0)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._open.append(_Container(event.anchor))
            self.depth = max(self.depth, len(self._open))
        elif isinstance(event, yaml.CollectionEndEvent):
            done = self._open.pop()
            self._close(done.anchor, done.weight, done.depth + 1)
        elif isinstance(event, yaml.AliasEvent):
            weight, depth = self._weights.get(event.anchor or "", (LARGEST_EXPANSION + 1, 0))
            self._total += weight
            self.depth = max(self.depth, len(self._open) + depth)
            self._close(None, weight, depth)
        return self._total

    def _close(self, anchor: str | None, weight: int, depth: int) -> None:
        if anchor:
            self._weights[anchor] = weight, depth
        if self._open:
            around = self._open[-1]
            around.weight += weight
            around.depth = max(around.depth, depth)


@dataclass(slots=True)
class _Container:
    """A mapping or a list that is being read: what is in it so far."""

    anchor: str | None
    weight: int = 1
    depth: int = 0


def line_of(text: str, place: Place) -> int:
    """The line where a value stands, or that of the nearest thing around it."""
    return lines_of(text, [place])[0]


def lines_of(text: str, places: Iterable[Place]) -> list[int]:
    """The lines of several values; the text is read once for all of them."""
    root: yaml.Node | None = yaml.compose(text, _Loader)
    return [_line(root, place) for place in places]


def _line(node: yaml.Node | None, place: Place) -> int:
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
