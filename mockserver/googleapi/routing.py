"""Which method a request means: path templates, tries of segments, front-end paths."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import unquote

from mockserver.googleapi.discovery import Method, Parameter

ONE_SEGMENT: Final = "*"
"""A segment that may be anything but empty."""
ANY_SEGMENTS: Final = "**"
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
        segments: Literals, `ONE_SEGMENT` and at most one `ANY_SEGMENTS`.
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
        covered = _covered_parameters(expression, parameters) if expression else (text,)
        if expression:
            spans.append((expression[2], len(segments), len(segments) + len(covered)))
        segments.extend(covered)
    if segments.count(ANY_SEGMENTS) > 1:
        raise ValueError(f"path {path!r}: only one parameter may cover any number of segments")
    return Template(tuple(segments), verb, tuple(_captures(segments, spans)))


def parameters_at_root(parameters: Mapping[str, Parameter]) -> Mapping[str, Parameter] | None:
    """The parameters of a method whose parent may also be the root of a tree of documents.

    Documents of Firestore are below documents or below `.../documents` itself; Discovery tells only
    the first of both for most methods.

    >>> parent = Parameter("parent", "path", pattern="^d/documents/[^/]+/.*$")
    >>> parameters_at_root({"parent": parent})["parent"].pattern
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


def _covered_parameters(
    expression: re.Match[str], parameters: Mapping[str, Parameter]
) -> tuple[str, ...]:
    parameter = parameters.get(expression[2])
    pattern = parameter.pattern if parameter else ""
    if not expression[1]:
        return (ONE_SEGMENT,)
    if not pattern:
        return (ANY_SEGMENTS,)
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
    return ANY_SEGMENTS if covers_slash else ONE_SEGMENT


def _captures(segments: list[str], spans: list[tuple[str, int, int]]) -> Iterator[Capture]:
    size = len(segments)
    tail = segments.index(ANY_SEGMENTS) if ANY_SEGMENTS in segments else size
    for name, start, stop in spans:
        several = stop - start > 1
        behind = start - size if start > tail else start
        end = stop if stop <= tail else (stop - size or None)
        yield Capture(name, behind, end, keep_slash=several)


VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")
REMEMBERED = 4096
"""Paths whose match a router keeps."""

Key: TypeAlias = tuple[str, str]
"""HTTP method and custom verb."""


class Match(NamedTuple):
    """A method and what its path says; shared between requests, so never changed.

    Attributes:
        method: The method.
        captures: Path parameter to value, percent-decoded.
    """

    method: Method
    captures: dict[str, str]


class _Route(NamedTuple):
    method: Method
    captures: tuple[Capture, ...]


_Leaves: TypeAlias = dict[Key, list[_Route]]


@dataclass(slots=True)
class _Tail:
    """What may end here after `**`.

    Attributes:
        segments: What follows `**`.
        odd: Segments between the last literal and `**`, where the tail names a collection: what
            stands before it is then collections and ids in pairs, as in Firestore. Otherwise -1.
    """

    segments: tuple[str, ...]
    odd: int
    leaves: _Leaves = field(default_factory=dict)

    def ends(self, path: Sequence[str], start: int) -> bool:
        stop = len(path) - len(self.segments)
        if stop <= start or (stop == start + 1 and not path[start]):
            return False
        if self.odd >= 0 and (self.odd + stop - start) % 2:
            return False
        return all(
            segment != "" if wanted == ONE_SEGMENT else segment == wanted
            for wanted, segment in zip(self.segments, path[stop:], strict=True)
        )

    def strictness(self) -> tuple[int, int]:
        return len(self.segments), sum(wanted != ONE_SEGMENT for wanted in self.segments)


@dataclass(slots=True)
class _Node:
    """Where a path has come to: what may follow (best first), and what may end here."""

    literals: "dict[str, _Node]" = field(default_factory=dict)
    one: "_Node | None" = None
    tails: list[_Tail] = field(default_factory=list)
    leaves: _Leaves = field(default_factory=dict)

    def child(self, segment: str) -> "_Node":
        if segment != ONE_SEGMENT:
            return self.literals.setdefault(segment, _Node())
        self.one = self.one or _Node()
        return self.one

    def tail(self, segments: tuple[str, ...], odd: int) -> _Tail:
        for tail in self.tails:
            if tail.segments == segments:
                return tail
        tail = _Tail(segments, odd)
        self.tails = sorted([*self.tails, tail], key=_Tail.strictness, reverse=True)
        return tail


