"""Traces of agents as tracing tools export them, and transcripts: a trace is a trial."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress

from harness.checks.scores import VERDICT
from harness.errors import HarnessError
from harness.foreign.otel import score_of
from harness.foreign.results import ImportedResults, ImportedTrial, ReadOptions, chosen_agent
from harness.foreign.source import SourceFile
from harness.model import Json, JsonObject, Reply, ToolCall
from mockserver.traces import Span, SpanError
from mockserver.traces.agent_traces import AgentTrace, TracedCall, agent_trace
from mockserver.traces.foreign import FORMATS, format_of, records_in
from mockserver.traces.spans import moment

_LONGEST_NAME = 200


def recognises(source: SourceFile) -> bool:
    """Whether a file, or its first line, holds a trace in one of the formats."""
    if source.content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in {b"{", b"["}:
        return False
    with suppress(HarnessError):
        return next(_records(source), None) is not None
    return False


def read(source: SourceFile, options: ReadOptions) -> ImportedResults:
    """Read the traces in which an agent, a model or a tool is seen.

    Raises:
        HarnessError: A record cannot be read, or there is no such trace.
    """
    spans: dict[str, list[Span]] = defaultdict(list)
    for record in _records(source):
        try:
            for span in FORMATS[format_of(record)].read(record):
                spans[span.trace].append(span)
        except SpanError as error:
            raise source.error(f"has a record that cannot be read: {error}") from None
    found = [trace for each in spans.values() if (trace := agent_trace(each)) is not None]
    if not found:
        raise source.error("has no trace of an agent, a model or a tool in it")
    agent = chosen_agent(source, [each.agent for each in found], options.agent)
    trials = [_trial(each) for each in found if not agent or each.agent == agent]
    started = min((each.started_at for each in trials if each.started_at), default="")
    return ImportedResults(suite=source.path.stem, agent=agent, started_at=started, trials=trials)


def _records(source: SourceFile) -> Iterator[JsonObject]:
    first, _, rest = source.content.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")
    values: Iterator[Json] = iter(())
    if rest.strip() and first.rstrip().endswith(b"}"):
        lines = enumerate((first, *rest.splitlines()), 1)
        values = (source.parse_json(line, f"line {at}") for at, line in lines if line.strip())
    else:
        values = iter([source.json])
    for value in values:
        yield from records_in(value)


def _trial(trace: AgentTrace) -> ImportedTrial:
    asked = trace.turns[0].user if trace.turns else ""
    scores = {each.name: score_of(each) for each in trace.scores if each.name}
    replies = tuple(
        Reply(
            turn=number,
            prompt=turn.user,
            text=turn.answer,
            tool_calls=tuple(_call(call, number, step) for step, call in enumerate(turn.calls)),
        )
        for number, turn in enumerate(trace.turns, start=1)
        if turn.answer or turn.calls
    )
    return ImportedTrial(
        case=asked[:_LONGEST_NAME] or trace.id,
        turns=tuple(turn.user for turn in trace.turns),
        outcome="agent_error" if trace.error else "replied",
        error=trace.error,
        started_at=moment(trace.start_ns),
        duration_ms=trace.duration_ms,
        agent_ms=trace.duration_ms,
        replies=replies,
        scores=tuple(scores.values()),
        deciding=frozenset(scores) or frozenset({VERDICT}),
    )


def _call(call: TracedCall, turn: int, step: int) -> ToolCall:
    failed = call.error is not None
    return ToolCall(
        name=call.name,
        args=call.arguments,
        id=call.id,
        turn=turn,
        step=step,
        status="error" if failed else "ok" if call.has_result else "unknown",
        result=call.error if failed else call.result,
    )
