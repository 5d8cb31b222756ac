"""OpenTelemetry traces as OTLP JSON: a trace a trial, in the names of the GenAI conventions."""

import hashlib
from collections.abc import Iterator
from datetime import datetime

from pydantic_core import to_json

from harness.model import Json, JsonObject, Reply, RunResult, ToolCall
from harness.reports.reported_trials import OWN, ReportedTrial, moment, own_run, reported_trials
from harness.reports.texts import inert, inert_value
from mockserver.model import JournalEntry
from mockserver.traces import finite

_INTERNAL, _CLIENT = 1, 3
_OK, _ERROR = 1, 2
_RESULTS = {"pass": "pass", "fail": "fail", "agent_error": "fail"}


def otel_report(result: RunResult) -> str:
    """The run as `resourceSpans`, one line of JSON, as collectors and their file exporters take it.

    The run is a span of its own, which the trials link to. A trial (`invoke_agent`) holds its turns
    (`chat`), their tool calls (`execute_tool`) and what the mock server was asked; its checks are
    events (`gen_ai.evaluation.result`). Nobody measures a single tool call: its span begins and
    ends with its turn's beginning.
    """
    manifest = result.manifest
    run_trace, run_span = _id(32, manifest.run), _id(16, manifest.run)
    link = {"traceId": run_trace, "spanId": run_span}
    spans = [
        span for trial in reported_trials(result) for span in _trial_spans(result, trial, link)
    ]
    starts = [int(span["startTimeUnixNano"]) for span in spans]
    ends = [int(span["endTimeUnixNano"]) for span in spans]
    begun = moment(manifest.started_at)
    start = _nanoseconds(begun) if begun else min(starts, default=0)
    run = {
        "traceId": run_trace,
        "spanId": run_span,
        "name": f"run {inert(manifest.suite)}",
        "kind": _INTERNAL,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(max([start, *ends])),
        "attributes": _attributes(
            {
                "test.suite.name": inert(manifest.suite),
                "test.suite.run.status": "aborted" if result.interrupted else "success",
                OWN: to_json(own_run(result)).decode(),
            }
        ),
        "status": {},
    }
    held = {
        "resourceSpans": [
            {
                "resource": {
                    "attributes": _attributes(
                        {
                            "service.name": inert(manifest.agent),
                            "telemetry.sdk.name": OWN,
                        }
                    )
                },
                "scopeSpans": [{"scope": {"name": OWN}, "spans": [run, *spans]}],
            }
        ]
    }
    return to_json(held, inf_nan_mode="null").decode() + "\n"


def _trial_spans(result: RunResult, trial: ReportedTrial, link: JsonObject) -> Iterator[JsonObject]:
    decision, record = trial.decision, trial.record
    name = f"{result.manifest.run}/{trial.case.id}/{decision.number}"
    trace, root = _id(32, name), _id(16, name)
    begun = moment(record.started_at) if record else None
    start = _nanoseconds(begun) if begun else 0
    end = start + _lasting(trial.duration_ms)
    agent = inert(result.manifest.agent)
    sides = trial.tokens()
    replies = record.replies if record else ()
    yield {
        "traceId": trace,
        "spanId": root,
        "name": f"invoke_agent {agent}",
        "kind": _INTERNAL,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(end),
        "links": [link],
        "attributes": _attributes(
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": agent,
                "gen_ai.conversation.id": name,
                "gen_ai.input.messages": _messages("user", trial.prompts),
                "gen_ai.output.messages": _messages(
                    "assistant", [inert(each.text) for each in replies]
                )
                if replies
                else None,
                "gen_ai.usage.input_tokens": sides[0],
                "gen_ai.usage.output_tokens": sides[1],
                "test.suite.name": inert(result.manifest.suite),
                "test.case.name": trial.case.id,
                "test.case.result.status": _RESULTS.get(decision.status),
                OWN: to_json(trial.own).decode(),
            }
        ),
        "events": [
            {
                "name": "gen_ai.evaluation.result",
                "timeUnixNano": str(end),
                "attributes": _attributes(
                    {
                        "gen_ai.evaluation.name": check_name,
                        "gen_ai.evaluation.score.label": check.status,
                        "gen_ai.evaluation.score.value": None
                        if check.status == "not_evaluated"
                        else float(check.is_met),
                        "gen_ai.evaluation.explanation": inert(check.reason) or None,
                    }
                ),
            }
            for check_name, check in trial.checks()
        ],
        "status": {}
        if decision.status in {"pass", "not_evaluated", "skipped"}
        else {"code": _ERROR, "message": inert(decision.reason)},
    }
    at = start
    for reply in replies:
        until = at + _lasting(reply.duration_ms)
        turn = _child(trace, root, f"{name}/turn {reply.turn}", "chat", at, until)
        yield turn | {"attributes": _attributes(_turn(reply))}
        for number, call in enumerate(reply.tool_calls, 1):
            yield _tool_span(trace, turn, f"{name}/{reply.turn}/{number}", call)
        at = until
    for entry in record.journal.entries if record else ():
        yield _request_span(trace, root, f"{name}/request {entry.seq}", start, entry)


