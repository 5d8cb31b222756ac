"""The tool calls of a trial: what the agent reports, its framework traced, and the server saw."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Literal

import orjson

from harness.checks.replies import replies_of
from harness.trials.records import ToolCall, TrialRecord
from harness.trials.values import Json
from mockserver.model import Journal, JournalEntry

NOTHING: Mapping[str, str] = MappingProxyType({})

_TOOLS = "tools."
_RUN = "agent."
"""How a tool inside the agent asks whether it is to run."""

_MCP = "mcp."
"""What MCP clients ask beside tools: how they connect, what is listed, resources, prompts."""
_SIGNING_IN = "oauth2."
_BATCH = "batch"


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Tool calls in order.

    Attributes:
        calls: The calls.
        witness: `reply` when the agent reports them; where it reports none, `spans` for what its
            framework traced, with what only the server saw; without spans `journal` for what the
            server saw on the tool API, and `requests` where requests stand for tools: the last two
            know no turns and no steps.
    """

    calls: tuple[ToolCall, ...]
    witness: Literal["reply", "spans", "journal", "requests"] = "reply"

    @property
    def has_steps(self) -> bool:
        """Whether it is known in which turn and step each call was made."""
        return self.witness in {"reply", "spans"}


def trajectory(
    record: TrialRecord, turn: int | None, seen_as: Mapping[str, str] = NOTHING
) -> Trajectory | None:
    """The trajectory of a turn or of the trial; None when nobody can tell.

    An agent that reports no call at all is taken at the server's word, as far as the calls can be
    told apart by turn. Where its replies have no place for calls, and it asked the APIs without a
    tool of the server's, nobody knows which tools it used.

    Args:
        record: The trial.
        turn: The turn, or None for all.
        seen_as: Tool to the method id (or glob) of the requests that stand for a call of it.
    """
    replies = replies_of(record, turn)
    if any(reply.tool_calls for reply in record.replies):
        calls = tuple(call for reply in replies for call in reply.tool_calls)
        return Trajectory(calls) if replies else None
    if record.trace.tool_calls:
        made = traced_calls(record, seen_as)
        chosen = (call for call in made if turn in {None, call.turn})
        return Trajectory(tuple(chosen), "spans") if replies else None
    seen = seen_calls(record, seen_as)
    witness: Literal["journal", "requests"] = "requests" if seen_as else "journal"
    if not seen:
        if not replies or (not seen_as and _count_untraced_requests(record)):
            return None
        return Trajectory((), witness if seen_as and _is_silent(record) else "reply")
    if turn is not None and len(record.replies) > 1:
        return None
    return Trajectory(seen, witness)


def seen_calls(record: TrialRecord, seen_as: Mapping[str, str] = NOTHING) -> tuple[ToolCall, ...]:
    """The tool calls that the server saw while the session was open, in order."""
    found = [(entry.seq, as_call(entry)) for entry in tool_entries(record)]
    for entry, tools in mapped_requests(record, seen_as):
        found.append((entry.seq, request_as_call(entry, tools[0])))
    return tuple(call for _, call in sorted(found, key=lambda each: each[0]))


def mapped_requests(
    record: TrialRecord, seen_as: Mapping[str, str]
) -> list[tuple[JournalEntry, list[str]]]:
    """What the agent asked the APIs by itself, each with the tools that it may be a call of."""
    if not seen_as:
        return []
    found = [
        (entry, [tool for tool, glob in seen_as.items() if fnmatchcase(entry.method_id, glob)])
        for entry in own_requests(record)
    ]
    return [(entry, tools) for entry, tools in found if tools]


def traced_calls(record: TrialRecord, seen_as: Mapping[str, str] = NOTHING) -> tuple[ToolCall, ...]:
    """The tool calls of the spans, in order, and among them those that only the server saw.

    Where one call of a tool may be several requests (`seen_as`), the spans alone count.
    """
    traced = with_answers(record, record.trace.tool_calls)
    named = {call.name for call in traced}
    seen = [
        call
        for call in seen_calls(record, seen_as)
        if not (call.name in seen_as and call.name in named)
    ]
    place_of = {to: at for at, to in reconcile(traced, seen).pairs.items()}
    after: dict[int, list[ToolCall]] = {}
    latest = -1
    for at, call in enumerate(seen):
        if at in place_of:
            latest = max(latest, place_of[at])
        else:
            step = traced[latest] if latest >= 0 else traced[0]
            known = {"turn": step.turn, "step": step.step}
            after.setdefault(latest, []).append(call.model_copy(update=known))
    merged = [*after.get(-1, ())]
    for at, call in enumerate(traced):
        merged += [call, *after.get(at, ())]
    return tuple(merged)


