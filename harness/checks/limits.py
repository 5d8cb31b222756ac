"""What an agent may spend, why it stops, and which tools each step may use."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import groupby
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from harness.checks.expectation import (
    AnyExpectation,
    Needle,
    failed,
    not_evaluated,
    passed,
    verdict,
)
from harness.checks.replies import replies_of
from harness.checks.sections import section_of, value_section
from harness.checks.text import text_of
from harness.checks.trajectory import no_trajectory, trajectory
from harness.trials.decisions import CheckResult
from harness.trials.records import ToolCall, TrialRecord
from harness.trials.values import Frozen


class Budget(AnyExpectation):
    """Upper limits on what the trial took.

    Attributes:
        rounds: Model rounds (steps); where the driver does not report them, tool rounds are
            counted.
        tokens: Input and output tokens together.
        cost_usd: US dollars: `(input * input_price + output * output_price) / 1000`; without prices
            of the case what the spans of the models tell, where there are any.
        seconds: Agent time, seconds.
        input_price: US dollars per 1,000 input tokens.
        output_price: US dollars per 1,000 output tokens.
    """

    kind: Literal["budget"] = "budget"
    failure: ClassVar[str] = "over budget"
    expected_numbers: ClassVar[tuple[str, ...]] = ("max_rounds",)
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
        rounds: At most this many rounds.
        cost_usd: At most this many US dollars, at the prices of `Budget`.
    """

    content: tuple[Needle, ...] = ()
    tool: str | None = None
    last: bool = False
    rounds: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, gt=0)


class Stop(AnyExpectation):
    """Why the agent stopped: one of `any` (the result names which fired), and all of `all`.

    Attributes:
        any: Reasons, of which at least one must hold.
        all: Reasons that must all hold.
    """

    kind: Literal["stop"] = "stop"
    failure: ClassVar[str] = "stop condition"
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
    failure: ClassVar[str] = "stop condition"
    phases: tuple[Phase, ...] = Field(min_length=1)


Limit = tuple[str, float | None, float | None]


def check_budget(record: TrialRecord, expectation: Budget) -> CheckResult:
    """Whether every limit that is set was kept; a limit that is met exactly is kept."""
    limits = [limit for limit in _limits(record, expectation) if limit[2] is not None]
    numbers = {
        key: value
        for name, taken, most in limits
        for key, value in ((name, taken), (f"max_{name}", most))
    }
    over = [
        f"{_number_text(taken)} {name}, at most {_number_text(most)} allowed"
        for name, taken, most in limits
        if taken is not None and most is not None and taken > most
    ]
    unknown = [name for name, taken, _ in limits if taken is None]
    if over:
        return failed(expectation, "over budget: " + "; ".join(over), **numbers)
    if unknown or not limits:
        reason = f"not reported: {', '.join(unknown)}" if unknown else "the case sets no limit"
        return not_evaluated(expectation, reason, **numbers)
    return passed(expectation, **numbers)


def _limits(record: TrialRecord, budget: Budget) -> list[Limit]:
    turn = budget.turn
    tokens = tokens_taken(record, turn)
    prices = (budget.input_price, budget.output_price)
    is_priced = not {"input_price", "output_price"}.isdisjoint(budget.model_fields_set)
    cost = None if is_priced else _traced_cost(record, turn)
    if cost is None:
        cost = cost_taken(record, turn, input_price=prices[0], output_price=prices[1])
    return [
        ("rounds", rounds_taken(record, turn), budget.rounds),
        ("tokens", sum(tokens) if tokens else None, budget.tokens),
        ("cost_usd", cost, budget.cost_usd),
        ("seconds", seconds_taken(record, turn), budget.seconds),
    ]


def _number_text(value: float) -> str:
    return f"{value:g}" if isinstance(value, int) else f"{value:.4g}"


INPUT_PRICE: float = Budget.model_fields["input_price"].default
OUTPUT_PRICE: float = Budget.model_fields["output_price"].default


