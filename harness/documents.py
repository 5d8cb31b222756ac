"""Files that users write, as untrusted input: JSON and YAML with the places of what is in them.

In YAML, timestamps stay text, and tags beyond JSON's own kinds, alias bombs and double keys are
errors, so that a case means the same in both.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from harness.errors import CaseProblem
from harness.model import Json, JsonObject


@dataclass(frozen=True)
class Remark:
    """What is to be said of a case.

    Attributes:
        message: One sentence.
        about: Values or keys of the case that it is about, the most telling first: the place that
            is told is that of the first one that is written there.
        hint: What to do, or an empty string.
    """

    message: str
    about: Sequence[Json] = ()
    hint: str = ""


class Findings:
    """Problems in the order they were found; errors and warnings.

    Attributes:
        problems: What was found so far.
    """

    def __init__(self) -> None:
        self.problems: list[CaseProblem] = []
        self._case = ""

    def error(self, where: str, message: str, hint: str = "") -> None:
        """Note something that makes a case, or the suite around it, invalid."""
        self.problems.append(CaseProblem(where, message, hint, case=self._case))

    def warning(self, where: str, message: str, hint: str = "") -> None:
        """Note something that is allowed and probably not meant."""
        self.problems.append(CaseProblem(where, message, hint, level="warning", case=self._case))

    @contextmanager
    def of_case(self, case: object) -> Iterator[None]:
        """Put what is noted inside the block down to one case, by its id where that is a text.

        Yields:
            Nothing.
        """
        before, self._case = self._case, case if isinstance(case, str) else ""
        try:
            yield
        finally:
            self._case = before

    def invalid_cases(self) -> frozenset[str]:
        """The ids of cases that an error concerns."""
        return frozenset(item.case for item in self.problems if item.level == "error" and item.case)


Pointer = tuple[str | int, ...]
"""Where a value is inside a document: keys and indices from the root."""

LARGEST_FILE = 16 * 1024 * 1024
"""Bytes; a larger case file is taken for a mistake."""
DEEPEST = 64
"""Containers within each other."""
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class Document:
    """A parsed file.

    Attributes:
        name: The file, as messages call it.
        value: What it holds.
        lines: The line, from 1, of each part; empty for JSON, whose places are told as pointers.
        plain: What YAML reads as something else than text, as it is written: `yes`, `1.10`.
    """

    name: str
    value: Json
    lines: Mapping[Pointer, int] = field(default_factory=dict)
    plain: Mapping[Pointer, str] = field(default_factory=dict)

    def where(self, pointer: Pointer = ()) -> str:
        """The place of a part for messages: `file:line`, or `file#/pointer`.

        >>> Document("registry.json", []).where((3, "rubric"))
        'registry.json#/3/rubric'
        """
        for length in range(len(pointer), -1, -1):
            if line := self.lines.get(pointer[:length]):
                return f"{self.name}:{line}"
        return f"{self.name}#{''.join(f'/{_escape(part)}' for part in pointer)}"

    def find(self, pointer: Pointer, about: Sequence[Json]) -> Pointer:
        """Where below a part the first of some values stands, as a value or as a key.

        >>> Document("a.json", [{"id": "A", "tags": ["x", "y"]}]).find((0,), ["y"])
        (0, 'tags', 1)

        Args:
            pointer: The part.
            about: Values, the most telling first.

        Returns:
            Its pointer; that of the part where none of them is there.
        """
        inside = self.value
        for step in pointer:
            inside = inside[step]
        for wanted in about:
            for place, value in _walk(pointer, inside):
                named = place != pointer and place[-1] == wanted and isinstance(wanted, str)
                if named or (type(value) is type(wanted) and value == wanted):
                    return place
        return pointer


@dataclass(frozen=True)
class Part:
    """A part of a document, such as one case.

    Attributes:
        document: The document.
        pointer: Where in it.
    """

    document: Document
    pointer: Pointer = ()

    def where(self, about: Sequence[Json] = ()) -> str:
        """The place of the part, or of the first of these values that stands in it."""
        return self.document.where(self.document.find(self.pointer, about))


def _walk(pointer: Pointer, value: Json) -> Iterator[tuple[Pointer, Json]]:
    # in the order it is written
    yield pointer, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _walk((*pointer, key), item)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _walk((*pointer, number), item)


def _escape(part: str | int) -> str:
    return str(part).replace("~", "~0").replace("/", "~1")


def read_text(path: Path, findings: Findings) -> str | None:
    """The text of a file, or None after noting why it cannot be read."""
    try:
        size = path.stat().st_size
        if size > LARGEST_FILE:
            findings.error(str(path), f"is larger than {LARGEST_FILE >> 20} MiB")
            return None
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        findings.error(str(path), f"is not UTF-8: byte {error.start} cannot be read")
    except OSError as error:
        findings.error(str(path), f"cannot be read: {error.strerror}")
    return None


def read_json(path: Path, findings: Findings) -> Document | None:
    """A JSON file, or None after noting why it is none (line and column)."""
    text = read_text(path, findings)
    if text is None:
        return None
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse)
        if _HALF_PAIR.search(text):  # two of them are one character, one alone is none
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        findings.error(f"{path}:{error.lineno}:{error.colno}", f"not JSON: {error.msg}")
    except RecursionError:
        findings.error(str(path), "not JSON that can be read: nested too deeply")
    except UnicodeEncodeError as error:
        wrong = f"\\u{ord(error.object[error.start]):04x}"
        findings.error(str(path), f"a text holds {wrong}, which is half of a character")
    except ValueError as error:
        findings.error(str(path), str(error))
    else:
        if _deepest(value) <= DEEPEST:
            return Document(str(path), value)
        findings.error(str(path), f"nested more than {DEEPEST} deep")
    return None


def _deepest(value: Json) -> int:
    """How many containers are within each other, at most one more than may be."""
    depth = 0
    level = [value]
    while level and depth <= DEEPEST:
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        depth += 1
    return depth


def _object(pairs: Sequence[tuple[str, Json]]) -> JsonObject:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = sorted(key for key, count in counts.items() if count > 1)
        raise ValueError(f"the same key twice in one object: {', '.join(map(repr, twice))}")
    return found


def _refuse(constant: str) -> Json:
    raise ValueError(f"not JSON: {constant} is no JSON number")


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
