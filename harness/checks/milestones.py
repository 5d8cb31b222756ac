"""What must happen on the way, in partial order, and what must never happen."""

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from typing_extensions import override

from harness.checks.events import Event, Moment, Scene, earliest, label
from harness.checks.expectation import AnyExpectation, Mention, Needle, not_evaluated, verdict
from harness.checks.grammar import checked_matchers, checked_schema, named, value_section
from harness.checks.matchers import InvalidMatcherError
from harness.trials.decisions import CheckResult
from harness.trials.records import TrialRecord
from harness.trials.values import Json, JsonObject


def _listed(value: Json) -> Json:
    return [value] if isinstance(value, str) else value


class Milestone(Event):
    """Something that must happen.

    Attributes:
        name: Unique in its expectation; `after` refers to it.
        after: Names of milestones that must have happened before.
    """

    name: Needle
    after: Annotated[
        tuple[Needle, ...], BeforeValidator(_listed, json_schema_input_type=str | list[str])
    ] = ()


class Milestones(AnyExpectation):
    """These happen, each after those that it names.

    One event may serve several milestones; what comes after another is a later one.
    """

    kind: Literal["milestones"] = "milestones"
    failure: ClassVar[str] = "missed milestone"
    milestones: tuple[Milestone, ...] = Field(min_length=1)

    @override
    def mentions(self) -> Iterator[Mention]:
        for event in self.milestones:
            yield from event.mentions(needed=True)

    @property
    @override
    def final_collections(self) -> tuple[str, ...]:
        return tuple(each.state.collection for each in self.milestones if each.state is not None)


class Minefield(Event):
    """Something that must never happen.

    Attributes:
        name: For reading; what it is when empty.
    """

    name: str = ""


class Minefields(AnyExpectation):
    """None of these happens, by anybody's word: a failed attempt counts."""

    kind: Literal["minefields"] = "minefields"
    failure: ClassVar[str] = "stepped on a mine"
    mines: tuple[Minefield, ...] = Field(min_length=1)

    @override
    def mentions(self) -> Iterator[Mention]:
        for event in self.mines:
            yield from event.mentions(needed=False)

    @property
    @override
    def final_collections(self) -> tuple[str, ...]:
        return tuple(each.state.collection for each in self.mines if each.state is not None)


def check_milestones(record: TrialRecord, expectation: Milestones) -> CheckResult:
    """Whether each milestone was reached, after those that it names.

    Each is taken at the earliest moment that is possible, so that whatever can be reached is. The
    numbers hold `milestones`: `name`, `reached` (None: cannot be told), `call` and `request` (when)
    and `reason`.
    """
    way = _Way(Scene(record, expectation.turn))
    try:
        for milestone in _sorted(expectation):
            way.reach(milestone)
    except InvalidMatcherError as error:
        return not_evaluated(expectation, str(error))
    rows = [way.rows[each.name] for each in expectation.milestones]
    numbers = {
        "milestones": rows,
        "reached": sum(row["reached"] is True for row in rows),
        "of": len(rows),
    }
    missed = [row["reason"] for row in rows if row["reached"] is False]
    unknown = [row["reason"] for row in rows if row["reached"] is None]
    if missed or not unknown:
        reason = "milestones: " + "; ".join(missed) if missed else ""
        return verdict(expectation, reason, **numbers)
    return not_evaluated(expectation, f"cannot be told: {'; '.join(unknown)}", **numbers)


def check_minefields(record: TrialRecord, expectation: Minefields) -> CheckResult:
    """Whether none of the mines was stepped on, by the agent's word or the server's.

    The numbers hold `stepped`: `name`, `call` and `request` (when, first).
    """
    scene = Scene(record, expectation.turn)
    stepped, unknown = [], []
    try:
        for mine in expectation.mines:
            name, found = mine.name or label(mine), scene.sightings(mine)
            if found.moments:
                stepped.append({"name": name, **_when(found.moments[0])})
            elif found.unknown:
                unknown.append(f"{name}: {found.unknown}")
    except InvalidMatcherError as error:
        return not_evaluated(expectation, str(error))
    numbers = {"stepped": stepped, "of": len(expectation.mines)}
    if stepped or not unknown:
        told = ", ".join(str(each["name"]) for each in stepped)
        reason = f"must never happen, and did: {told}" if stepped else ""
        return verdict(expectation, reason, **numbers)
    return not_evaluated(expectation, f"cannot be told: {'; '.join(unknown)}", **numbers)


