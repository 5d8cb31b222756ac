"""What happened in a trial, in order: what was said, tool calls, requests that the server saw.

Records hold two clocks: how long turns took, and when the server answered. Calls and requests are
put together by what paired them (`harness.checks.trajectory.reconcile`), by the clock of the
session where it ran with ours, and else in the order in which each side tells them.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from harness.checks.model_traffic import model_call, model_traffic
from harness.checks.trajectory import as_call, reconcile, tool_entries
from harness.model import END_WORDS, Case, Json, Reply, ToolCall, TrialRecord
from harness.reports.forks import describe_fork
from harness.reports.texts import cost_text
from harness.trials.records import ModelCall
from harness.trials.tracing import price_of
from mockserver.model import JournalEntry
from mockserver.models.shown_calls import show_model_call

MOST_EVENTS = 120
"""So many calls and requests of a trial are shown."""

_EARLY = 100.0
_LATE = 1000.0
_REFUSED = 400
_TOOLS = ("tools.", "mcp.")

EventKind = Literal["user", "agent", "call", "request", "model", "error", "fork"]
Tone = Literal["", "good", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Note:
    """A word beside an event, and what there is to say about it."""

    word: str
    text: str = ""
    tone: Tone = "warn"


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a timeline.

    Attributes:
        kind: What happened: the user or the agent said something, the agent reports a tool call,
            the server saw a request or a call of a model, an attempt failed, the trial went its own
            way from there.
        title: In short.
        turn: The turn, or None where it is not known.
        depth: 0, or 1 and more for what was asked on behalf of the event above.
        status: How it ended, in short.
        tone: How good that is.
        at: Milliseconds since the trial began, or None where it is not known.
        duration: Milliseconds, or None.
        text: What was said.
        sent: Arguments, or parameters and body.
        answer: What came back, as text.
        data: Structured answers of the agent by name.
        notes: What is special about it.
        seq: The number of the request in the journal, or None.
    """

    kind: EventKind
    title: str
    turn: int | None = None
    depth: int = 0
    status: str = ""
    tone: Tone = ""
    at: float | None = None
    duration: float | None = None
    text: str = ""
    sent: Json = None
    answer: str = ""
    data: Mapping[str, Json] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class Timeline:
    """The events of a trial.

    Attributes:
        events: In order.
        hidden: How many calls and requests are left out, by kind.
        total: Milliseconds that the times of the events are shares of; at least 1.
    """

    events: tuple[Event, ...]
    hidden: Mapping[EventKind, int]
    total: float


def timeline(case: Case, record: TrialRecord) -> Timeline:
    """The events of a trial, in order."""
    shown, hidden = _cut(trial_events(case, record))
    ends = [(each.at or 0.0) + (each.duration or 0.0) for each in shown]
    return Timeline(tuple(shown), hidden, max([record.duration_ms, *ends, 1.0]))


def trial_events(case: Case, record: TrialRecord) -> list[Event]:
    """The events of a trial, in order, however many there are."""
    turns = _turns(case, record)
    asked = _events_by_turn(record, turns)
    events: list[Event] = []
    for turn in turns:
        events.append(turn.question)
        events += turn.failures
        events += asked.get(turn.number, ())
        events += turn.answer
    events += asked.get(None, ())
    if record.user is not None and record.user.ended is not None:
        title = f"The conversation ends: {END_WORDS[record.user.ended]}"
        events.append(Event("user", title, status=f"{len(record.replies)} turns"))
    return events


@dataclass(frozen=True, slots=True)
class _Turn:
    number: int
    at: float
    question: Event
    failures: tuple[Event, ...]
    answer: tuple[Event, ...]


def _turns(case: Case, record: TrialRecord) -> list[_Turn]:
    """The turns that were answered, and the one that was not."""
    found, at = [], 0.0
    for reply in record.replies:
        found.append(_turn(reply.turn, reply.prompt, record, at, reply))
        at += _spent(record, reply.turn, reply.duration_ms)
    place = len(record.replies)
    if record.outcome != "replied" and place < len(case.turns):
        found.append(_turn(place + 1, case.turns[place].user, record, at, None))
    return found


