"""Expectations on what an agent may spend, when it stops, and which tools a step may use."""

from typing import Literal

from pydantic import Field

from harness.model.needles import AnyExpectation, Needle
from harness.model.values import Frozen


class Budget(AnyExpectation):
    """Upper limits on what the trial took.

    Attributes:
        rounds: Model rounds (steps); where the driver does not report them, tool rounds are
            counted.
        tokens: Input and output tokens together.
        cost_usd: US dollars: `(input * input_price + output * output_price) / 1000`.
        seconds: Agent time, seconds.
        input_price: US dollars per 1,000 input tokens.
        output_price: US dollars per 1,000 output tokens.
    """

    kind: Literal["budget"] = "budget"
    rounds: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, gt=0)
    seconds: float | None = Field(default=None, gt=0)
    input_price: float = Field(default=0.01, ge=0)
    output_price: float = Field(default=0.03, ge=0)


class StopCondition(Frozen):
    """One reason to stop; exactly one field is given.

    Attributes:
        content: Phrases that the final text must all hold.
        tool: A tool that must have been called.
        last: With `tool`: and as the last call.
        rounds: At most so many rounds.
        cost_usd: At most so many US dollars, at the prices of `Budget`.
    """

    content: tuple[Needle, ...] = ()
    tool: str | None = None
    last: bool = False
    rounds: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, gt=0)


class Stop(AnyExpectation):
    """Why the agent stopped: one of `any` (the result names which fired), and all of `all`."""

    kind: Literal["stop"] = "stop"
    any: tuple[StopCondition, ...] = ()
    all: tuple[StopCondition, ...] = ()


class Phase(Frozen):
    """Which tools a range of steps may use.

    Attributes:
        first: First step, from 0.
        last: Last step, or None for the rest.
        tools: Globs of allowed tool names.
    """

    first: int = Field(ge=0)
    last: int | None = Field(default=None, ge=0)
    tools: tuple[Needle, ...] = Field(min_length=1)


class Phases(AnyExpectation):
    """Steps use only the tools of their phase."""

    kind: Literal["phases"] = "phases"
    phases: tuple[Phase, ...] = Field(min_length=1)
