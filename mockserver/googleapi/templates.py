"""Path templates of Discovery documents, taken apart into segments.

`path` with the parameters' patterns says which segments a `{+name}` covers; `flatPath` does not (it
writes one segment where `^.*$` allows several), so it is never read.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from mockserver.googleapi.discovery import Parameter

ONE: Final = "*"
"""A segment that may be anything but empty."""
ANY: Final = "**"
"""One or more segments."""

_BELOW_DOCUMENTS = re.compile(r"/documents/(?:\[\^/\]\+/)?\.\*\$$")
_EXPRESSION = re.compile(r"^\{(\+?)([^{}]+)\}$")
_VERB = re.compile(r"^(.*\}|[^:]*):([A-Za-z]\w*)$")
_LITERAL = re.compile(r"[\w.~$%:@-]+")
_ESCAPE = re.compile(r"\\(\W)")


@dataclass(frozen=True, slots=True)
class Capture:
    """Which segments of a path are the value of a parameter.

    Attributes:
        name: The parameter.
        start: Index of its first segment; negative counts from the end.
        stop: Index behind its last segment; None is the end.
        keep_slash: Whether `%2F` stays as it is, as it does in a name of several segments.
    """

    name: str
    start: int
    stop: int | None
    keep_slash: bool = False


@dataclass(frozen=True, slots=True)
class Template:
    """A path taken apart.

    Attributes:
        segments: Literals, `ONE` and at most one `ANY`.
        verb: Custom verb behind the last segment (`resolve` of `...:resolve`), or an empty string.
        captures: In order.
    """

    segments: tuple[str, ...]
    verb: str
    captures: tuple[Capture, ...]


def parse_template(path: str, parameters: Mapping[str, Parameter]) -> Template:
    """Take a path template apart.

    Raises:
        ValueError: More than one parameter may cover any number of segments.

    >>> parse_template("v1/{+name}:get", {"name": Parameter("name", "path", pattern="^a/[^/]+$")})
    Template(segments=('v1', 'a', '*'), verb='get', \
captures=(Capture(name='name', start=1, stop=3, keep_slash=True),))
    """
    path, verb = _split_verb(path)
    segments: list[str] = []
    spans: list[tuple[str, int, int]] = []
    for text in path.split("/"):
        expression = _EXPRESSION.match(text)
        covered = _covered(expression, parameters) if expression else (text,)
        if expression:
            spans.append((expression[2], len(segments), len(segments) + len(covered)))
        segments.extend(covered)
    if segments.count(ANY) > 1:
        raise ValueError(f"path {path!r}: only one parameter may cover any number of segments")
    return Template(tuple(segments), verb, tuple(_captures(segments, spans)))


def at_root(parameters: Mapping[str, Parameter]) -> Mapping[str, Parameter] | None:
    """The parameters of a method whose parent may also be the root of a tree of documents.

    Documents of Firestore are below documents or below `.../documents` itself; Discovery tells only
    the first of both for most methods.

    >>> parent = Parameter("parent", "path", pattern="^d/documents/[^/]+/.*$")
    >>> at_root({"parent": parent})["parent"].pattern
    '^d/documents$'
    """
    parent = parameters.get("parent")
    found = _BELOW_DOCUMENTS.search(parent.pattern) if parent else None
    if parent is None or found is None:
        return None
    root = replace(parent, pattern=f"{parent.pattern[: found.start()]}/documents$")
    return {**parameters, "parent": root}


def _split_verb(path: str) -> tuple[str, str]:
    head, slash, last = path.rpartition("/")
    found = _VERB.match(last)
    return (head + slash + found[1], found[2]) if found else (path, "")


def _covered(expression: re.Match[str], parameters: Mapping[str, Parameter]) -> tuple[str, ...]:
    parameter = parameters.get(expression[2])
    pattern = parameter.pattern if parameter else ""
    if not expression[1]:
        return (ONE,)
    if not pattern:
        return (ANY,)
    return _segments(pattern)


@lru_cache(4096)  # a document has thousands of parameters and few patterns
def _segments(pattern: str) -> tuple[str, ...]:
    return tuple(_segment(text) for text in _split_pattern(pattern.removeprefix("^")))


def _split_pattern(pattern: str) -> Iterator[str]:
    # only at slashes outside of [...] and (...)
    depth, start = 0, 0
    for index, char in enumerate(pattern):
        if char in "[(":
            depth += 1
        elif char in "])":
            depth -= 1
        elif char == "/" and depth == 0:
            yield pattern[start:index]
            start = index + 1
    yield pattern[start:].removesuffix("$")


def _segment(pattern: str) -> str:
    text = _ESCAPE.sub(r"\1", pattern)
    if _LITERAL.fullmatch(text):
        return text
    covers_slash = ".*" in pattern or ".+" in pattern or re.search(r"\[[^^\]]*/", pattern)
    return ANY if covers_slash else ONE


def _captures(segments: list[str], spans: list[tuple[str, int, int]]) -> Iterator[Capture]:
    size = len(segments)
    tail = segments.index(ANY) if ANY in segments else size
    for name, start, stop in spans:
        several = stop - start > 1
        behind = start - size if start > tail else start
        end = stop if stop <= tail else (stop - size or None)
        yield Capture(name, behind, end, keep_slash=several)