def tool_entries(record: TrialRecord) -> list[JournalEntry]:
    """The same as the journal has them."""
    return [
        entry
        for entry in record.journal.entries
        if entry.method_id.startswith(_TOOLS)
        and entry.http_method == "POST"
        and not entry.after_close
        and not entry.tampering
    ]


def as_call(entry: JournalEntry) -> ToolCall:
    """A call of the tool API as the server saw it."""
    return ToolCall(
        name=entry.method_id.removeprefix(_TOOLS),
        args=entry.body or {},
        status="ok" if entry.status < 400 else "error",
        witness="journal",
    )


def request_as_call(entry: JournalEntry, tool: str) -> ToolCall:
    """A request that stands for a call of a tool."""
    args = {**entry.params, **(entry.body or {})}
    return as_call(entry).model_copy(update={"name": tool, "args": args})


def no_trajectory(record: TrialRecord, turn: int | None) -> str:
    """Why there is no trajectory."""
    if record.replies and (requests := _count_untraced_requests(record)):
        return (
            f"the agent's replies have no place for tool calls, and its {requests} requests do not"
            " say which tools made them; map tools to methods with 'tools.seen_as'"
        )
    if turn is not None and any(reply.turn == turn for reply in record.replies):
        return (
            f"the agent reports no tool calls, and the server cannot tell which are of turn {turn}"
        )
    return "the agent gave no reply" + ("" if turn is None else f" in turn {turn}")


def _count_untraced_requests(record: TrialRecord) -> int:
    """How many requests a silent agent made on its own, so that its tools are unknown."""
    if not _is_silent(record) or tool_entries(record):
        return 0
    return len(own_requests(record))


def _is_silent(record: TrialRecord) -> bool:
    """Whether no reply has a place for tool calls."""
    return not any(reply.reports_calls or reply.tool_calls for reply in record.replies)


def own_requests(record: TrialRecord) -> list[JournalEntry]:
    """What the agent asked the APIs by itself, also in batches, without signing in."""
    batches = {entry.seq for entry in record.journal.entries if entry.method_id == _BATCH}
    return [
        entry
        for entry in record.journal.entries
        if (entry.parent is None or entry.parent in batches)
        and not entry.after_close
        and not entry.method_id.startswith((_TOOLS, _MCP, _SIGNING_IN, _RUN))
    ]


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Each call that is claimed with the one that was seen.

    Attributes:
        pairs: Position of the claimed call to position of the seen one.
        seen_only: Positions of seen calls that nobody claims.
    """

    pairs: dict[int, int]
    seen_only: tuple[int, ...]


def reconcile(claimed: Sequence[ToolCall], seen: Sequence[ToolCall]) -> Reconciliation:
    """Pairs calls of the same tool: first those alike, then the others in order.

    Alike are those with equal arguments that ended alike, then those with equal arguments.
    """
    pairs: dict[int, int] = {}
    for key in (_with_outcome, whole_call, _name):
        taken = set(pairs.values())
        free: dict[object, deque[int]] = {}
        for at, call in enumerate(seen):
            if at not in taken:
                free.setdefault(key(call), deque()).append(at)
        for at, call in enumerate(claimed):
            if at not in pairs and (places := free.get(key(call))):
                pairs[at] = places.popleft()
    both = set(pairs.values())
    return Reconciliation(
        pairs,
        tuple(at for at in range(len(seen)) if at not in both),
    )


def with_answers(record: TrialRecord, calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    """The calls; how they ended is the server's word, or that of spans, where none is told."""
    if all(call.status != "unknown" and call.result is not None for call in calls):
        return calls
    entries = tool_entries(record)
    found = reconcile(calls, [as_call(entry) for entry in entries])
    answered = tuple(
        _with_answer(call, as_call(entries[to]), answer_of(entries[to], record.journal))
        if (to := found.pairs.get(at)) is not None
        else call
        for at, call in enumerate(calls)
    )
    traced = record.trace.tool_calls
    pairs = reconcile(answered, traced).pairs if traced else {}
    return tuple(
        _with_answer(call, traced[pairs[at]], traced[pairs[at]].result) if at in pairs else call
        for at, call in enumerate(answered)
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
    return call.status, whole_call(call)


def whole_call(call: ToolCall) -> object:
    """What is equal for calls of one tool with equal arguments."""
    try:
        return call.name, orjson.dumps(call.args, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:  # nested without end: only its name is compared
        return call.name, id(call)


def _with_answer(call: ToolCall, witnessed: ToolCall, result: Json) -> ToolCall:
    known: dict[str, Json] = {}
    if call.status == "unknown":
        known["status"] = witnessed.status
    if call.result is None:
        known["result"] = result
    return call.model_copy(update=known)
