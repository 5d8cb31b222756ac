"""The calls of models that the server answered or passed through, read from the journal."""

from harness.trials.records import ModelCall, ToolCall, TrialRecord
from mockserver.model import JournalEntry
from mockserver.models.calls import find_call
from mockserver.models.received_replies import read_reply

_REFUSED = 400


def model_traffic(record: TrialRecord) -> tuple[ModelCall, ...]:
    """The calls of models that went well, in order, each with the tool calls that it asks for.

    A call whose very same request comes again was given up by its client, and is left out.
    """
    bodies = [each.body for each in record.journal.entries]
    found = []
    for place, entry in enumerate(record.journal.entries):
        call = model_call(record, entry)
        if call is not None and call.status == "ok" and entry.body not in bodies[place + 1 :]:
            found.append(call)
    return tuple(found)


def model_call(record: TrialRecord, entry: JournalEntry) -> ModelCall | None:
    """The call of a model that a request is; None for any other request.

    Args:
        record: The trial, which holds the answers.
        entry: The request.
    """
    if entry.after_close or entry.method_id.startswith("tools."):
        return None
    call = find_call(entry.http_method, entry.host, entry.path, entry.body)
    if call is None:
        return None
    named = (entry.body or {}).get("model") or call.model
    known = ModelCall(
        model=named if isinstance(named, str) else "",
        provider=call.provider,
        duration_ms=entry.duration_ms,
        status="ok" if entry.status < _REFUSED else "error",
    )
    reply = read_reply(record.journal.bodies.get(entry.response_ref, ""))
    if reply is None:
        return known
    used = reply.usage
    return known.model_copy(
        update={
            "input_tokens": None if used is None else used.input,
            "output_tokens": None if used is None else used.output,
            "requested": tuple(
                ToolCall(name=each.name, args=each.arguments, id=each.id, witness="model")
                for each in reply.calls
            ),
            "text": reply.text,
        }
    )


def requested_calls(record: TrialRecord) -> tuple[ToolCall, ...] | None:
    """The tool calls that models asked for; None where nobody tells of models.

    The server's word counts; where it saw no model, that of the spans.
    """
    calls = model_traffic(record) or record.trace.model_calls
    return tuple(each for call in calls for each in call.requested) if calls else None
