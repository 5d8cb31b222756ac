"""What a run covers: kinds of trials, tools, fields of fixtures; and what no trial touched."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.model import FixtureCoverage, JsonObject, RunResult

MOST_KINDS = 30
MOST_COLLECTIONS = 30
MOST_FIELDS = 12
_MOST_LISTED = 200
_FEW_CASES = 3


@dataclass(frozen=True, slots=True)
class CoveredKind:
    """Trials that are alike: the same tools and arguments, the same errors, the same end.

    Attributes:
        covers: What they have in common (`harness.trials.coverage`).
        trials: How many there are.
        cases: The cases that they are of, in run order.
    """

    covers: str
    trials: int
    cases: tuple[str, ...]

    @property
    def case_names(self) -> str:
        """The first few cases."""
        return shortened_list(self.cases, _FEW_CASES)


def covered_kinds(result: RunResult) -> tuple[CoveredKind, ...]:
    """What the trials of a run cover, the most frequent first."""
    found: dict[str, tuple[int, dict[str, None]]] = {}
    for each in result.facts:
        if each.covers:
            count, cases = found.get(each.covers, (0, {}))
            found[each.covers] = (count + 1, cases | {each.case: None})
    kinds = (CoveredKind(name, count, tuple(cases)) for name, (count, cases) in found.items())
    return tuple(sorted(kinds, key=lambda each: -each.trials))


def shortened_list(names: Sequence[str], most: int) -> str:
    """The first of some names, and how many more there are.

    >>> shortened_list(["a", "b", "c"], 2), shortened_list(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class CoverageView:
    """What a page shows of it; of large worlds and runs the first part.

    Attributes:
        kinds: The most frequent kinds of trials.
        more_kinds: How many further ones there are.
        collections: Those with the most untouched fields.
        more_collections: How many further ones there are.
        never_called: Tools that no trial called.
        tools: How many tools there are.
        fields: How many fields there are in all collections.
        read: How many of them were read.
        asserted: How many of them a case names.
        unknown_in: The merged runs without a coverage; nothing is told of the fixtures then.
    """

    kinds: tuple[CoveredKind, ...]
    more_kinds: int
    collections: tuple["CollectionView", ...]
    more_collections: int
    never_called: str
    tools: int
    fields: int
    read: int
    asserted: int
    unknown_in: tuple[str, ...]

    @property
    def gap(self) -> str:
        """Why nothing is told of the fixtures, one sentence; empty where it is known."""
        if not self.unknown_in:
            return ""
        names = shortened_list(self.unknown_in, _FEW_CASES)
        return f"fixture fields: not known, as coverage.json is missing in what was merged: {names}"


@dataclass(frozen=True, slots=True)
class CollectionView:
    """A collection of the fixtures: its name, how many fields it has, and what was touched."""

    name: str
    fields: int
    read: int
    asserted: int
    untouched: str
    is_dead: bool


def coverage_view(result: RunResult) -> CoverageView | None:
    """What the page of a run shows; None where nothing is known."""
    kinds = covered_kinds(result)
    touched = result.coverage
    fixtures = touched.fixtures if touched else ()
    tools = touched.tools if touched else ()
    unknown = touched.unknown_in if touched else ()
    if not kinds and not fixtures and not tools and not unknown:
        return None
    return CoverageView(
        kinds=kinds[:MOST_KINDS],
        more_kinds=max(0, len(kinds) - MOST_KINDS),
        collections=tuple(map(_collection, fixtures[:MOST_COLLECTIONS])),
        more_collections=max(0, len(fixtures) - MOST_COLLECTIONS),
        never_called=shortened_list(touched.never_called if touched else (), MOST_FIELDS),
        tools=len(tools),
        fields=sum(each.fields for each in fixtures),
        read=sum(each.fields - len(each.never_read) for each in fixtures),
        asserted=sum(each.fields - len(each.never_asserted) for each in fixtures),
        unknown_in=unknown,
    )


def _collection(each: FixtureCoverage) -> CollectionView:
    untouched = each.untouched
    return CollectionView(
        name=each.collection,
        fields=each.fields,
        read=each.fields - len(each.never_read),
        asserted=each.fields - len(each.never_asserted),
        untouched=shortened_list(untouched, MOST_FIELDS),
        is_dead=len(untouched) == each.fields,
    )


def coverage_lines(result: RunResult) -> list[str]:
    """The same in a few lines; none where nothing is known of the fixtures."""
    view = coverage_view(result)
    if view is not None and view.gap:
        return [view.gap]
    if view is None or not view.fields:
        return []
    dead = [each.name for each in view.collections if each.is_dead and view.read]
    lines = [f"fixture fields: {view.read} of {view.fields} read, {view.asserted} named by a case"]
    if dead:
        lines.append(f"dead fixtures, neither read nor named: {shortened_list(dead, MOST_FIELDS)}")
    if view.never_called:
        lines.append(f"tools that no trial called: {view.never_called}")
    return lines


def coverage_json(result: RunResult) -> JsonObject | None:
    """What a program reads of it; lists of fields end after the first 200, their counts do not."""
    kinds = covered_kinds(result)
    touched = result.coverage
    if not kinds and touched is None:
        return None
    known = touched if touched and not touched.unknown_in else None
    return {
        "kinds": [
            {"covers": each.covers, "trials": each.trials, "cases": list(each.cases[:_MOST_LISTED])}
            for each in kinds[:_MOST_LISTED]
        ],
        "kindsTotal": len(kinds),
        "fixtures": [_collection_json(each) for each in known.fixtures] if known else None,
        "tools": list(known.tools) if known else None,
        "toolsNeverCalled": list(known.never_called) if known else None,
        "unknownIn": list(touched.unknown_in) if touched else [],
    }


def _collection_json(each: FixtureCoverage) -> JsonObject:
    return {
        "collection": each.collection,
        "fields": each.fields,
        "read": each.fields - len(each.never_read),
        "asserted": each.fields - len(each.never_asserted),
        "untouched": len(each.untouched),
        "neverRead": list(each.never_read[:_MOST_LISTED]),
        "neverAsserted": list(each.never_asserted[:_MOST_LISTED]),
    }
