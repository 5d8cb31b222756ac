"""Which operation of a declared API a verb and a path mean: a trie, so that nothing is searched."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal
from urllib.parse import unquote

from mockserver.declared.declaration import PLACEHOLDER
from mockserver.storage.untrusted_json import Place

Kind = Literal[
    "list", "get", "create", "replace", "patch", "delete", "bulk", "bulk_delete", "action",
    "upload", "download", "remove_file", "job", "handler", "stub", "batch",
    "documented",
]  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """One thing that a declared API can be asked.

    Attributes:
        id: Its method id, `travel.bookings.create`.
        verb: The HTTP method.
        path: Its path below the base path, `/bookings/{id}`.
        kind: What it does.
        collection: The collection that it is of, or an empty string.
        name: The action, the file, the handler, the number of the stub, or the id in the document;
            or an empty string.
        place: Where it is declared, in the declaration or in the document.
    """

    id: str
    verb: str
    path: str
    kind: Kind
    collection: str = ""
    name: str = ""
    place: Place = ()

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The names of its path's placeholders, in order."""
        return _placeholders_of(self.path)


@lru_cache(4096)
def _placeholders_of(path: str) -> tuple[str, ...]:
    return tuple(PLACEHOLDER.findall(path))


@dataclass(frozen=True, slots=True)
class RouteMatch:
    """What a path means.

    Attributes:
        operation: What verb and path mean, or None.
        captures: The values of its placeholders, decoded, in order.
        verbs: The verbs that the path answers.
        stubs: The stubs that may answer before it, the most specific first, each with the values
            of its placeholders.
    """

    operation: Operation | None
    captures: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    stubs: tuple[tuple[Operation, tuple[str, ...]], ...] = ()


@dataclass(slots=True)
class _Node:
    literals: dict[str, "_Node"] = field(default_factory=dict)
    patterns: dict[tuple[str, str], "_Node"] = field(default_factory=dict)
    rest: "_Node | None" = None
    operations: dict[str, Operation] = field(default_factory=dict)
    stubs: dict[str, list[Operation]] = field(default_factory=dict)

    @property
    def is_asked(self) -> bool:
        """Whether something ends here."""
        return bool(self.operations or self.stubs)

    def below(self, segment: str) -> "_Node":
        """The node for one more segment of a template; made where there is none."""
        found = PLACEHOLDER.search(segment)
        if found is None:
            return self.literals.setdefault(unquote(segment), _Node())
        if found[1].startswith("+"):
            self.rest = self.rest or _Node()
            return self.rest
        key = (segment[: found.start()], segment[found.end() :])
        node = self.patterns.setdefault(key, _Node())
        # what has more text around its placeholder is more specific
        self.patterns = dict(
            sorted(self.patterns.items(), key=lambda item: -len(item[0][0]) - len(item[0][1]))
        )
        return node


class RouteTrie:
    """The operations of one API by verb and path.

    A literal segment goes before a placeholder, a placeholder before the rest of a path; of the
    paths that fit, the first that has the verb is meant. Stubs of a path stand before what else it
    means, and several may have one route.
    """

    def __init__(self) -> None:
        self._top = _Node()

    def add(self, operation: Operation) -> Operation:
        """Add an operation; the one that has its route already, which keeps it, or itself."""
        node = self._top
        for segment in operation.path.split("/")[1:]:
            node = node.below(segment)
        if operation.kind == "stub":
            node.stubs.setdefault(operation.verb, []).append(operation)
            return operation
        return node.operations.setdefault(operation.verb, operation)

    def find(self, verb: str, path: str) -> RouteMatch:
        """What a verb and a path mean.

        Args:
            verb: Upper case.
            path: As sent, below the base path.
        """
        segments = [unquote(each) for each in path.split("/")[1:]]
        if len(segments) > 1 and not segments[-1]:
            segments.pop()  # a slash at the end means the same
        verbs: dict[str, None] = {}
        stubs: list[tuple[Operation, tuple[str, ...]]] = []
        for node, captures in _matching_nodes(self._top, segments):
            stubs += [(each, captures) for each in node.stubs.get(verb, ())]
            operation = node.operations.get(verb)
            if operation is not None:
                return RouteMatch(operation, captures, stubs=tuple(stubs))
            verbs.update(dict.fromkeys((*node.operations, *node.stubs)))
        return RouteMatch(None, (), tuple(verbs), tuple(stubs))


def _matching_nodes(top: _Node, segments: Sequence[str]) -> Iterator[tuple[_Node, tuple[str, ...]]]:
    """The nodes that a path leads to, the most specific first; each node is looked at once.

    Yields:
        A node with operations, and what its placeholders stand for.
    """
    waiting: list[tuple[_Node, int, tuple[str, ...]]] = [(top, 0, ())]
    while waiting:
        node, depth, captures = waiting.pop()
        if depth == len(segments):
            if node.is_asked:
                yield node, captures
            continue
        segment = segments[depth]
        if node.rest is not None and node.rest.is_asked:
            rest = "/".join(segments[depth:])
            waiting.append((node.rest, len(segments), (*captures, rest)))
        for (before, after), inner in reversed(node.patterns.items()):
            value = segment[len(before) : len(segment) - len(after)]
            fits = segment.startswith(before) and segment.endswith(after) and value
            if fits and len(segment) >= len(before) + len(after):
                waiting.append((inner, depth + 1, (*captures, value)))
        literal = node.literals.get(segment)
        if literal is not None:
            waiting.append((literal, depth + 1, captures))
