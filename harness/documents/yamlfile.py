"""YAML files read safely: plain JSON values only, lines kept, alias bombs and double keys refused.

Timestamps stay text, and tags beyond JSON's own kinds are errors, so that a case means the same
in YAML and in JSON.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import yaml

from harness.documents.documents import DEEPEST, Document, Pointer, read_text
from harness.documents.findings import Findings
from harness.model import Json

_MOST_NODES = 200_000
_TAG = "tag:yaml.org,2002:"
_SCALARS = ("int", "float", "bool", "null")
_KINDS = frozenset(f"{_TAG}{kind}" for kind in ("map", "seq", "str", *_SCALARS))
_MERGE = f"{_TAG}merge"


class _JsonLoader(yaml.CSafeLoader):
    """A safe loader to which a date is the text it was written as."""


_JsonLoader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in found if tag != f"{_TAG}timestamp"]
    for letter, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _strictly(kind: str) -> Callable[[_JsonLoader, yaml.Node], Json]:
    """How a scalar is read; what a tag promises and the text does not keep has its place."""
    read = yaml.CSafeLoader.yaml_constructors[f"{_TAG}{kind}"]

    def construct(loader: _JsonLoader, node: yaml.Node) -> Json:
        try:
            return read(loader, node)
        except (ValueError, LookupError, TypeError) as error:
            raise yaml.constructor.ConstructorError(
                problem=f"this is no {kind}", problem_mark=node.start_mark
            ) from error

    return construct


for _kind in _SCALARS:
    _JsonLoader.add_constructor(f"{_TAG}{_kind}", _strictly(_kind))


class _InvalidYamlError(Exception):
    """What is wrong, and the line it stands on."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def read_yaml(path: Path, findings: Findings) -> Document | None:
    """A YAML file that holds one document, or None after noting why it cannot be used."""
    text = read_text(path, findings)
    if text is None:
        return None
    try:
        return _parsed(text, str(path))
    except _InvalidYamlError as error:
        findings.error(f"{path}:{error.line}", str(error))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        findings.error(place, f"not YAML: {error.problem or error.context}")
    except (yaml.YAMLError, ValueError) as error:
        findings.error(str(path), f"not YAML: {str(error).splitlines()[0]}")
    return None


def _parsed(text: str, name: str) -> Document:
    _refuse_depth(text)
    loader = _JsonLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            raise _InvalidYamlError(1, "is empty")
        lines = _Survey().lines(node)
        return Document(name, loader.construct_document(node), lines)
    finally:
        loader.dispose()


def _refuse_depth(text: str) -> None:
    """Composing recurses in C without a limit; the events before it do not."""
    depth = 0
    for event in yaml.parse(text, Loader=_JsonLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            raise _InvalidYamlError(_line(event), f"nested more than {DEEPEST} deep")


class _Survey:
    """Walks the nodes of a document before they become values, aliases followed."""

    def __init__(self) -> None:
        self._lines: dict[Pointer, int] = {}
        self._seen = 0

    def lines(self, root: yaml.Node) -> dict[Pointer, int]:
        """The line of every part.

        Raises:
            _InvalidYamlError: A part that JSON does not have, a key twice, or too much of it.
        """
        waiting: list[tuple[Pointer, yaml.Node]] = [((), root)]
        while waiting:
            pointer, node = waiting.pop()
            self._count(pointer, node)
            self._lines.setdefault(pointer, _line(node))
            waiting.extend(_parts(pointer, node))
        return self._lines

    def _count(self, pointer: Pointer, node: yaml.Node) -> None:
        self._seen += 1
        if self._seen > _MOST_NODES:
            raise _InvalidYamlError(
                _line(node), f"aliases make more than {_MOST_NODES} values of it"
            )
        if len(pointer) > DEEPEST:
            raise _InvalidYamlError(_line(node), f"nested more than {DEEPEST} deep")


def _parts(pointer: Pointer, node: yaml.Node) -> Iterator[tuple[Pointer, yaml.Node]]:
    if node.tag not in _KINDS:
        raise _InvalidYamlError(_line(node), f"{_short(node.tag)} is not a JSON value")
    if isinstance(node, yaml.MappingNode):
        yield from _entries(pointer, node)
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            yield (*pointer, number), item
    elif node.tag == f"{_TAG}float" and node.value.strip("+-.").casefold() in ("nan", "inf"):
        raise _InvalidYamlError(_line(node), f"{node.value} is no JSON number")


def _entries(pointer: Pointer, node: yaml.MappingNode) -> Iterator[tuple[Pointer, yaml.Node]]:
    keys: set[str] = set()
    for key, value in node.value:
        if key.tag == _MERGE:
            yield from _merged(pointer, value)
            continue
        if not isinstance(key, yaml.ScalarNode):
            raise _InvalidYamlError(_line(key), "a key is not text")
        if key.tag != f"{_TAG}str":
            raise _InvalidYamlError(_line(key), f"the key {key.value!r} is not text: quote it")
        if key.value in keys:
            raise _InvalidYamlError(_line(key), f"the key {key.value!r} stands there twice")
        keys.add(key.value)
        yield (*pointer, key.value), value


def _merged(pointer: Pointer, node: yaml.Node) -> Iterator[tuple[Pointer, yaml.Node]]:
    sources = node.value if isinstance(node, yaml.SequenceNode) else [node]
    for source in sources:
        if not isinstance(source, yaml.MappingNode):
            raise _InvalidYamlError(_line(source), "<< takes a mapping or a list of mappings")
        yield from _entries(pointer, source)


def _line(part: yaml.Node | yaml.Event) -> int:
    mark = part.start_mark
    return mark.line + 1 if mark else 1


def _short(tag: str) -> str:
    return tag.replace(_TAG, "!!")
