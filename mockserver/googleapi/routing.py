"""Which method a request means: a trie of path segments for each host."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote

from mockserver.googleapi.discovery import Method, Parameter
from mockserver.googleapi.templates import ANY, ONE, Capture, Template, at_root, parse_template

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
            segment != "" if wanted == ONE else segment == wanted
            for wanted, segment in zip(self.segments, path[stop:], strict=True)
        )

    def strictness(self) -> tuple[int, int]:
        return len(self.segments), sum(wanted != ONE for wanted in self.segments)


@dataclass(slots=True)
class _Node:
    """Where a path has come to: what may follow (best first), and what may end here."""

    literals: "dict[str, _Node]" = field(default_factory=dict)
    one: "_Node | None" = None
    tails: list[_Tail] = field(default_factory=list)
    leaves: _Leaves = field(default_factory=dict)

    def child(self, segment: str) -> "_Node":
        if segment != ONE:
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
            root = at_root(method.parameters)
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
            if segment == ANY:
                tail = template.segments[index + 1 :]
                return node.tail(tail, _odd(template.segments[:index], tail)).leaves
            node = node.child(segment)
        return node.leaves

    def _find(self, http_method: str, raw_path: str) -> tuple[Match, ...]:
        path = raw_path.split("/")[1:]
        head, colon, verb = path[-1].rpartition(":") if path else ("", "", "")
        if colon and verb in self._verbs:
            short = [*path[:-1], head]
            routes = _walk(self._root, _plain(short), 0, (http_method, verb))
            if routes:
                return _bind(routes, short)
        return _bind(_walk(self._root, _plain(path), 0, (http_method, "")), path)


def _odd(before: Sequence[str], tail: Sequence[str]) -> int:
    if not tail or any(segment != ONE for segment in tail):
        return -1
    return next(index for index, segment in enumerate(reversed(before)) if segment != ONE)


def _plain(path: list[str]) -> list[str]:
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
        Match(route.method, {each.name: _value(path, each) for each in route.captures})
        for route in routes
    )


def _value(path: list[str], capture: Capture) -> str:
    text = "/".join(path[capture.start : capture.stop])
    if "%" not in text:
        return text
    if capture.keep_slash:
        text = text.replace("%2F", "%252F").replace("%2f", "%252f")
    return unquote(text)