def _child(
    trace: str, parent: str, key: str, name: str, start: int, end: int, kind: int = _INTERNAL
) -> JsonObject:
    return {
        "traceId": trace,
        "spanId": _id(16, key),
        "parentSpanId": parent,
        "name": name,
        "kind": kind,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(end),
        "status": {},
    }


def _turn(reply: Reply) -> JsonObject:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": _messages("user", [inert(reply.prompt)]),
        "gen_ai.output.messages": _messages("assistant", [inert(reply.text)]),
        "gen_ai.usage.input_tokens": reply.usage.input_tokens,
        "gen_ai.usage.output_tokens": reply.usage.output_tokens,
    }


def _tool_span(trace: str, turn: JsonObject, key: str, call: ToolCall) -> JsonObject:
    name, start = inert(call.name), int(turn["startTimeUnixNano"])
    args = call.args if isinstance(call.args, str) else to_json(inert_value(call.args)).decode()
    result = call.result
    told = result if isinstance(result, str) else to_json(result).decode()
    return _child(trace, turn["spanId"], key, f"execute_tool {name}", start, start) | {
        "attributes": _attributes(
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": name,
                "gen_ai.tool.call.id": inert(call.id) or None,
                "gen_ai.tool.call.arguments": inert(args),
                "gen_ai.tool.call.result": None if result is None else inert(told),
            }
        ),
        "status": {"code": _ERROR}
        if call.status == "error"
        else {"code": _OK}
        if call.status == "ok"
        else {},
    }


def _request_span(trace: str, parent: str, key: str, start: int, entry: JournalEntry) -> JsonObject:
    at = moment(entry.at)
    begun = max(start, _nanoseconds(at)) if at else start
    until = begun + _lasting(entry.duration_ms)
    name = f"{entry.http_method} {inert(entry.method_id or entry.path)}"
    return _child(trace, parent, key, name, begun, until, _CLIENT) | {
        "attributes": _attributes(
            {
                "http.request.method": entry.http_method,
                "server.address": inert(entry.host) or None,
                "url.path": inert(entry.path),
                "http.response.status_code": entry.status,
                f"{OWN}.source": entry.source,
            }
        ),
        "status": {"code": _ERROR} if entry.status >= 400 else {},
    }


def _messages(role: str, texts: list[str]) -> str:
    return to_json(
        [{"role": role, "parts": [{"type": "text", "content": text}]} for text in texts]
    ).decode()


def _attributes(values: JsonObject) -> list[JsonObject]:
    """Attributes as OTLP has them; those without a value are left out."""
    return [
        {"key": key, "value": _value(value)} for key, value in values.items() if value is not None
    ]


def _value(value: Json) -> JsonObject:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": str(value)}


def _id(length: int, text: str) -> str:
    return hashlib.sha256(f"{length}/{text}".encode("utf-8", "surrogatepass")).hexdigest()[:length]


def _nanoseconds(at: datetime) -> int:
    return round(at.timestamp() * 1_000_000) * 1000


def _lasting(milliseconds: float) -> int:
    """Nanoseconds; none where a spoilt record has no number."""
    return round(finite(milliseconds * 1_000_000) or 0)
