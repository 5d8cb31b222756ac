"""Names in rules that nothing bears: a rule that forbids what does not exist forbids nothing."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Protocol

from harness.cases.evidence import differs_by_slip
from harness.checks.expectation import Mention
from harness.checks.matchers import is_named
from harness.documents import Remark
from harness.model import Case, JsonObject

_ALIKE = 0.85
_WILD = frozenset("*?[")
_LEAST = 5
"""Letters of a glob that tell enough to compare it with names."""

_NEVER = "so no agent can meet this"
_NOTHING = "so this rule says nothing"


class KnownNames(Protocol):
    """What a mock server can tell apart."""

    @property
    def methods(self) -> Collection[str]:
        """Ids of methods."""

    @property
    def collections(self) -> Collection[str]:
        """Names of collections."""

    @property
    def tools(self) -> Collection[str]:
        """Names of its own tools; agents may have others."""

    def fields(self, collection: str) -> Collection[str]:
        """The fields of a collection's resources; none where they are not known."""

    def params(self, method: str) -> Collection[str]:
        """The parameters and body fields of a method; none where they are not known."""

    def arguments(self, tool: str) -> Collection[str]:
        """The arguments of a tool; none where they are not known."""


@dataclass(slots=True)
class _KnownNames:
    """What a case's names are held against."""

    names: KnownNames
    world: JsonObject
    own_tools: frozenset[str]
    wanted_tools: frozenset[str]
    apis: frozenset[str]
    _methods: dict[str, str] = field(default_factory=dict)

    def nearest_of(self, mention: Mention) -> str | None:
        """The nearest name where one is unknown ("" when none is near), None for a known one."""
        if mention.kind == "method":
            return self._nearest_method(mention.name)
        there = set(self.names.collections)
        if mention.kind == "tool":
            there = {*self.names.tools, *self._tools, *self.own_tools}
            there |= set() if mention.needed else self.wanted_tools
        if any(is_named(each, mention.name) for each in there):
            return None
        return _nearest(mention.name, there) or None  # an agent may have tools of its own

    @property
    def _tools(self) -> Mapping[str, JsonObject]:
        tools = self.world.get("tools")
        return tools if isinstance(tools, dict) else {}

    def _nearest_method(self, name: str) -> str | None:
        if name not in self._methods:
            unknown = _is_unknown_method(name, self.names.methods, self.apis)
            self._methods[name] = _nearest(name, self.names.methods) if unknown else name
        found = self._methods[name]
        return None if found == name else found

    def inside(self, mention: Mention) -> set[str]:
        """What is known to be in a resource, a request or a call."""
        if mention.kind == "method":
            return set(self.names.params(mention.name))
        if mention.kind == "tool":
            tool = self._tools.get(mention.name)
            schema = tool.get("inputSchema") if isinstance(tool, dict) else None
            properties = schema.get("properties") if isinstance(schema, dict) else None
            return {*(properties or ()), *self.names.arguments(mention.name)}
        return {*self.names.fields(mention.name), *_keys(self.world.get(mention.name))}


def misspelt_names(
    cases: Iterable[Case], known: KnownNames, worlds: Mapping[str, JsonObject]
) -> Iterator[tuple[Case, Remark]]:
    """Warns of names in rules that are likely to be typos.

    A method is unknown where its API is known and has no such method, a collection or a tool where
    one of nearly the same name is known; globs are unknown where they match nothing of their API.

    Args:
        cases: The cases of a suite.
        known: What its mock server knows.
        worlds: Case id to merged snapshot, as far as they can be read.

    Yields:
        A case and a warning for each name, with the nearest one.
    """
    asked = list(cases)
    played = frozenset(
        call.name
        for case in asked
        for turn in case.reference
        for call in (*turn.calls, *turn.reports)
    )
    wanted = frozenset(
        each.name for case in asked for each in _names(case) if each.kind == "tool" and each.needed
    )
    apis = frozenset(method.partition(".")[0] for method in known.methods)
    methods: dict[str, str] = {}
    for case in asked:
        held = _KnownNames(known, worlds.get(case.id, {}), played, wanted, apis, methods)
        for named in dict.fromkeys(_names(case)):
            nearest = held.nearest_of(named)
            if nearest is not None:
                hint = f"did you mean {nearest!r}?" if nearest else ""
                so = _NEVER if named.needed else _NOTHING
                message = f"no {named.kind} is named {named.name!r}, {so}"
                yield case, Remark(message, [named.name], hint)
                continue
            inside = held.inside(named) if named.inside else set()
            for name in (each for each in named.inside if inside and each not in inside):
                if near := _nearest(name, inside):
                    message = f"{_part(named)} has nothing named {name!r}"
                    yield case, Remark(message, [name], f"did you mean {near!r}?")


def _part(mention: Mention) -> str:
    told = {"method": "the request", "tool": "the call of", "collection": "a resource of"}
    return f"{told[mention.kind]} {mention.name!r}"


def _names(case: Case) -> Iterator[Mention]:
    for fault in case.fixtures.faults:
        yield Mention("method", fault.method)
    for name in case.required_tools:
        yield Mention("tool", name, needed=True)
    for item in case.expect:
        yield from item.mentions()


def _is_unknown_method(name: str, methods: Collection[str], apis: Collection[str]) -> bool:
    if name.startswith("tools.") or any(is_named(each, name) for each in methods):
        return False
    api = name.partition(".")[0]
    if _WILD & set(api):
        return False
    return api in apis or bool(get_close_matches(api, apis, n=1, cutoff=_ALIKE))


def _nearest(name: str, known: Iterable[str]) -> str:
    by_folded = {each.casefold(): each for each in sorted(known)}
    if _WILD & set(name) and "." not in name:
        return _nearest_start(name.casefold(), by_folded)
    close = get_close_matches(name.casefold(), by_folded, n=1, cutoff=_ALIKE)
    if not close:
        close = [each for each in by_folded if differs_by_slip(name, each)][:1]
    return by_folded[close[0]] if close else ""


def _nearest_start(glob: str, by_folded: Mapping[str, str]) -> str:
    """The name that begins as a glob does, but for letters that are swapped, missing or too many.

    One letter in the place of another is as often a word of its own: `clone*`, `close*`.
    """
    start = glob.rstrip("*")
    if len(start) < _LEAST or _WILD & set(start):
        return ""
    for each, name in by_folded.items():
        for length in (len(start), len(start) + 1, len(start) - 1):
            begins = each[:length]
            swapped = length != len(start) or sorted(begins) == sorted(start)
            if begins[-1:] == start[-1] and swapped and differs_by_slip(start, begins):
                return name
    return ""


def _keys(value: object) -> Iterator[str]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict):
            yield from item
