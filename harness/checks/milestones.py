"""What must happen on the way, in partial order, and what must never happen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from typing_extensions import override

from harness.checks.calls import ArgsMode, ExpectedCall, Reason, mismatch
from harness.checks.expectation import (
    AnyExpectation,
    Mention,
    Needle,
    not_evaluated,
    verdict,
    with_excess,
)
from harness.checks.matchers import InvalidMatcherError, is_named, is_subset
from harness.checks.sections import checked_matchers, checked_schema, name_or_object, value_section
from harness.checks.server import ChangeEvent, changes, is_event, matches_request, resources
from harness.checks.trajectory import (
    as_call,
    no_trajectory,
    reconcile,
    tool_entries,
    trajectory,
    with_answers,
)
from harness.trials.decisions import CheckResult
from harness.trials.records import ToolCall, TrialRecord
from harness.trials.values import Frozen, Json, JsonObject


def _short(key: str, kind: Any) -> BeforeValidator:
    """Lets a text stand for an object with only this key."""
    return BeforeValidator(
        lambda value: {key: value} if isinstance(value, str) else value,
        json_schema_input_type=str | kind | None,
    )


class CallEvent(Frozen):
    """A tool call.

    Attributes:
        name: Glob of tool names.
        args: Arguments, values or matchers; None ignores them.
        args_mode: As for an expected call.
        status: Whether the call succeeded; None for either.
        result: What the tool answered, as a subset; None for anything.
    """

    name: Needle
    args: JsonObject | None = None
    args_mode: ArgsMode = "subset"
    status: Literal["ok", "error"] | None = None
    result: Json = None


class RequestEvent(Frozen):
    """A request that the server saw.

    Attributes:
        method: Glob of method ids.
        params: Parameters or body fields, as a subset.
        status: The status it was answered with; None for any.
    """

    method: Needle
    params: JsonObject = {}
    status: int | None = None


class StateEvent(Frozen):
    """A resource that is there at the end.

    Attributes:
        collection: Its collection.
        where: Fields that it has, as a subset.
    """

    collection: Needle
    where: JsonObject = {}


class Event(Frozen):
    """Something that can happen; exactly one of the four, each also as a text alone.

    Attributes:
        call: A tool call that the agent reports.
        request: A request that the server saw.
        state: What the server holds at the end.
        changed: A change of what the server holds.
    """

    call: Annotated[CallEvent | None, _short("name", CallEvent)] = None
    request: Annotated[RequestEvent | None, _short("method", RequestEvent)] = None
    state: Annotated[StateEvent | None, _short("collection", StateEvent)] = None
    changed: Annotated[ChangeEvent | None, _short("collection", ChangeEvent)] = None

    def mentions(self, *, needed: bool) -> Iterator[Mention]:
        """The names in the event.

        Yields:
            One for each of the four forms that is given.
        """
        if self.call is not None:
            args = () if self.call.args_mode == "schema" else tuple(self.call.args or ())
            yield Mention("tool", self.call.name, needed, args)
        if self.request is not None:
            yield Mention("method", self.request.method, needed, tuple(self.request.params))
        for held in (self.state, self.changed):
            if held is not None:
                yield Mention("collection", held.collection, needed, tuple(held.where))

    @model_validator(mode="after")
    def _check_one_kind(self) -> "Event":
        if sum(each is not None for each in self.forms) != 1:
            raise ValueError("give exactly one of 'call', 'request', 'state', 'changed'")
        return self

    @property
    def forms(self) -> tuple[CallEvent | RequestEvent | StateEvent | ChangeEvent | None, ...]:
        """What it is, one of them given."""
        return (self.call, self.request, self.state, self.changed)

    @property
    def at_the_end(self) -> bool:
        """Whether it is seen in the server's state alone, which has no moment."""
        return self.call is None and self.request is None


@dataclass(frozen=True, slots=True)
class Moment:
    """When something happened.

    Attributes:
        call: Position among the calls that the agent reports, or None.
        request: `seq` of the journal entry, or None.
        end: Seen in the server's state at the end.
    """

    call: int | None = None
    request: int | None = None
    end: bool = False

    def is_after(self, other: "Moment") -> bool | None:
        """Whether it is later; None where the two witnesses cannot be compared."""
        if self.end or other.end:
            return self.end
        if self.request is not None and other.request is not None:
            return self.request > other.request
        if self.call is not None and other.call is not None:
            return self.call > other.call
        return None


@dataclass(slots=True)
class Occurrences:
    """Where an event was seen.

    Attributes:
        moments: In order.
        unknown: Why there may be others, or an empty string.
    """

    moments: list[Moment] = field(default_factory=list)
    unknown: str = ""


_NO_SESSION = "no mock session was open, so nobody saw what the agent asked"
_NO_TURN = "the server cannot tell turns apart"