def _turn(number: int, prompt: str, record: TrialRecord, at: float, reply: Reply | None) -> _Turn:
    title = "User" if reply or record.outcome == "skipped" else "User, not answered"
    failures = tuple(
        Event("error", f"attempt {each.number} failed", number, tone="bad", at=at,
              duration=each.duration_ms, text=each.error)
        for each in record.attempts
        if each.turn == number and each.error
    )  # fmt: skip
    answer = (_answer(record, reply, at),) if reply else ()
    return _Turn(number, at, Event("user", title, number, at=at, text=prompt), failures, answer)


def _answer(record: TrialRecord, reply: Reply, at: float) -> Event:
    facts = [
        f"{reply.rounds} rounds" if reply.rounds is not None else "",
        f"first byte {reply.first_byte_ms:.0f} ms" if reply.first_byte_ms is not None else "",
        _tokens(reply),
        reply.finish,
        f"status {reply.http_status}" if reply.http_status else "",
    ]
    data: dict[str, Json] = {}
    if reply.metadata:
        data["structured answer"] = reply.metadata
    if reply.data is not None:
        data["whole answer"] = reply.data
    return Event(
        "agent",
        "Agent",
        reply.turn,
        status=", ".join(filter(None, facts)),
        at=at + max(0.0, _spent(record, reply.turn, reply.duration_ms) - reply.duration_ms),
        duration=reply.duration_ms,
        text=reply.text,
        data=data,
    )


def _tokens(reply: Reply) -> str:
    used = reply.usage
    cost = "" if used.cost_usd is None else cost_text(used.cost_usd)
    return ", ".join(filter(None, [*_token_words(used.input_tokens, used.output_tokens), cost]))


def _spent(record: TrialRecord, turn: int, otherwise: float) -> float:
    """Milliseconds that a turn took, with all attempts and the pauses between them."""
    attempts = [each for each in record.attempts if each.turn == turn]
    return sum(each.duration_ms + each.waited_ms for each in attempts) if attempts else otherwise


def _events_by_turn(record: TrialRecord, turns: Sequence[_Turn]) -> dict[int | None, list[Event]]:
    """Tool calls and requests, by turn; None where the turn is not known."""
    calls, entries = _calls(record), record.journal.entries
    seen = tool_entries(record)
    paired = {
        seen[to].seq: at
        for at, to in reconcile(calls, [as_call(each) for each in seen]).pairs.items()
    }
    places = {entry.seq: _turn_of(entry, record, turns, calls, paired) for entry in entries}
    depths: dict[int, int] = {}
    for entry in entries:
        if entry.parent in places:
            places[entry.seq] = places[entry.parent]
            depths[entry.seq] = depths.get(entry.parent, 0) + 1
        elif entry.seq in paired:
            depths[entry.seq] = 1
    found: dict[int | None, list[Event]] = {}
    for turn in dict.fromkeys([*(each.number for each in turns), None]):
        own = [entry for entry in entries if places[entry.seq] == turn]
        numbers = [at for at, call in enumerate(calls) if call.turn == turn]
        found[turn] = list(_merge(record, numbers, own, paired, depths))
    _mark_fork(record, turns, found)
    told = record.trace.model_calls
    if model_traffic(record):  # a fork's journal has none of those that the recording answered
        told = told[: record.fork.played] if record.fork else ()
    for call in told:
        _insert_model(found.setdefault(call.turn, []), call)
    return found


def _mark_fork(
    record: TrialRecord, turns: Sequence[_Turn], found: dict[int | None, list[Event]]
) -> None:
    """Put where a fork left its recording before the first request that came after it."""
    point = record.fork
    if point is None or point.entry is None:
        return
    at = point.at_ms
    event = Event("fork", f"Fork {describe_fork(point.origin)}", at=at, status=point.origin.run)
    later = [each.seq for each in record.journal.entries if each.seq > point.entry]
    for events in found.values():
        for place, each in enumerate(events):
            if later and each.seq == later[0]:
                events.insert(place, event)
                return
    began = [turn.number for turn in turns if at is None or turn.at <= at]
    found.setdefault(began[-1] if began else None, []).append(event)


