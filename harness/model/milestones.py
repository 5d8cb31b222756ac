"""Expectations on what happens on the way, whoever saw it: milestones, minefields, decisions."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from harness.model.needles import AnyExpectation, Needle
from harness.model.trajectories import ArgsMode
from harness.model.values import Frozen, Json, JsonObject


def _short(key: str, kind: Any) -> BeforeValidator:
    """Lets a text stand for an object with only this key."""
    return BeforeValidator(
        lambda value: {key: value} if isinstance(value, str) else value,
        json_schema_input_type=str | kind | None,
    )


def _listed(value: Json) -> Json:
    return [value] if isinstance(value, str) else value


ChangeKind = Literal["added", "removed", "changed"]


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


class ChangeEvent(Frozen):
    """A change of a resource on the server between the beginning and the end.

    Attributes:
        collection: Glob of collections.
        where: Fields of the resource (before or after), as a subset.
        kinds: How it changed; any way when empty.
        fields: JSON pointers (globs) below which a changed resource may differ; any when empty.
    """

    collection: Needle
    where: JsonObject = {}
    kinds: tuple[ChangeKind, ...] = ()
    fields: tuple[Needle, ...] = ()


class Event(Frozen):
    """Something that can happen; exactly one of the four, each also as a text alone."""

    call: Annotated[CallEvent | None, _short("name", CallEvent)] = None
    request: Annotated[RequestEvent | None, _short("method", RequestEvent)] = None
    state: Annotated[StateEvent | None, _short("collection", StateEvent)] = None
    changed: Annotated[ChangeEvent | None, _short("collection", ChangeEvent)] = None

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
    milestones: tuple[Milestone, ...] = Field(min_length=1)


class Minefield(Event):
    """Something that must never happen.

    Attributes:
        name: For reading; what it is when empty.
    """

    name: str = ""


class Minefields(AnyExpectation):
    """None of these happens, by anybody's word: a failed attempt counts."""

    kind: Literal["minefields"] = "minefields"
    mines: tuple[Minefield, ...] = Field(min_length=1)


class RoutingRule(Frozen):
    """What a decision for a handler is.

    Attributes:
        to: Who it must be.
        among: Globs of tools that are handlers: the first call of one is the decision, and no other
            handler may be called later.
        field: Dotted path into the structured answer that names the handler, in place of `among`.
    """

    to: Needle
    among: tuple[Needle, ...] = ()
    field: str = ""

    @model_validator(mode="after")
    def _one_way(self) -> "RoutingRule":
        if bool(self.among) == bool(self.field):
            raise ValueError("give either 'among' or 'field'")
        return self


class Routing(AnyExpectation, RoutingRule):
    """The agent decides for one handler."""

    kind: Literal["routing"] = "routing"


class LoopLimits(Frozen):
    """How often an answer may be made again.

    Attributes:
        generate: Glob of tools that make an answer.
        evaluate: Glob of tools that grade it.
        min: At least so many loops: an answer made again after one was graded.
        max: At most so many.
    """

    generate: Needle
    evaluate: Needle
    min: int = Field(default=0, ge=0)
    max: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _can_fail(self) -> "LoopLimits":
        if self.min == 0 and self.max is None:
            raise ValueError("no trajectory could fail this: give 'min' or 'max'")
        if self.max is not None and self.max < self.min:
            raise ValueError("'max' is below 'min'")
        return self


class Loops(AnyExpectation, LoopLimits):
    """How often an agent that grades its own answers makes another one."""

    kind: Literal["loops"] = "loops"
