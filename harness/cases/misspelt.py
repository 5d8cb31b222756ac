"""Names in rules that nothing bears: a rule that forbids what does not exist forbids nothing."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase

from harness.errors import CaseProblem
from harness.model import (
    Case,
    Event,
    ForbiddenTools,
    Milestones,
    MinCalls,
    Minefields,
    ServerRequests,
    ServerState,
    ToolCalls,
)

_ALIKE = 0.85
_WILD = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What a mock server can tell apart.

    Attributes:
        methods: Ids of methods.
        collections: Names of collections.
        tools: Names of its own tools; agents may have others.
    """

    methods: Collection[str]
    collections: Collection[str]
    tools: Collection[str]


def misspelt_names(cases: Iterable[Case], known: KnownNames) -> Iterator[CaseProblem]:
    """Warns of names in rules that are likely to be typos.

    A method is unknown where its API is known and has no such method, a collection or a tool where
    one of nearly the same name is known; globs are unknown where they match nothing of their API.

    Args:
        cases: The cases of a suite.
        known: What its mock server knows.

    Yields:
        A warning for each name, with the nearest one.
    """
    asked = list(cases)
    tools = {*known.tools, *(name for case in asked for name in _wanted_tools(case))}
    apis = {method.partition(".")[0] for method in known.methods}
    for case in asked:
        for kind, name in dict.fromkeys(_names(case)):
            if kind == "method":
                unknown = _is_unknown_method(name, known.methods, apis)
                nearest = _nearest(name, known.methods) if unknown else ""
            else:
                there = tools if kind == "tool" else known.collections
                nearest = "" if _is_there(name, there) else _nearest(name, there)
                unknown = bool(nearest)
            if unknown:
                hint = f"did you mean {nearest!r}?" if nearest else ""
                message = f"no {kind} is named {name!r}, so this rule says nothing"
                yield CaseProblem(case.source or case.id, message, hint, "warning", case.id)


def _names(case: Case) -> Iterator[tuple[str, str]]:
    for item in case.expect:
        match item:
            case ForbiddenTools():
                yield from (("tool", name) for name in item.globs)
                yield from (("tool", call.name) for call in item.calls)
            case ServerRequests():
                yield from (("method", request.method) for request in item.requests)
            case ServerState():
                rows = [row.collection for row in item.rows]
                allowed = [event.collection for event in item.allow or ()]
                yield from (("collection", name) for name in (*rows, *item.unchanged, *allowed))
            case Milestones():
                yield from _of_events(item.milestones)
            case Minefields():
                yield from _of_events(item.mines)
            case _:
                pass


def _of_events(events: Iterable[Event]) -> Iterator[tuple[str, str]]:
    for event in events:
        if event.call is not None:
            yield "tool", event.call.name
        if event.request is not None:
            yield "method", event.request.method
        for held in (event.state, event.changed):
            if held is not None:
                yield "collection", held.collection


def _wanted_tools(case: Case) -> Iterator[str]:
    for item in case.expect:
        if isinstance(item, ToolCalls):
            yield from (call.name for call in item.calls)
        elif isinstance(item, MinCalls):
            yield from item.counts
    yield from case.required_tools
    yield from (call.name for turn in case.reference for call in (*turn.calls, *turn.reports))


def _is_unknown_method(name: str, methods: Collection[str], apis: Collection[str]) -> bool:
    if name.startswith("tools.") or _is_there(name, methods):
        return False
    api = name.partition(".")[0]
    if _WILD & set(api):
        return False
    return api in apis or bool(get_close_matches(api, apis, n=1, cutoff=_ALIKE))


def _is_there(name: str, known: Iterable[str]) -> bool:
    glob = name.casefold()
    return any(fnmatchcase(each.casefold(), glob) for each in known)


def _nearest(name: str, known: Iterable[str]) -> str:
    by_folded = {each.casefold(): each for each in known}
    close = get_close_matches(name.casefold(), by_folded, n=1, cutoff=_ALIKE)
    return by_folded[close[0]] if close else ""
