"""When something happened in a trial, by the word of the agent or of the server."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, model_validator

from harness.checks.calls import ArgsMode, ExpectedCall, Reason, mismatch
from harness.checks.expectation import Mention, Needle
from harness.checks.server import ChangeEvent, asks_for, changes, is_event, resources
from harness.checks.subsets import is_named, is_subset
from harness.checks.trajectory import (
    as_call,
    reconcile,
    tool_entries,
    trajectory,
    untold,
    with_answers,
)
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
        status: Whether it went well; None does not matter.
        result: What it answered, as a subset; None does not matter.
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
    """Something that can happen; exactly one of the four, each also as a text alone."""

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
    def _one(self) -> "Event":
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
class Sightings:
    """Where an event was seen.

    Attributes:
        moments: In order.
        unknown: Why there may be others, or an empty string.
    """

    moments: list[Moment] = field(default_factory=list)
    unknown: str = ""


_NO_SESSION = "no mock session was open, so nobody saw what the agent asked"
_NO_TURN = "the server cannot tell turns apart"


class Scene:
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

    def sightings(self, event: Event) -> Sightings:
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

    def _of_call(self, event: CallEvent) -> Sightings:
        found = Sightings(unknown=untold(self._record, self._turn) if self._silent else "")
        for call, moment in self._calls:
            if not is_named(call.name, event.name):
                continue
            reason = _differs(event, call)
            if reason is None:
                found.moments.append(moment)
            elif reason.unknown:
                found.unknown = reason.sentence
        return found

    def _of_request(self, event: RequestEvent) -> Sightings:
        found = Sightings(unknown=self._blind())
        if not found.unknown and self._record.journal.evicted:
            found.unknown = "the journal dropped its oldest entries"
        for entry in () if self._one_of_many else self._record.journal.entries:
            answered = event.status is None or entry.status == event.status
            if answered and not entry.after_close and asks_for(event, entry):
                found.moments.append(Moment(request=entry.seq))
        return found

    def _of_state(self, event: StateEvent) -> Sightings:
        if unknown := self._blind():
            return Sightings(unknown=unknown)
        if event.collection not in self._record.state:
            return Sightings(unknown=f"the record holds no state of {event.collection!r}")
        rows = resources(self._record.state[event.collection])
        there = any(is_subset(event.where, row) for row in rows)
        return Sightings([Moment(end=True)] if there else [])

    def _of_change(self, event: ChangeEvent) -> Sightings:
        if unknown := self._blind():
            return Sightings(unknown=unknown)
        happened = any(is_event(event, change) for change in changes(self._record))
        return Sightings([Moment(end=True)] if happened else [])

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