def rounds_taken(record: TrialRecord, turn: int | None) -> int | None:
    """Model rounds; tool rounds where the agent does not say; None when it did not reply."""
    replies = replies_of(record, turn)
    if not replies:
        return None
    if all(reply.rounds is not None for reply in replies):
        return sum(reply.rounds or 0 for reply in replies)
    found = trajectory(record, turn)
    if found is None:
        return None
    if not found.has_steps:
        return len(found.calls)
    return sum(1 for _ in groupby(found.calls, key=lambda call: (call.turn, call.step)))


def tokens_taken(record: TrialRecord, turn: int | None) -> tuple[int, int] | None:
    """Input and output tokens; None when a reply does not say."""
    replies = replies_of(record, turn)
    usages = [reply.usage for reply in replies]
    inputs = [usage.input_tokens for usage in usages if usage.input_tokens is not None]
    outputs = [usage.output_tokens for usage in usages if usage.output_tokens is not None]
    complete = usages and len(inputs) == len(outputs) == len(usages)
    return (sum(inputs), sum(outputs)) if complete else None


def cost_taken(
    record: TrialRecord, turn: int | None, *, input_price: float, output_price: float
) -> float | None:
    """US dollars at the prices for 1,000 tokens; what the agent reports where it has no tokens."""
    if taken := tokens_taken(record, turn):
        return (taken[0] * input_price + taken[1] * output_price) / 1000
    replies = replies_of(record, turn)
    costs = [cost for reply in replies if (cost := reply.usage.cost_usd) is not None]
    return sum(costs) if costs and len(costs) == len(replies) else None


def _traced_cost(record: TrialRecord, turn: int | None) -> float | None:
    """US dollars by the spans of the models that were asked; None where they do not tell."""
    costs = [call.cost_usd for call in record.trace.model_calls if turn in {None, call.turn}]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if costs and len(known) == len(costs) else None


def seconds_taken(record: TrialRecord, turn: int | None) -> float | None:
    """Seconds inside the agent; None when it was not reached."""
    replies = replies_of(record, turn)
    if turn is None and record.agent_ms:
        return record.agent_ms / 1000
    return sum(reply.duration_ms for reply in replies) / 1000 if replies else None


def check_stop(record: TrialRecord, expectation: Stop) -> CheckResult:
    """Whether one of `any` and each of `all` holds; `fired` in the numbers names those that do."""
    conditions = (*expectation.any, *expectation.all)
    if not conditions:
        return not_evaluated(expectation, "the case names no stop condition")
    states = {_label(each): _holds(each, record, expectation.turn) for each in conditions}
    fired = [label for label, state in states.items() if state]
    of_any = [states[_label(each)] for each in expectation.any]
    of_all = [states[_label(each)] for each in expectation.all]
    any_holds = _some(of_any) if of_any else True
    all_hold = _each(of_all)
    if any_holds is False or all_hold is False:
        wrong = [label for label, state in states.items() if state is False]
        return verdict(expectation, f"did not stop by: {'; '.join(wrong)}", fired=fired)
    if any_holds is None or all_hold is None:
        unknown = [label for label, state in states.items() if state is None]
        return not_evaluated(expectation, f"cannot be told: {'; '.join(unknown)}", fired=fired)
    return verdict(expectation, "", fired=fired)


def check_phases(record: TrialRecord, expectation: Phases) -> CheckResult:
    """Whether each step used only tools of its phases; steps outside all phases are free."""
    found = trajectory(record, expectation.turn)
    if found is None:
        return not_evaluated(expectation, no_trajectory(record, expectation.turn))
    if not found.has_steps:
        return not_evaluated(expectation, "the agent does not report its steps")
    wrong = [
        f"{call.name!r} in step {call.step}"
        for call in found.calls
        if not _is_allowed(call, expectation.phases)
    ]
    reason = f"outside its phase: {', '.join(wrong)}" if wrong else ""
    return verdict(expectation, reason, calls=len(found.calls), wrong=wrong)


