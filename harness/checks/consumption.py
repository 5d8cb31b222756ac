"""What a trial, or one of its turns, took: rounds, tokens, money, time."""

from collections.abc import Sequence
from itertools import groupby

from harness.checks.replies import replies_of
from harness.checks.trajectory import trajectory
from harness.model import Budget, Reply, TrialRecord

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
    if found.witness != "reply":
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


def seconds_taken(record: TrialRecord, turn: int | None) -> float | None:
    """Seconds inside the agent; None when it was not reached."""
    replies = replies_of(record, turn)
    if turn is None and record.agent_ms:
        return record.agent_ms / 1000
    return _total_ms(replies) / 1000 if replies else None


def _total_ms(replies: Sequence[Reply]) -> float:
    return sum(reply.duration_ms for reply in replies)
