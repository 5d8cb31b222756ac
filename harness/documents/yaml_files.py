"""YAML files read safely: plain JSON values only, lines kept, alias bombs and double keys refused.

Timestamps stay text, and tags beyond JSON's own kinds are errors, so that a case means the same
in YAML and in JSON.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import yaml

from harness.documents.documents import DEEPEST, Document, Findings, Pointer, read_text
from harness.model import Json

_MOST_NODES = 200_000
_TAG = "tag:yaml.org,2002:"
_SCALARS = ("int", "float", "bool", "null")
_KINDS = frozenset(f"{_TAG}{kind}" for kind in ("map", "seq", "str", *_SCALARS))
_MERGE = f"{_TAG}merge"
_ADVICE = {
    "undefined alias": "a text that begins with * stands in quotes; else it is an alias: *name"
    " takes what &name marks further up",
    "mapping values are not allowed": "a text that holds ': ' stands in quotes",
    "another document": "one document a file: several cases stand in a list under 'cases'",
    "cannot start any token": "a text that begins with @, ` or % stands in quotes",
    "expected <block end>": "lines of one list or object begin in the same column",
    "expected ',' or": "a bracket is not closed, or a comma is missing",
    "duplicate anchor": "give each anchor a name of its own",
    "unexpected end of stream": "a quote or a bracket is not closed",
}
"""Words of the parser to what they ask for."""


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
        return _parse_text(text, str(path))
    except _InvalidYamlError as error:
        findings.error(f"{path}:{error.line}", str(error))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        told = error.problem or error.context or ""
        findings.error(place, f"not YAML: {told}", _advice(told, text, mark))
    except (yaml.YAMLError, ValueError) as error:
        findings.error(str(path), f"not YAML: {str(error).splitlines()[0]}")
    return None


def _advice(problem: str, text: str, mark: yaml.Mark | None) -> str:
    """What to do about what the parser says, for the mistakes that people make."""
    lines = text.splitlines()
    line = lines[mark.line] if mark is not None and mark.line < len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "a tab cannot indent in YAML: use spaces"
    return next((advice for words, advice in _ADVICE.items() if words in problem), "")


def _parse_text(text: str, name: str) -> Document:
    _refuse_depth(text)
    loader = _JsonLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            raise _InvalidYamlError(1, "is empty")
        survey = _Survey()
        survey.walk(node)
        value = loader.construct_document(node)
        return Document(name, value, survey.lines, survey.plain)
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
    """Walks the nodes of a document before they become values, aliases followed.

    Attributes:
        lines: The line of every part; of a value with a key, that of its key.
        plain: Scalars that are no text, as they are written.
    """

    def __init__(self) -> None:
        self.lines: dict[Pointer, int] = {}
        self.plain: dict[Pointer, str] = {}
        self._seen = 0

    def walk(self, root: yaml.Node) -> None:
        """Look at every part.

        Raises:
            _InvalidYamlError: A part that JSON does not have, a key twice, or too much of it.
        """
        waiting: list[tuple[Pointer, yaml.Node, int]] = [((), root, _line(root))]
        while waiting:
            pointer, node, line = waiting.pop()
            self._count(pointer, node)
            self.lines.setdefault(pointer, line)
            if isinstance(node, yaml.ScalarNode) and node.tag != f"{_TAG}str":
                self.plain.setdefault(pointer, node.value)
            waiting.extend(_parts(pointer, node))

    def _count(self, pointer: Pointer, node: yaml.Node) -> None:
        self._seen += 1
        if self._seen > _MOST_NODES:
            raise _InvalidYamlError(
                _line(node), f"aliases make more than {_MOST_NODES} values of it"
            )
        if len(pointer) > DEEPEST:
            raise _InvalidYamlError(_line(node), f"nested more than {DEEPEST} deep")


def _parts(pointer: Pointer, node: yaml.Node) -> Iterator[tuple[Pointer, yaml.Node, int]]:
    if node.tag not in _KINDS:
        raise _InvalidYamlError(_line(node), f"{_short(node.tag)} is not a JSON value")
    if isinstance(node, yaml.MappingNode):
        yield from _entries(pointer, node)
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            yield (*pointer, number), item, _line(item)
    elif node.tag == f"{_TAG}float" and node.value.strip("+-.").casefold() in ("nan", "inf"):
        raise _InvalidYamlError(_line(node), f"{node.value} is no JSON number")


def _entries(pointer: Pointer, node: yaml.MappingNode) -> Iterator[tuple[Pointer, yaml.Node, int]]:
    keys: set[str] = set()
    for key, value in node.value:
        if key.tag == _MERGE:
            yield from _merge_keys(pointer, value)
            continue
        if not isinstance(key, yaml.ScalarNode):
            raise _InvalidYamlError(_line(key), "a key is not text")
        if key.tag != f"{_TAG}str":
            read = f"YAML reads the key {key.value!r} as {_read_as(key)}"
            raise _InvalidYamlError(_line(key), f"{read}: put it in quotes")
        if key.value in keys:
            raise _InvalidYamlError(_line(key), f"the key {key.value!r} stands there twice")
        keys.add(key.value)
        yield (*pointer, key.value), value, _line(key)


def _merge_keys(pointer: Pointer, node: yaml.Node) -> Iterator[tuple[Pointer, yaml.Node, int]]:
    sources = node.value if isinstance(node, yaml.SequenceNode) else [node]
    for source in sources:
        if not isinstance(source, yaml.MappingNode):
            raise _InvalidYamlError(_line(source), "<< takes a mapping or a list of mappings")
        yield from _entries(pointer, source)


def _line(part: yaml.Node | yaml.Event) -> int:
    mark = part.start_mark
    return mark.line + 1 if mark else 1


def _read_as(node: yaml.ScalarNode) -> str:
    return {"bool": "true or false", "null": "nothing"}.get(node.tag.removeprefix(_TAG), "a number")


def _short(tag: str) -> str:
    return tag.replace(_TAG, "!!")
