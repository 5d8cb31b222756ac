"""Single traces that are promoted: one of a file, or a trial that another tool recorded."""

import io
from pathlib import Path

from harness.errors import HarnessError
from harness.learning.reading import TraceReader
from harness.model import Case, TrialRecord
from mockserver.model import did_you_mean
from mockserver.traces.agent_traces import AgentTrace, TracedCall, TracedTurn

_SHOWN = 10


def trace_in(file: Path, id: str = "") -> AgentTrace | None:
    """The trace that a file holds, or the one of its traces that is named; None where it has none.

    Raises:
        HarnessError: It holds several and none is named, none of that id, or what was asked was
            not captured.
    """
    found = list(TraceReader([file], io.BytesIO()).traces())
    if not found:
        return None
    named = [trace for trace in found if trace.id == id] if id else found
    if len(named) != 1:
        ids = [trace.id for trace in found]
        shown = ", ".join(ids[:_SHOWN]) + (", ..." if len(ids) > _SHOWN else "")
        hint = (id and did_you_mean(id, ids)) or f"promote {file} TRACE, one of {shown}"
        what = f"no trace {id!r}" if id else f"{len(found)} traces"
        raise HarnessError(f"{file} holds {what}", hint=hint)
    (trace,) = named
    if not trace.turns or not trace.turns[0].user:
        raise HarnessError(f"{file}: trace {trace.id}: {'; '.join(trace.missing)}")
    return trace


def trace_of_trial(case: Case, record: TrialRecord) -> AgentTrace:
    """A trial as the trace of an agent, as far as its record tells.

    Raises:
        HarnessError: It does not tell what was asked.
    """
    if not case.turns:
        raise HarnessError(f"{case.id}: what the user said was not recorded")
    replies = {reply.turn: reply for reply in record.replies}
    turns = []
    for number, turn in enumerate(case.turns, start=1):
        reply = replies.get(number)
        calls = tuple(
            TracedCall(
                each.name,
                each.args,
                each.id,
                each.result,
                has_result=each.result is not None,
                error=_error_of(each.result) if each.status == "error" else None,
            )
            for each in (reply.tool_calls if reply is not None else ())
        )
        turns.append(TracedTurn(turn.user, calls, reply.text if reply is not None else ""))
    return AgentTrace(
        id=f"{case.id}/{record.number}",
        turns=tuple(turns),
        error=record.error,
        duration_ms=record.duration_ms,
        place=f"run {record.run}" if record.run else "",
    )


def _error_of(result: object) -> str:
    return result if isinstance(result, str) and result else "the call failed"
