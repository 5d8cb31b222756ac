"""The tool calls that an expectation looks at, and who reports them."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Literal

from harness.checks.replies import replies_of
from harness.model import ToolCall, TrialRecord
from mockserver.model import JournalEntry

NOTHING: Mapping[str, str] = MappingProxyType({})

_TOOLS = "tools."
_SIGNING_IN = "oauth2."


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Tool calls in order.

    Attributes:
        calls: The calls.
        witness: `reply` when the agent reports them; where it reports none, `journal` for what the
            server saw on the tool API, and `requests` where requests stand for tools: those know
            no turns and no steps.
    """

    calls: tuple[ToolCall, ...]
    witness: Literal["reply", "journal", "requests"] = "reply"


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
    seen = seen_calls(record, seen_as)
    witness: Literal["journal", "requests"] = "requests" if seen_as else "journal"
    if not seen:
        if not replies or (not seen_as and _untraced(record)):
            return None
        return Trajectory((), witness if seen_as and _is_silent(record) else "reply")
    if turn is not None and len(record.replies) > 1:
        return None
    return Trajectory(seen, witness)


def seen_calls(record: TrialRecord, seen_as: Mapping[str, str] = NOTHING) -> tuple[ToolCall, ...]:
    """The tool calls that the server saw while the session was open, in order."""
    found = [(entry.seq, as_call(entry)) for entry in tool_entries(record)]
    for entry in _requests(record) if seen_as else ():
        tools = (tool for tool, method in seen_as.items() if fnmatchcase(entry.method_id, method))
        if (tool := next(tools, None)) is not None:
            args = {**entry.params, **(entry.body or {})}
            call = as_call(entry).model_copy(update={"name": tool, "args": args})
            found.append((entry.seq, call))
    return tuple(call for _, call in sorted(found, key=lambda each: each[0]))


def tool_entries(record: TrialRecord) -> list[JournalEntry]:
    """The same as the journal has them."""
    return [
        entry
        for entry in record.journal.entries
        if entry.method_id.startswith(_TOOLS)
        and entry.http_method == "POST"
        and not entry.after_close
    ]


def as_call(entry: JournalEntry) -> ToolCall:
    """A call of the tool API as the server saw it."""
    return ToolCall(
        name=entry.method_id.removeprefix(_TOOLS),
        args=entry.body or {},
        status="ok" if entry.status < 400 else "error",
        witness="journal",
    )


def untold(record: TrialRecord, turn: int | None) -> str:
    """Why there is no trajectory."""
    if record.replies and (requests := _untraced(record)):
        return (
            f"the agent's replies have no place for tool calls, and its {requests} requests do not"
            " say which tools made them; map tools to methods with 'tools.seen_as'"
        )
    if turn is not None and any(reply.turn == turn for reply in record.replies):
        return (
            f"the agent reports no tool calls, and the server cannot tell which are of turn {turn}"
        )
    return "the agent gave no reply" + ("" if turn is None else f" in turn {turn}")


def _untraced(record: TrialRecord) -> int:
    """How many requests a silent agent made on its own, so that its tools are unknown."""
    if not _is_silent(record) or tool_entries(record):
        return 0
    return len(_requests(record))


def _is_silent(record: TrialRecord) -> bool:
    """Whether no reply has a place for tool calls."""
    return not any(reply.reports_calls or reply.tool_calls for reply in record.replies)


def _requests(record: TrialRecord) -> list[JournalEntry]:
    """What the agent asked the APIs by itself, without signing in."""
    return [
        entry
        for entry in record.journal.entries
        if entry.parent is None
        and not entry.after_close
        and not entry.method_id.startswith((_TOOLS, _SIGNING_IN))
    ]
