"""The tool calls that an expectation looks at, and who reports them."""

from dataclasses import dataclass
from typing import Literal

from harness.checks.replies import replies_of
from harness.model import ToolCall, TrialRecord
from mockserver.model import JournalEntry

_TOOLS = "tools."


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Tool calls in order.

    Attributes:
        calls: The calls.
        witness: `reply` when the agent reports them; `journal` when it reports none and the server
            saw some: those know no turns and no steps.
    """

    calls: tuple[ToolCall, ...]
    witness: Literal["reply", "journal"] = "reply"


def trajectory(record: TrialRecord, turn: int | None) -> Trajectory | None:
    """The trajectory of a turn or of the trial; None when nobody can tell.

    An agent that reports no call at all is taken at the server's word, as far as the calls can be
    told apart by turn.
    """
    replies = replies_of(record, turn)
    if any(reply.tool_calls for reply in record.replies):
        calls = tuple(call for reply in replies for call in reply.tool_calls)
        return Trajectory(calls) if replies else None
    seen = seen_calls(record)
    if not seen:
        return Trajectory(()) if replies else None
    if turn is not None and len(record.replies) > 1:
        return None
    return Trajectory(seen, "journal")


def seen_calls(record: TrialRecord) -> tuple[ToolCall, ...]:
    """The tool calls that the server saw while the session was open."""
    return tuple(as_call(entry) for entry in tool_entries(record))


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
    if turn is not None and any(reply.turn == turn for reply in record.replies):
        return (
            f"the agent reports no tool calls, and the server cannot tell which are of turn {turn}"
        )
    return "the agent gave no reply" + ("" if turn is None else f" in turn {turn}")
