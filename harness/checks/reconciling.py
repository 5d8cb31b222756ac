"""The calls that the agent reports beside those that the server saw."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from harness.checks.trajectory import as_call, tool_entries
from harness.model import Json, ToolCall, TrialRecord
from mockserver.model import Journal, JournalEntry


@dataclass(frozen=True, slots=True)
class Reconciled:
    """Each call that is claimed with the one that was seen.

    Attributes:
        pairs: Position of the claimed call to position of the seen one.
        claimed_only: Positions of claimed calls that nobody saw.
        seen_only: Positions of seen calls that nobody claims.
    """

    pairs: dict[int, int]
    claimed_only: tuple[int, ...]
    seen_only: tuple[int, ...]


def reconcile(claimed: Sequence[ToolCall], seen: Sequence[ToolCall]) -> Reconciled:
    """Pairs calls of the same tool: first those alike, then the others in order.

    Alike are those with equal arguments that ended alike, then those with equal arguments.
    """
    pairs: dict[int, int] = {}
    for key in (_with_outcome, _whole, _name):
        taken = set(pairs.values())
        free: dict[object, deque[int]] = {}
        for at, call in enumerate(seen):
            if at not in taken:
                free.setdefault(key(call), deque()).append(at)
        for at, call in enumerate(claimed):
            if at not in pairs and (places := free.get(key(call))):
                pairs[at] = places.popleft()
    both = set(pairs.values())
    return Reconciled(
        pairs,
        tuple(at for at in range(len(claimed)) if at not in pairs),
        tuple(at for at in range(len(seen)) if at not in both),
    )


def with_answers(record: TrialRecord, calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    """The calls, with the server's word on how they ended where the agent does not say."""
    if all(call.status != "unknown" and call.result is not None for call in calls):
        return calls
    entries = tool_entries(record)
    found = reconcile(calls, [as_call(entry) for entry in entries])
    return tuple(
        _answered(call, entries[found.pairs[at]], record.journal) if at in found.pairs else call
        for at, call in enumerate(calls)
    )


def answer_of(entry: JournalEntry, journal: Journal) -> Json:
    """What the server answered, as JSON; None where it was not kept or is none."""
    body = journal.bodies.get(entry.response_ref, "")
    try:
        return orjson.loads(body) if body else None
    except orjson.JSONDecodeError:
        return None


def _name(call: ToolCall) -> object:
    return call.name


def _with_outcome(call: ToolCall) -> object:
    return call.status, _whole(call)


def _whole(call: ToolCall) -> object:
    try:
        return call.name, orjson.dumps(call.args, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:  # nested without end: only its name is compared
        return call.name, id(call)


def _answered(call: ToolCall, entry: JournalEntry, journal: Journal) -> ToolCall:
    known = {}
    if call.status == "unknown":
        known["status"] = as_call(entry).status
    if call.result is None:
        known["result"] = answer_of(entry, journal)
    return call.model_copy(update=known)
