"""Traces of agents as OTLP JSON, as collectors write them to files: a trace is a trial."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic_core import from_json

from harness.checks.scores import VERDICT
from harness.foreign.results import (
    OWN,
    ImportedResults,
    ImportedTrial,
    ReadOptions,
    chosen_agent,
    object_of,
    own_facts,
    own_run,
    text_of,
)
from harness.foreign.source import SourceFile
from harness.model import Json, JsonObject, Reply, Score, Usage
from harness.trials.tracing import tool_call_of
from mockserver.traces import Span, SpanError, distinct_spans, read_spans
from mockserver.traces.agent_traces import TracedScore, scores_of
from mockserver.traces.spans import moment

_CASE = ("test.case.name", "understudy.case")
_PASS = {"pass": True, "fail": False}


def recognises(source: SourceFile) -> bool:
    """Whether a file holds export requests: one, or one in each line."""
    return source.looks_like_json and b'"resourceSpans"' in source.content


def read(source: SourceFile, options: ReadOptions) -> ImportedResults:
    """Read the traces in which an agent, a model or a tool is seen.

    Raises:
        HarnessError: It is no OTLP, or has no such trace.
    """
    run, traces = {}, defaultdict[str, dict[str, Span]](dict)
    try:
        for request in _requests(source):
            for span in read_spans(request):
                traces[span.trace][span.id] = span
    except SpanError as error:
        raise source.error(f"is no OTLP: {error}") from None
    trials = []
    for spans in traces.values():
        ordered = sorted(spans.values(), key=lambda span: span.start_ns)
        root = next((span for span in ordered if span.parent not in spans), ordered[0])
        if root.first("test.suite.run.status") is not None and root.first(*_CASE) is None:
            run = own_run({OWN: _own(root)})
        elif any(span.kind != "other" for span in ordered):
            trials.append((_agent(root, ordered), _trial(root, ordered)))
    if not trials:
        raise source.error("has no trace of an agent, a model or a tool in it")
    agent = chosen_agent(source, [each for each, _ in trials], options.agent)
    found = [trial for each, trial in trials if not agent or each == agent]
    return ImportedResults(
        **{
            "suite": source.path.stem,
            "agent": agent,
            "started_at": min((each.started_at for each in found if each.started_at), default=""),
            "trials": found,
            **run,
        }
    )


def _requests(source: SourceFile) -> Iterator[Json]:
    lines = [line for line in source.content.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].rstrip().endswith(b"}"):
        for number, line in enumerate(lines, 1):
            yield source.parse_json(line, f"line {number}")
    else:
        yield source.json


def _own(root: Span) -> JsonObject:
    told = root.first(OWN)
    try:
        return object_of(from_json(told)) if isinstance(told, str) else {}
    except ValueError:
        return {}


def _agent(root: Span, spans: Sequence[Span]) -> str:
    named = (span.first("gen_ai.agent.name") for span in (root, *spans))
    return next((str(each) for each in named if each), str(root.resource.get("service.name") or ""))


def _trial(root: Span, spans: Sequence[Span]) -> ImportedTrial:
    prompts = next((found for span in (root, *spans) if (found := span.prompts())), [])
    name = root.first(*_CASE)
    scores = tuple(_scores(root, spans))
    failed = root.is_error
    facts: dict[str, Any] = {
        "case": text_of(name) or (prompts[0][:200] if prompts else root.name or "trace"),
        "category": "" if name else root.name,
        "turns": tuple(prompts),
        "outcome": "agent_error" if failed else "replied",
        "error": (root.message or "error") if failed else "",
        "started_at": moment(root.start_ns),
        "duration_ms": root.duration_ms,
        "agent_ms": root.duration_ms,
        "replies": _replies(root, spans, prompts),
        "scores": scores,
        "deciding": frozenset(score.name for score in scores) or frozenset({VERDICT}),
    }
    return ImportedTrial(**facts | own_facts({OWN: _own(root)}, scores))


def _replies(root: Span, spans: Sequence[Span], prompts: Sequence[str]) -> tuple[Reply, ...]:
    """One reply for the whole trace: spans do not say where a turn ends."""
    models = [span for span in spans if span.kind == "model"]
    answers = root.answers() or next(
        (found for span in reversed(models) if (found := span.answers())), []
    )
    calls = tuple(
        tool_call_of(span).model_copy(update={"witness": "reply"})
        for span in distinct_spans(spans, "tool")
    )
    if not (answers or calls or models):
        return ()
    sides = [
        [used for span in models if (used := getattr(span, side)) is not None]
        for side in ("input_tokens", "output_tokens")
    ]
    whole = (root.input_tokens, root.output_tokens)
    return (
        Reply(
            turn=1,
            prompt="\n\n".join(prompts),
            text="\n\n".join(answers),
            tool_calls=calls,
            rounds=len(models) or None,
            usage=Usage(
                input_tokens=sum(sides[0]) if sides[0] else whole[0],
                output_tokens=sum(sides[1]) if sides[1] else whole[1],
            ),
            duration_ms=root.duration_ms,
        ),
    )


def _scores(root: Span, spans: Sequence[Span]) -> Iterator[Score]:
    """The result of a test, and what evaluations found.

    Yields:
        Each name once.
    """
    seen = {VERDICT}
    result = root.first("test.case.result.status")
    if isinstance(result, str) and result in _PASS:
        yield Score(name=VERDICT, passed=_PASS[result], reason=root.message)
    for told in scores_of(spans):
        if told.name and told.name not in seen:
            seen.add(told.name)
            yield score_of(told)


def score_of(told: TracedScore) -> Score:
    """A score that a trace tells; 1 and 0 are verdicts, as `pass` and `fail` are."""
    passed = _PASS.get(told.label.lower().removesuffix("ed"))
    if passed is None and told.value is not None:
        passed = {1.0: True, 0.0: False}.get(told.value)
    value = told.value if told.value is not None else told.label or None
    return Score(name=told.name, passed=passed, value=value, reason=told.reason)