def _holds(condition: StopCondition, record: TrialRecord, turn: int | None) -> bool | None:
    """Whether everything that the condition names holds; None when that cannot be told."""
    states: list[bool | None] = []
    if condition.content:
        states.append(_reply_holds(condition, record, turn))
    if condition.tool is not None:
        states.append(_tool_was_called(condition.tool, record, turn, last=condition.last))
    if condition.rounds is not None:
        states.append(_within(rounds_taken(record, turn), condition.rounds))
    if condition.cost_usd is not None:
        cost = cost_taken(record, turn, input_price=INPUT_PRICE, output_price=OUTPUT_PRICE)
        states.append(_within(cost, condition.cost_usd))
    return _each(states) if states else None


def _reply_holds(condition: StopCondition, record: TrialRecord, turn: int | None) -> bool | None:
    replies = replies_of(record, turn)
    if not replies:
        return None
    final = text_of(replies[-1].text)
    return all(final.holds(phrase) for phrase in condition.content)


def _tool_was_called(
    tool: str, record: TrialRecord, turn: int | None, *, last: bool
) -> bool | None:
    found = trajectory(record, turn)
    if found is None:
        return None
    names = [call.name for call in found.calls]
    return names[-1:] == [tool] if last else tool in names


def _within(value: float | None, most: float) -> bool | None:
    return None if value is None else value <= most


def _some(states: list[bool | None]) -> bool | None:
    return True if True in states else None if None in states else False


def _each(states: list[bool | None]) -> bool | None:
    return False if False in states else None if None in states else True


def _label(condition: StopCondition) -> str:
    parts = [f"content {', '.join(map(repr, condition.content))}"] if condition.content else []
    if condition.tool is not None:
        parts.append(f"tool {condition.tool!r}" + (" as the last call" if condition.last else ""))
    if condition.rounds is not None:
        parts.append(f"at most {condition.rounds} rounds")
    if condition.cost_usd is not None:
        parts.append(f"at most {condition.cost_usd:g} USD")
    return " and ".join(parts) or "nothing named"


def _is_allowed(call: ToolCall, phases: tuple[Phase, ...]) -> bool:
    covering = [
        phase
        for phase in phases
        if phase.first <= call.step and (phase.last is None or call.step <= phase.last)
    ]
    globs = [glob for phase in covering for glob in phase.tools]
    return not covering or any(fnmatchcase(call.name, glob) for glob in globs)


def _limits_something(block: Budget) -> None:
    limits = (block.rounds, block.tokens, block.cost_usd, block.seconds)
    if all(limit is None for limit in limits):
        raise ValueError("needs one of 'rounds', 'tokens', 'cost_usd', 'seconds'")
    if block.cost_usd is None and block.model_fields_set & {"input_price", "output_price"}:
        raise ValueError("prices do nothing without 'cost_usd'")


def _one_reason(condition: StopCondition) -> StopCondition:
    reasons = (condition.content, condition.tool, condition.rounds, condition.cost_usd)
    if sum(reason not in (None, ()) for reason in reasons) != 1:
        raise ValueError("give exactly one of 'content', 'tool', 'rounds', 'cost_usd'")
    if condition.last and condition.tool is None:
        raise ValueError("'last' needs 'tool'")
    return condition


def _names_a_reason(block: Stop) -> None:
    if not block.any and not block.all:
        raise ValueError("needs 'any' or 'all'")


def _in_order(phases: Sequence[Phase]) -> Sequence[Phase]:
    after = 0
    for number, phase in enumerate(phases):
        if phase.last is not None and phase.last < phase.first:
            raise ValueError(f"phase {number}: 'last' is before 'first'")
        if phase.first < after or (phase.last is None and number < len(phases) - 1):
            raise ValueError(f"phase {number}: phases must follow one another")
        after = (phase.last or phase.first) + 1
    return phases


_Reasons = tuple[Annotated[StopCondition, AfterValidator(_one_reason)], ...]

BUDGET = section_of(Budget, "Upper limits.", _limits_something)
STOP = section_of(Stop, "Why the agent stopped.", _names_a_reason, any=_Reasons, all=_Reasons)
PHASES = value_section(
    Phases,
    "phases",
    Annotated[tuple[Phase, ...], AfterValidator(_in_order)],
    "Which tools a range of steps may use: `{first, last, tools}`.",
    of_turns=True,
)