class Router:
    """The methods of one host (or, for path-only addressing, of several).

    Literal segments go before `{name}`, that before `{+name}` of any length; a custom verb goes
    before the same text as part of an id. Where two methods have one path, the first is meant.

    Args:
        methods: Best first.
    """

    def __init__(self, methods: Iterable[Method]) -> None:
        self._root = _Node()
        self._verbs: set[str] = set()
        at_roots = []
        for method in methods:
            self._add(method, method.parameters)
            root = parameters_at_root(method.parameters)
            at_roots += [(method, root)] if root else []
        for method, root in at_roots:
            self._add(method, root)
        self._remembered = lru_cache(REMEMBERED)(self._find)

    def match(self, http_method: str, raw_path: str) -> Match | None:
        """The method that a request means, or None.

        Args:
            http_method: `GET`, upper case.
            raw_path: As sent: percent-encoded, with its leading slash, `//` kept, without query.
        """
        found = self._remembered(http_method, raw_path)
        return found[0] if found else None

    def matches(self, http_method: str, raw_path: str) -> Sequence[Match]:
        """Every method that has this very path, best first."""
        return self._remembered(http_method, raw_path)

    def methods_at(self, raw_path: str) -> tuple[str, ...]:
        """The HTTP methods that a path answers to."""
        return tuple(verb for verb in VERBS if self.match(verb, raw_path))

    def _add(self, method: Method, parameters: Mapping[str, Parameter]) -> None:
        template = parse_template(method.path, parameters)
        self._verbs.add(template.verb)
        leaves = self._leaves(template)
        route = _Route(method, template.captures)
        leaves.setdefault((method.http_method, template.verb), []).append(route)

    def _leaves(self, template: Template) -> _Leaves:
        node = self._root
        for index, segment in enumerate(template.segments):
            if segment == ANY_SEGMENTS:
                tail = template.segments[index + 1 :]
                return node.tail(tail, _last_literal(template.segments[:index], tail)).leaves
            node = node.child(segment)
        return node.leaves

    def _find(self, http_method: str, raw_path: str) -> tuple[Match, ...]:
        path = raw_path.split("/")[1:]
        head, colon, verb = path[-1].rpartition(":") if path else ("", "", "")
        if colon and verb in self._verbs:
            short = [*path[:-1], head]
            routes = _walk(self._root, _plain_segments(short), 0, (http_method, verb))
            if routes:
                return _bind(routes, short)
        return _bind(_walk(self._root, _plain_segments(path), 0, (http_method, "")), path)


def _last_literal(before: Sequence[str], tail: Sequence[str]) -> int:
    if not tail or any(segment != ONE_SEGMENT for segment in tail):
        return -1
    return next(index for index, segment in enumerate(reversed(before)) if segment != ONE_SEGMENT)


def _plain_segments(path: list[str]) -> list[str]:
    """Segments to compare with literals; a decoded slash equals none of them."""
    return [unquote(segment) if "%" in segment else segment for segment in path]


def _walk(node: _Node, path: list[str], index: int, key: Key) -> Sequence[_Route]:
    if index == len(path):
        return node.leaves.get(key, ())
    segment = path[index]
    follower = node.literals.get(segment)
    routes = _walk(follower, path, index + 1, key) if follower else ()
    if not routes and segment and node.one:
        routes = _walk(node.one, path, index + 1, key)
    if not routes and node.tails:
        routes = _walk_tails(node.tails, path, index, key)
    return routes


def _walk_tails(tails: list[_Tail], path: list[str], index: int, key: Key) -> Sequence[_Route]:
    for tail in tails:
        routes = tail.leaves.get(key)
        if routes and tail.ends(path, index):
            return routes
    return ()


def _bind(routes: Sequence[_Route], path: list[str]) -> tuple[Match, ...]:
    return tuple(
        Match(route.method, {each.name: _captured_value(path, each) for each in route.captures})
        for route in routes
    )


def _captured_value(path: list[str], capture: Capture) -> str:
    text = "/".join(path[capture.start : capture.stop])
    if "%" not in text:
        return text
    if capture.keep_slash:
        text = text.replace("%2F", "%252F").replace("%2f", "%252f")
    return unquote(text)


_BATCH = "/batch"
_DOWNLOADS = "/download/"
_UPLOADS = ("/upload/", "/resumable/upload/")

UPLOAD_VERBS = {
    "POST": ("POST",),
    "PATCH": ("PATCH",),
    "PUT": ("PUT", "POST", "PATCH"),
    "DELETE": ("POST", "PATCH", "PUT"),
}
"""The verbs of methods that a verb on an upload path may mean: a resumable upload is continued with
PUT and cancelled with DELETE, whatever began it."""


def batch_of(path: str) -> str | None:
    """The API and version whose calls a batch at a path may hold: all of its host's for nothing.

    None where the path is not one of a batch. Source: `batchPath` of the Discovery documents.

    >>> batch_of("/batch"), batch_of("/batch/drive/v3"), batch_of("/batches")
    ('', 'drive/v3', None)
    """
    if path == _BATCH:
        return ""
    return path[len(_BATCH) + 1 :].rstrip("/") if path.startswith(_BATCH + "/") else None


def upload_path(path: str) -> str:
    """The path of the method that a path of uploads means; empty where it is none.

    Source: `mediaUpload` of the Discovery documents.

    >>> upload_path("/upload/drive/v3/files"), upload_path("/drive/v3/files")
    ('/drive/v3/files', '')
    """
    for prefix in _UPLOADS:
        if path.startswith(prefix):
            return path[len(prefix) - 1 :]
    return ""


def download_path(path: str) -> str:
    """The path of the method whose media a path of downloads means; empty where it is none.

    Source: `useMediaDownloadService` of the Discovery documents, and the clients of Cloud Storage.

    >>> download_path("/download/storage/v1/b/a/o/x"), download_path("/storage/v1/b/a/o/x")
    ('/storage/v1/b/a/o/x', '')
    """
    return path[len(_DOWNLOADS) - 1 :] if path.startswith(_DOWNLOADS) else ""