class ObservedTrial:
    """A trial, or one turn of it, as both witnesses tell it."""

    def __init__(self, record: TrialRecord, turn: int | None) -> None:
        self._record, self._turn = record, turn
        self._one_of_many = turn is not None and len(record.replies) > 1
        found = trajectory(record, turn)
        claimed = found.calls if found and found.witness == "reply" else ()
        entries = [] if self._one_of_many else tool_entries(record)
        seen = [as_call(entry) for entry in entries]
        pairs = reconcile(claimed, seen)
        self._silent = found is None
        answered = with_answers(record, tuple(claimed))
        self._calls: list[tuple[ToolCall, Moment]] = [
            (call, Moment(at, entries[pairs.pairs[at]].seq if at in pairs.pairs else None))
            for at, call in enumerate(answered)
        ]
        only_seen = with_answers(record, tuple(seen)) if pairs.seen_only else ()
        self._calls += [(only_seen[at], Moment(request=entries[at].seq)) for at in pairs.seen_only]

    def sightings(self, event: Event) -> Occurrences:
        """Where an event was seen, earliest first.

        Raises:
            InvalidMatcherError: A matcher of the case cannot be used.
        """
        (form,) = (each for each in event.forms if each is not None)
        match form:
            case CallEvent():
                return self._of_call(form)
            case RequestEvent():
                return self._of_request(form)
            case StateEvent():
                return self._of_state(form)
            case ChangeEvent():
                return self._of_change(form)

    def _of_call(self, event: CallEvent) -> Occurrences:
        found = Occurrences(unknown=no_trajectory(self._record, self._turn) if self._silent else "")
        for call, moment in self._calls:
            if not is_named(call.name, event.name):
                continue
            reason = _differs(event, call)
            if reason is None:
                found.moments.append(moment)
            elif reason.unknown:
                found.unknown = reason.sentence
        return found

    def _of_request(self, event: RequestEvent) -> Occurrences:
        found = Occurrences(unknown=self._blind())
        if not found.unknown and self._record.journal.evicted:
            found.unknown = "the journal dropped its oldest entries"
        for entry in () if self._one_of_many else self._record.journal.entries:
            answered = event.status is None or entry.status == event.status
            if answered and not entry.after_close and matches_request(event, entry):
                found.moments.append(Moment(request=entry.seq))
        return found

    def _of_state(self, event: StateEvent) -> Occurrences:
        if unknown := self._blind():
            return Occurrences(unknown=unknown)
        if event.collection not in self._record.state:
            return Occurrences(unknown=f"the record holds no state of {event.collection!r}")
        rows = resources(self._record.state[event.collection])
        there = any(is_subset(event.where, row) for row in rows)
        return Occurrences([Moment(end=True)] if there else [])

    def _of_change(self, event: ChangeEvent) -> Occurrences:
        if unknown := self._blind():
            return Occurrences(unknown=unknown)
        happened = any(is_event(event, change) for change in changes(self._record))
        return Occurrences([Moment(end=True)] if happened else [])

    def _blind(self) -> str:
        if not self._record.session:
            return _NO_SESSION
        return _NO_TURN if self._one_of_many else ""


def earliest(moments: Sequence[Moment], before: Sequence[Moment]) -> tuple[Moment | None, bool]:
    """The first moment that is after all others, and whether another may be."""
    possible = False
    for moment in moments:
        states = [moment.is_after(other) for other in before]
        if all(states):
            return moment, True
        possible = possible or False not in states
    return None, possible


def label(event: Event) -> str:
    """An event in words."""
    (form,) = (each for each in event.forms if each is not None)
    match form:
        case CallEvent():
            return f"call {form.name!r}"
        case RequestEvent():
            return f"request {form.method!r}"
        case StateEvent():
            return f"{form.collection!r} where {form.where!r}"
        case ChangeEvent():
            return f"change of {form.collection!r}"


def _differs(event: CallEvent, call: ToolCall) -> Reason | None:
    wanted = ExpectedCall(
        name=call.name,
        args=event.args,
        args_mode=event.args_mode,
        status=event.status,
        result=event.result,
    )
    return mismatch(wanted, call)


def _as_list(value: Json) -> Json:
    return [value] if isinstance(value, str) else value


class Milestone(Event):
    """Something that must happen.

    Attributes:
        name: Unique in its expectation; `after` refers to it.
        after: Names of milestones that must have happened before.
    """

    name: Needle
    after: Annotated[
        tuple[Needle, ...], BeforeValidator(_as_list, json_schema_input_type=str | list[str])
    ] = ()


class Milestones(AnyExpectation):
    """These happen, each after those that it names.

    One event may serve several milestones; what comes after another is a later one.
    """

    kind: Literal["milestones"] = "milestones"
    failure: ClassVar[str] = "missed milestone"
    quotes_values: ClassVar[bool] = True
    rests_on_answers: ClassVar[bool] = True
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
        name: For people; when empty, the event itself.
    """

    name: str = ""


class Minefields(AnyExpectation):
    """None of these happens, whoever reports it: a failed attempt counts."""

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
    way = _MilestoneSearch(ObservedTrial(record, expectation.turn))
    try:
        for milestone in _sort_milestones(expectation):
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
    scene = ObservedTrial(record, expectation.turn)
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
        return with_excess(verdict(expectation, reason, **numbers), reason)
    return not_evaluated(expectation, f"cannot be told: {'; '.join(unknown)}", **numbers)


class _MilestoneSearch:
    def __init__(self, scene: ObservedTrial) -> None:
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
        undecidable = bool(found.unknown) or (moment is None and possible) or undecided
        self.rows[name] = _row(name, reason, None) | {"reached": None if undecidable else False}

    def _why(self, milestone: Milestone, open_ones: list[str], *, seen: bool, unknown: str) -> str:
        name = f"{milestone.name!r} ({label(milestone)})"
        if unknown:
            return f"{name}: {unknown}"
        if not seen:
            return f"{name} did not happen"
        earlier = ", ".join(map(repr, open_ones or milestone.after))
        return f"{name} happened, but not after {earlier}"


def _sort_milestones(expectation: Milestones) -> list[Milestone]:
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
    "What must happen, each after the milestones that it names.",
)
MINEFIELDS = value_section(
    Minefields,
    "mines",
    tuple[Annotated[Minefield, name_or_object("call", Minefield), AfterValidator(_usable)], ...],
    "What must never happen.",
)