class _Way:
    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._reached: dict[str, Moment] = {}
        self.rows: dict[str, JsonObject] = {}

    def reach(self, milestone: Milestone) -> None:
        name, found = milestone.name, self._scene.sightings(milestone)
        open_ones = [other for other in milestone.after if other not in self._reached]
        before = [self._reached[other] for other in milestone.after if other in self._reached]
        moment, possible = earliest(found.moments, before)
        if moment is not None and not open_ones:
            self._reached[name] = moment
            self.rows[name] = _row(name, "", moment) | {"reached": True}
            return
        undecided = any(self.rows.get(other, {}).get("reached") is None for other in open_ones)
        reason = self._why(milestone, open_ones, seen=bool(found.moments), unknown=found.unknown)
        untold = bool(found.unknown) or (moment is None and possible) or undecided
        self.rows[name] = _row(name, reason, None) | {"reached": None if untold else False}

    def _why(self, milestone: Milestone, open_ones: list[str], *, seen: bool, unknown: str) -> str:
        name = f"{milestone.name!r} ({label(milestone)})"
        if unknown:
            return f"{name}: {unknown}"
        if not seen:
            return f"{name} did not happen"
        earlier = ", ".join(map(repr, open_ones or milestone.after))
        return f"{name} happened, but not after {earlier}"


def _sorted(expectation: Milestones) -> list[Milestone]:
    """Each after those that it names; what names itself in a circle comes last and is missed."""
    waiting, done = list(expectation.milestones), list[Milestone]()
    while waiting:
        names = {each.name for each in done}
        ready = [each for each in waiting if set(each.after) <= names] or waiting
        done += ready
        waiting = [each for each in waiting if each not in ready]
    return done


def _row(name: str, reason: str, moment: Moment | None) -> JsonObject:
    return {"name": name, "reason": reason, **_when(moment or Moment())}


def _when(moment: Moment) -> JsonObject:
    return {"call": moment.call, "request": moment.request}


def _usable(event: Event) -> Event:
    if (call := event.call) is not None:
        if call.args_mode == "schema":
            checked_schema(call.args or {})
        else:
            checked_matchers(list((call.args or {}).values()))
        checked_matchers(call.result)
    for form in (event.state, event.changed):
        checked_matchers(form.where if form else None)
    checked_matchers(event.request.params if event.request else None)
    return event


def _reachable(milestones: Sequence[Milestone]) -> Sequence[Milestone]:
    names = [each.name for each in milestones]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"milestone {twice[0]!r} is there twice")
    at_the_end = {each.name for each in milestones if each.at_the_end}
    for each in milestones:
        for other in each.after:
            if other not in names:
                raise ValueError(f"milestone {each.name!r} is after {other!r}, which is none")
            if other in at_the_end and not each.at_the_end:
                raise ValueError(
                    f"milestone {each.name!r} is after {other!r}, which is seen at the end alone"
                )
    waiting, done = list(milestones), set[str]()
    while ready := [each for each in waiting if set(each.after) <= done]:
        done |= {each.name for each in ready}
        waiting = [each for each in waiting if each.name not in done]
    if waiting:
        circle = ", ".join(each.name for each in waiting)
        raise ValueError(f"milestones wait for each other: {circle}")
    return milestones


MILESTONES = value_section(
    Milestones,
    "milestones",
    Annotated[
        tuple[Annotated[Milestone, AfterValidator(_usable)], ...], AfterValidator(_reachable)
    ],
    "What must happen, each after those that it names.",
)
MINEFIELDS = value_section(
    Minefields,
    "mines",
    tuple[Annotated[Minefield, named("call", Minefield), AfterValidator(_usable)], ...],
    "What must never happen.",
)