def _calls(record: TrialRecord) -> Sequence[ToolCall]:
    """The tool calls that the agent reports; those of the spans where it reports none."""
    return record.tool_calls or record.trace.tool_calls


def _insert(events: list[Event], event: Event) -> None:
    """Put an event before the first one that is known to be later."""
    places = [at for at, each in enumerate(events) if (each.at or -1.0) > (event.at or 0.0)]
    events.insert(places[0] if places else len(events), event)


def _insert_model(events: list[Event], call: ModelCall) -> None:
    """Put a model's call at its time, and before the tool calls that it asks for."""
    event, names = _traced_model(call), {each.name for each in call.requested}
    models = [at for at, each in enumerate(events) if each.kind == "model"]
    since = models[-1] + 1 if models else 0
    for at, each in enumerate(events[since:], since):
        if (each.at or -1.0) > (event.at or 0.0):
            break
        if each.kind == "call" and each.title in names:
            events.insert(at, event)
            return
    _insert(events, event)


def _traced_model(call: ModelCall) -> Event:
    return Event(
        "model",
        call.model or call.provider or "a model",
        call.turn,
        status=_model_status(call),
        tone="bad" if call.status == "error" else "",
        at=call.at_ms,
        duration=call.duration_ms,
        text=call.text,
        notes=_request_notes(call),
    )


def _model_status(call: ModelCall) -> str:
    cost = "" if call.cost_usd is None else cost_text(call.cost_usd)
    told = [*_token_words(call.input_tokens, call.output_tokens), cost]
    return ", ".join(filter(None, told))


def _token_words(input_tokens: int | None, output_tokens: int | None) -> list[str]:
    if input_tokens is None and output_tokens is None:
        return []
    return [f"{input_tokens or 0} tokens in, {output_tokens or 0} out"]


def _request_notes(call: ModelCall) -> tuple[Note, ...]:
    names = ", ".join(each.name for each in call.requested)
    return (Note("asks for", names, tone=""),) if names else ()


def _turn_of(
    entry: JournalEntry,
    record: TrialRecord,
    turns: Sequence[_Turn],
    calls: Sequence[ToolCall],
    paired: Mapping[int, int],
) -> int | None:
    if len(turns) == 1:
        return turns[0].number
    if entry.seq in paired:
        return calls[paired[entry.seq]].turn
    at = _since(record, entry)
    if at is None or not turns:
        return None
    return max((each for each in turns if each.at <= at), key=lambda each: each.at).number


def _merge(
    record: TrialRecord,
    numbers: Sequence[int],
    entries: Sequence[JournalEntry],
    paired: Mapping[int, int],
    depths: Mapping[int, int],
) -> Iterator[Event]:
    """The requests in order, before each the calls up to the one that it answers.

    Yields:
        Events; where no request answers a call, all calls come first.
    """
    calls, seen = _calls(record), set(paired.values())
    next_call = 0 if any(entry.seq in paired for entry in entries) else len(numbers)
    for at in numbers[:next_call]:
        yield _call(calls[at], seen=False)
    for entry in entries:
        place = bisect_right(numbers, paired.get(entry.seq, -1))
        for at in numbers[next_call:place]:
            yield _call(calls[at], seen=at in seen)
        next_call = max(next_call, place)
        yield _request(record, entry, depths.get(entry.seq, 0))
    for at in numbers[next_call:]:
        yield _call(calls[at], seen=at in seen)


def _call(call: ToolCall, *, seen: bool) -> Event:
    failed = call.status == "error"
    return Event(
        "call",
        call.name,
        call.turn,
        status="" if call.status == "unknown" else call.status,
        tone="bad" if failed else "",
        sent=call.args or None,
        data={} if seen or call.result is None else {"what the agent was told": call.result},
    )


