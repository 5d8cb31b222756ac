"""The calls of models that the server answered or passed through, read from the journal."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from harness.trials.records import ForkPoint, ModelCall, Price, ToolCall, TrialRecord
from harness.trials.tracing import TurnStart, price_of
from harness.trials.values import JsonObject
from mockserver.model import Interaction, JournalEntry
from mockserver.models.calls import ModelCall as ModelRequest
from mockserver.models.calls import chat_of, find_call
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
    """The call of a model that a request is; None for any other request."""
    if entry.after_close or entry.method_id.startswith("tools."):
        return None
    call = find_call(entry.http_method, entry.host, entry.path, entry.body)
    if call is None:
        return None
    known = _call_without_reply(call, entry.body or {}, entry.status, entry.duration_ms)
    return _with_reply(known, record.journal.bodies.get(entry.response_ref, ""))


def recorded_calls(
    interactions: Iterable[Interaction],
    turns: Sequence[TurnStart],
    prices: Mapping[str, Price],
    fork: ForkPoint | None = None,
) -> tuple[ModelCall, ...]:
    """The turns of models that were recorded beside a session, in order.

    Args:
        interactions: What was recorded.
        turns: When each turn of the conversation began, in order.
        prices: What models cost.
        fork: Where another model was asked, if one was.
    """
    found: list[ModelCall] = []
    for each in interactions:
        asked = chat_of(each.request)
        if asked is None:
            continue
        known = _call_without_reply(asked[0], asked[1], each.response.status, each.duration_ms)
        if fork is not None and fork.origin.model and len(found) >= fork.played:
            name = fork.origin.model
            known = known.model_copy(update={"model": name.partition("/")[2] or name})
        at_ms = datetime.fromisoformat(each.recorded_at).timestamp() * 1000
        turn = next((one.turn for one in reversed(turns) if one.at_ms <= at_ms), turns[0].turn)
        known = _with_reply(known, each.response.body.decode("utf-8", "replace"))
        price = price_of(known.model, prices)
        cost = None
        if price is not None and known.input_tokens is not None:
            cost = price.cost_usd(known.input_tokens, known.output_tokens or 0)
        placed = {"turn": turn, "at_ms": max(0.0, at_ms - turns[0].at_ms), "cost_usd": cost}
        found.append(known.model_copy(update=placed))
    return tuple(found)


def _call_without_reply(
    call: ModelRequest, body: JsonObject, status: int, duration_ms: float
) -> ModelCall:
    named = body.get("model") or call.model
    return ModelCall(
        model=named if isinstance(named, str) else "",
        provider=call.provider,
        duration_ms=duration_ms,
        status="ok" if status < _REFUSED else "error",
    )


def _with_reply(known: ModelCall, answer: str) -> ModelCall:
    reply = read_reply(answer)
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


def own_prices(record: TrialRecord, prices: Mapping[str, Price]) -> dict[str, Price]:
    """What the models that the server saw cost, by name, where that is not their list price.

    Args:
        record: The trial.
        prices: Patterns of names to prices, in the order in which they are tried.
    """
    found: dict[str, Price] = {}
    for call in model_traffic(record):
        price = price_of(call.model, prices)
        if price is not None and price != price_of(call.model):
            found[call.model] = price
    return found


def requested_calls(record: TrialRecord) -> tuple[ToolCall, ...] | None:
    """The tool calls that models asked for; None where nobody tells of models.

    The server's word counts; where it saw no model, or not all calls, as of a fork, that of the
    spans or the recorder.
    """
    seen = model_traffic(record) if record.fork is None else ()
    calls = seen or record.trace.model_calls
    return tuple(each for call in calls for each in call.requested) if calls else None
