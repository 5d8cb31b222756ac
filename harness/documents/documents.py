"""JSON and YAML files as untrusted input: a value, the line of each part, and all that is wrong."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

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
