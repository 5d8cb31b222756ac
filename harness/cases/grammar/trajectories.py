"""Blocks about the way to the reply: tool calls, phases, limits, why the agent stopped."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from harness.cases.grammar.values import Names, named
from harness.model import ExpectedCall, Frozen, Json, Phase, StopCondition


class ExtraBlock(Frozen):
    """Calls besides the expected ones.

    Attributes:
        max: How many are allowed.
    """

    max: int = Field(ge=0)


Call = Annotated[ExpectedCall, named("name", ExpectedCall)]


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
        mode: `any_order`, `in_order` (others may stand between) or `exact`.
        calls: What is expected: names, `{name, args, args_mode, optional}`, or
            `{unordered: [...]}` around calls that may be made in parallel.
        extra: How many calls besides are allowed; any number when not given.
        require_success: Count only calls that did not fail.
        forbidden: Globs of tools that must not be called.
        min: How often a tool must be called at least.
        required: False makes the results informational.
    """

    mode: Literal["any_order", "in_order", "exact"] = "any_order"
    calls: tuple[CallOrGroup, ...] = ()
    extra: ExtraBlock | None = None
    require_success: bool = False
    forbidden: Names | None = None
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
        return bool(self.model_fields_set & {"mode", "calls", "extra", "require_success"})

    @model_validator(mode="after")
    def _can_fail(self) -> "ToolsBlock":
        open_ended = self.mode != "exact" and self.extra is None
        if self.about_calls and open_ended and all(call.optional for call in self.expected):
            raise ValueError("no trajectory could fail this: name 'calls' or limit 'extra'")
        if self.mode == "exact" and self.extra is not None:
            raise ValueError("'exact' allows no extra calls: drop 'extra' or use 'in_order'")
        return self

    @model_validator(mode="after")
    def _can_hold(self) -> "ToolsBlock":
        needed = {call.name for call in self.expected if not call.optional} | set(self.min or ())
        for name in sorted(needed):
            if any(fnmatchcase(name, glob) for glob in self.forbidden or ()):
                raise ValueError(f"{name!r} is both expected and forbidden")
        return self


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
