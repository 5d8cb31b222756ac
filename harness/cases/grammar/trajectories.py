"""Blocks about the way to the reply: tool calls, phases, limits, why the agent stopped."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from harness.cases.grammar.matchers import checked
from harness.cases.grammar.values import Names, checked_schema, listed, named
from harness.cases.words import is_named
from harness.model import (
    ExpectedCall,
    ForbiddenCall,
    Frozen,
    Json,
    JsonObject,
    Phase,
    StopCondition,
    TrajectoryMode,
)


class ExtraBlock(Frozen):
    """Calls besides the expected ones.

    Attributes:
        max: How many are allowed.
    """

    max: int = Field(ge=0)


def _usable(call: ExpectedCall) -> ExpectedCall:
    if call.args is None and "args_mode" in call.model_fields_set and call.args_mode != "ignore":
        raise ValueError("'args_mode' does nothing without 'args'")
    if call.args is not None and call.args_mode == "ignore":
        raise ValueError("'args' does nothing with 'args_mode: ignore'")
    if call.optional and call.count is not None:
        raise ValueError("'optional' and 'count' exclude each other: use 'count: {min: 0}'")
    if call.args_mode == "schema":
        checked_schema(call.args or {})
    else:
        checked(list((call.args or {}).values()))
    checked(call.result)
    return call


def _usable_ban(call: ForbiddenCall) -> ForbiddenCall:
    checked(list((call.args or {}).values()))
    return call


Call = Annotated[ExpectedCall, named("name", ExpectedCall), AfterValidator(_usable)]
Ban = Annotated[ForbiddenCall, named("name", ForbiddenCall), AfterValidator(_usable_ban)]
Bans = Annotated[tuple[Ban, ...], Field(min_length=1), listed(str | ForbiddenCall)]


class Unordered(Frozen):
    """Calls that may come in any order among themselves, where the others keep theirs."""

    unordered: tuple[Call, ...] = Field(min_length=2)


def _form(value: Json) -> str:
    grouped = isinstance(value, Unordered) or (isinstance(value, dict) and "unordered" in value)
    return "unordered" if grouped else "call"


CallOrGroup = Annotated[
    Annotated[Call, Tag("call")] | Annotated[Unordered, Tag("unordered")], Discriminator(_form)
]


class ToolsBlock(Frozen):
    """Which tools the agent calls.

    Attributes:
        mode: `any_order`, `in_order` (others may stand between), `exact`, `superset` (all of these
            and any others) or `subset` (none but these).
        calls: What is expected: names, `{name, args, args_mode, optional, count, status, result,
            turn}`, or `{unordered: [...]}` around calls that may be made in parallel.
        extra: How many calls besides are allowed; any number when not given.
        require_success: Count only calls that did not fail.
        ignore: Globs of tools whose calls do not count.
        defaults: Tool to arguments that it fills in itself.
        seen_as: Tool to the method id (or glob) of the requests by which the server sees a call of
            it, for agents that report no calls and do not use the tool API.
        forbidden: Globs of tools that must not be called, or `{name, args}`.
        min: How often a tool must be called at least.
        required: False makes the results informational.
    """

    mode: TrajectoryMode = "any_order"
    calls: tuple[CallOrGroup, ...] = ()
    extra: ExtraBlock | None = None
    require_success: bool = False
    ignore: Names | None = None
    defaults: dict[str, JsonObject] = {}
    seen_as: dict[str, Annotated[str, Field(min_length=1)]] = {}
    forbidden: Bans | None = None
    min: Annotated[dict[str, Annotated[int, Field(ge=1)]], Field(min_length=1)] | None = None
    required: bool = True

    @property
    def expected(self) -> tuple[ExpectedCall, ...]:
        """The calls in a row, those of a group with its name."""
        found: list[ExpectedCall] = []
        for number, item in enumerate(self.calls, start=1):
            if isinstance(item, Unordered):
                name = {"group": f"unordered {number}"}
                found += [call.model_copy(update=name) for call in item.unordered]
            else:
                found.append(item)
        return tuple(found)

    @property
    def about_calls(self) -> bool:
        """Whether it says something about the calls as a whole."""
        return bool(self.model_fields_set & _ABOUT_CALLS)

    @property
    def forbidden_globs(self) -> tuple[str, ...]:
        """The tools that must not be called whatever the arguments."""
        return tuple(ban.name for ban in self.forbidden or () if ban.args is None)

    @property
    def forbidden_calls(self) -> tuple[ForbiddenCall, ...]:
        """The calls that must not be made with some arguments."""
        return tuple(ban for ban in self.forbidden or () if ban.args is not None)

    @model_validator(mode="after")
    def _can_fail(self) -> "ToolsBlock":
        open_ended = self.mode not in _CLOSED and self.extra is None
        if self.about_calls and open_ended and all(map(_may_be_missing, self.expected)):
            raise ValueError("no trajectory could fail this: name 'calls' or limit 'extra'")
        if self.mode in _CLOSED and self.extra is not None:
            raise ValueError(f"{self.mode!r} allows no extra calls: drop 'extra' or use 'in_order'")
        if self.mode == "superset" and self.extra is not None:
            raise ValueError("'superset' allows any extra calls: use 'any_order' to limit them")
        return self

    @model_validator(mode="after")
    def _nothing_idle(self) -> "ToolsBlock":
        if self.mode not in _ORDERED and any(isinstance(call, Unordered) for call in self.calls):
            raise ValueError(f"'unordered' does nothing in mode {self.mode!r}, which has no order")
        if idle := sorted(set(self.defaults) - {call.name for call in self.expected}):
            raise ValueError(f"defaults of tools that are not expected: {', '.join(idle)}")
        return self

    @model_validator(mode="after")
    def _can_hold(self) -> "ToolsBlock":
        needed = {call.name for call in self.expected if not _may_be_missing(call)}
        for name in sorted(needed | set(self.min or ())):
            for glob in (each for each in self.forbidden_globs if is_named(name, each)):
                by = "" if glob == name else f", by {glob!r}"
                raise ValueError(f"{name!r} is both expected and forbidden{by}")
        for call in self.expected:
            for glob in (each for each in self.ignore or () if is_named(call.name, each)):
                by = "" if glob == call.name else f", by {glob!r}"
                raise ValueError(f"{call.name!r} is both expected and ignored{by}")
        return self


_ABOUT_CALLS = {"mode", "calls", "extra", "require_success", "ignore", "defaults"}
_CLOSED = {"exact", "subset"}
_ORDERED = {"exact", "in_order"}


def _may_be_missing(call: ExpectedCall) -> bool:
    return call.optional or (call.count is not None and call.count.min == 0 and not call.count.max)


class BudgetBlock(Frozen):
    """Upper limits on what a trial takes.

    Attributes:
        rounds: Model rounds.
        tokens: Input and output tokens together.
        cost_usd: US dollars.
        seconds: Agent time.
        input_price: US dollars per 1,000 input tokens.
        output_price: US dollars per 1,000 output tokens.
        required: False makes the result informational.
    """

    rounds: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, gt=0)
    seconds: float | None = Field(default=None, gt=0)
    input_price: float = Field(default=0.01, ge=0)
    output_price: float = Field(default=0.03, ge=0)
    required: bool = True

    @model_validator(mode="after")
    def _limits_something(self) -> "BudgetBlock":
        limits = (self.rounds, self.tokens, self.cost_usd, self.seconds)
        if all(limit is None for limit in limits):
            raise ValueError("needs one of 'rounds', 'tokens', 'cost_usd', 'seconds'")
        if self.cost_usd is None and self.model_fields_set & {"input_price", "output_price"}:
            raise ValueError("prices do nothing without 'cost_usd'")
        return self


def _one_reason(condition: StopCondition) -> StopCondition:
    reasons = (condition.content, condition.tool, condition.rounds, condition.cost_usd)
    if sum(reason not in (None, ()) for reason in reasons) != 1:
        raise ValueError("give exactly one of 'content', 'tool', 'rounds', 'cost_usd'")
    if condition.last and condition.tool is None:
        raise ValueError("'last' needs 'tool'")
    return condition


Reason = Annotated[StopCondition, AfterValidator(_one_reason)]


class StopBlock(Frozen):
    """Why the agent stopped.

    Attributes:
        any: One of these held.
        all: All of these held.
        required: False makes the result informational.
    """

    any: tuple[Reason, ...] = ()
    all: tuple[Reason, ...] = ()
    required: bool = True

    @model_validator(mode="after")
    def _says_something(self) -> "StopBlock":
        if not self.any and not self.all:
            raise ValueError("needs 'any' or 'all'")
        return self


def _in_order(phases: Sequence[Phase]) -> Sequence[Phase]:
    after = 0
    for number, phase in enumerate(phases):
        if phase.last is not None and phase.last < phase.first:
            raise ValueError(f"phase {number}: 'last' is before 'first'")
        if phase.first < after or (phase.last is None and number < len(phases) - 1):
            raise ValueError(f"phase {number}: phases must follow one another")
        after = (phase.last or phase.first) + 1
    return phases


PhaseList = Annotated[tuple[Phase, ...], AfterValidator(_in_order)]