def _request(record: TrialRecord, entry: JournalEntry, depth: int) -> Event:
    at = _since(record, entry)
    sent: dict[str, Json] = {}
    if entry.params:
        sent["params"] = entry.params
    if entry.body:
        sent["body"] = entry.body
    title = f"{entry.http_method} {entry.method_id or entry.host + entry.path}"
    model, call = _model(entry), model_call(record, entry)
    spent = "" if call is None else _usage_text(call, record)
    return Event(
        "request" if model is None else "model",
        title if model is None else model or title,
        depth=depth,
        status=", ".join(filter(None, [f"{entry.status} {entry.source}", spent])),
        tone="bad" if entry.status >= _REFUSED else "",
        at=None if at is None else max(0.0, at - entry.duration_ms),
        duration=entry.duration_ms,
        sent=sent or None,
        answer=record.journal.bodies.get(entry.response_ref, ""),
        text="" if call is None else call.text,
        data={} if call is None else _new_messages(entry),
        notes=(*_notes(entry), *(() if call is None else _request_notes(call))),
        seq=entry.seq,
    )


def _usage_text(call: ModelCall, record: TrialRecord) -> str:
    """Tokens and cost of a call; at the suite's price, or list price, if nobody says its cost."""
    own = record.prices.get(call.model)
    price = own or price_of(call.model)
    told = _model_status(call)
    if call.cost_usd is not None or price is None or call.input_tokens is None:
        return told
    cost = price.cost_usd(call.input_tokens, call.output_tokens or 0)
    whose = "list" if own is None else "the suite's"
    return f"{told}, {cost_text(cost)} at {whose} price"


def _new_messages(entry: JournalEntry) -> Mapping[str, Json]:
    """What the model was told since it spoke last."""
    shown = show_model_call(entry.http_method, entry.host, entry.path, entry.body, "")
    told: list[Json] = []
    for message in (each for each in (shown.messages if shown else ()) if each.is_new):
        told += [f"{message.role}: {message.text}"] if message.text else []
        told += [{"result": each.name, "content": each.content} for each in message.results]
    return {"what the model was told": told} if told else {}


def _model(entry: JournalEntry) -> str | None:
    """The model that a request asks, by the shape of what it sends; None for any other request.

    An empty string where the request does not name it (its path may).
    """
    body = entry.body or {}
    if entry.method_id.startswith(_TOOLS):
        return None
    said = body.get("messages") or body.get("contents")
    has_roles = isinstance(said, list) and all(
        isinstance(each, dict) and ("role" in each or "parts" in each) for each in said
    )
    if not has_roles and not ("input" in body and "model" in body):
        return None
    named = body.get("model") or entry.params.get("model")
    return named if isinstance(named, str) else ""


def _notes(entry: JournalEntry) -> Iterator[Note]:
    if entry.source == "synthesis":
        yield Note("made up", "only the examples of a document stand behind this answer")
    if entry.fault:
        yield Note("fault", entry.fault)
    if entry.miss:
        yield Note(entry.miss.blame.replace("_", " "), entry.miss.reason, "bad")
    if entry.recording and entry.recording.warning:
        yield Note("recording", entry.recording.warning)
    if entry.ignored:
        yield Note("ignored", ", ".join(entry.ignored))
    if entry.tampering:
        yield Note("tampering", entry.tampering, "bad")
    if entry.escapes:
        yield Note("escape", "; ".join(entry.escapes), "bad")
    if entry.after_close:
        yield Note("after the end", tone="bad")


def _since(record: TrialRecord, entry: JournalEntry) -> float | None:
    """Milliseconds from the start of the trial to an answer; None where its clock is another."""
    try:
        between = datetime.fromisoformat(entry.at) - datetime.fromisoformat(record.started_at)
    except (ValueError, TypeError):  # no timestamps, or one of them without a zone
        return None
    passed = between.total_seconds() * 1000
    return max(0.0, passed) if -_EARLY <= passed <= record.duration_ms + _LATE else None


def _cut(events: Sequence[Event]) -> tuple[list[Event], dict[EventKind, int]]:
    shown: list[Event] = []
    hidden: dict[EventKind, int] = {}
    room = MOST_EVENTS
    for event in events:
        if event.kind in {"call", "request", "model"}:
            room -= 1
            if room < 0:
                hidden[event.kind] = hidden.get(event.kind, 0) + 1
                continue
        shown.append(replace(event, at=None if event.at is None else round(event.at, 3)))
    return shown, hidden
