"""Spans of three conventions are read alike, and what is no OTLP is refused."""

import json
from typing import Any

import pytest

from mockserver.traces import Span, SpanError, read_spans


def value(held: Any) -> dict[str, Any]:
    if isinstance(held, bool):
        return {"boolValue": held}
    if isinstance(held, int):
        return {"intValue": str(held)}
    if isinstance(held, list):
        return {"arrayValue": {"values": [value(each) for each in held]}}
    if isinstance(held, dict):
        pairs = [{"key": key, "value": value(each)} for key, each in held.items()]
        return {"kvlistValue": {"values": pairs}}
    return {"stringValue": held}


def request(**attributes: Any) -> dict[str, Any]:
    span = {
        "traceId": "AB",
        "spanId": "01",
        "name": "s",
        "startTimeUnixNano": "1000000",
        "endTimeUnixNano": "3000000",
        "attributes": [{"key": key, "value": value(each)} for key, each in attributes.items()],
        "status": {"code": "STATUS_CODE_ERROR", "message": "boom"},
    }
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": [span]}]}]}


def one(**attributes: Any) -> Span:
    (span,) = read_spans(request(**attributes))
    return span


@pytest.mark.parametrize(
    ("code", "is_error"),
    [(2, True), ("2", True), ("STATUS_CODE_ERROR", True), (0, False), ([2], False), (None, False)],
    ids=["number", "digits", "name", "unset", "list", "nothing"],
)
def test_the_status_of_a_span_is_that_of_an_error_or_not(code: Any, *, is_error: bool) -> None:
    asked = request()
    asked["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["status"]["code"] = code
    (span,) = read_spans(asked)
    assert span.is_error is is_error


MESSAGES = json.dumps([
    {"role": "system", "parts": [{"type": "text", "content": "Be brief."}]},
    {"role": "user", "parts": [{"type": "text", "content": "Why?"}, {"type": "blob"}]},
])  # fmt: skip
ANSWER = '[{"role": "assistant", "parts": [{"type": "text", "content": "So."}]}]'
VERCEL = json.dumps({"messages": [{"role": "user", "content": [{"type": "text", "text": "Why?"}]}]})
INFERENCE = json.dumps({"messages": [{"role": "user", "content": "Why?"}]})


@pytest.mark.parametrize(
    "attributes",
    [
        {
            "gen_ai.operation.name": "chat", "gen_ai.input.messages": MESSAGES,
            "gen_ai.output.messages": ANSWER,
            "gen_ai.usage.input_tokens": 3, "gen_ai.usage.output_tokens": 2,
            "gen_ai.request.model": "m",
        },
        {
            "openinference.span.kind": "LLM", "input.value": INFERENCE, "output.value": "So.",
            "llm.token_count.prompt": 3, "llm.token_count.completion": 2, "llm.model_name": "m",
        },
        {
            "ai.operationId": "ai.generateText.doGenerate", "ai.prompt": VERCEL,
            "ai.response.text": "So.", "ai.usage.promptTokens": 3, "ai.usage.completionTokens": 2,
            "ai.model.id": "m",
        },
    ],
    ids=["GenAI", "OpenInference", "Vercel"],
)  # fmt: skip
def test_a_model_call_is_read_by_any_convention(attributes: dict[str, Any]) -> None:
    span = one(**attributes)
    assert (span.kind, span.model, span.prompts(), span.answers()) == (
        "model", "m", ["Why?"], ["So."],
    )  # fmt: skip
    assert (span.input_tokens, span.output_tokens) == (3, 2)
    assert (span.trace, span.is_error, span.message, span.duration_ms) == ("ab", True, "boom", 2)


@pytest.mark.parametrize(
    "attributes",
    [
        {
            "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look",
            "gen_ai.tool.call.arguments": '{"q": 1}', "gen_ai.tool.call.result": "[2]",
        },
        {
            "openinference.span.kind": "TOOL", "tool.name": "look", "input.value": '{"q": 1}',
            "output.value": "[2]",
        },
        {
            "operation.name": "ai.toolCall my-agent", "ai.toolCall.name": "look",
            "ai.toolCall.args": '{"q": 1}', "ai.toolCall.result": "[2]",
        },
        {
            "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look",
            "gen_ai.tool.call.arguments": {"q": 1}, "gen_ai.tool.call.result": [2],
        },
    ],
    ids=["GenAI", "OpenInference", "Vercel", "structured"],
)  # fmt: skip
def test_a_tool_call_is_read_by_any_convention(attributes: dict[str, Any]) -> None:
    span = one(**attributes)
    assert (span.kind, span.tool_name, span.tool_arguments, span.tool_result) == (
        "tool", "look", {"q": 1}, [2],
    )  # fmt: skip
    assert (span.prompts(), span.answers()) == ([], [])
    for name in ("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id"):
        assert one(**attributes, **{name: "c1"}).tool_call_id == "c1"
    assert span.tool_call_id == ""


def test_what_is_no_json_stays_a_text() -> None:
    span = one(**{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.arguments": "{q: 1"})
    assert (span.tool_arguments, span.tool_name, span.tool_result) == ("{q: 1", "s", None)
    assert one().kind == "other"
    assert one(**{"ai.operationId": "ai.generateText"}).kind == "agent"


@pytest.mark.parametrize(
    ("spoilt", "words"),
    [
        ([], "'resourceSpans' is no list"),
        ({"resourceSpans": {}}, "'resourceSpans' is no list"),
        ({"resourceSpans": [{"resource": 1}]}, "a resource is no object"),
        ({"resourceSpans": [{"scopeSpans": [{"spans": [{}]}]}]}, "no traceId"),
        ({"resourceSpans": [{"scopeSpans": [{"spans": [
            {"traceId": "a", "spanId": "b", "startTimeUnixNano": "soon"}]}]}]}, "no time"),
        ({"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "a", "spanId": "b",
            "attributes": [{"key": "k", "value": {"intValue": "x"}}]}]}]}]}, "no intValue"),
    ],
)  # fmt: skip
def test_what_is_no_otlp_is_refused(spoilt: Any, words: str) -> None:
    with pytest.raises(SpanError, match=words):
        list(read_spans(spoilt))


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ({"traceloop.span.kind": "tool"}, "tool"),
        ({"traceloop.span.kind": "workflow"}, "agent"),
        ({"langsmith.span.kind": "llm"}, "model"),
        ({"openinference.span.kind": "RERANKER"}, "other"),
        ({"gen_ai.tool.name": "look"}, "tool"),
        ({"gen_ai.request.model": "m"}, "model"),
        ({"llm.request.type": "chat"}, "model"),
        ({"gen_ai.operation.name": "embeddings"}, "other"),
    ],
)
def test_older_conventions_are_read_too(attributes: dict[str, Any], kind: str) -> None:
    assert one(**attributes).kind == kind


@pytest.mark.parametrize(
    ("attributes", "arguments"),
    [
        ({"input.value": "{'q': 1, 'all': [True, None]}"}, {"q": 1, "all": [True, None]}),
        ({"input.value": "look", "tool.parameters": '{"q": 1}'}, {"q": 1}),
        ({"input.value": "{q"}, "{q"),
        ({"input.value": "{1: 2}"}, "{1: 2}"),
        ({"input.value": "{'a': {1}}"}, "{'a': {1}}"),
        ({"input.value": "{" * 30_000}, "{" * 30_000),
        ({"traceloop.entity.input": '{"inputs": {"q": 1}, "tags": []}'}, {"q": 1}),
        ({"gcp.vertex.agent.tool_call_args": '{"q": 1}'}, {"q": 1}),
        ({}, ""),
    ],
    ids=range(9),
)
def test_arguments_are_read_as_frameworks_write_them(
    attributes: dict[str, Any], arguments: Any
) -> None:
    assert one(**attributes).tool_arguments == arguments


@pytest.mark.parametrize(
    ("written", "result"),
    [
        ('{"result": "cancelled"}', "cancelled"),
        ('{"result": [1]}', [1]),
        ('{"result": {"id": 1}}', {"result": {"id": 1}}),
        ('{"result": 1, "more": 2}', {"result": 1, "more": 2}),
        ('{"status": "open"}', {"status": "open"}),
    ],
)
def test_results_that_adk_puts_into_an_object_are_read_bare(written: str, result: Any) -> None:
    assert one(**{"gcp.vertex.agent.tool_response": written}).tool_result == result
    assert one(**{"gen_ai.tool.call.result": '{"result": 1}'}).tool_result == {"result": 1}


@pytest.mark.parametrize(("cost", "known"), [(0.5, 0.5), (3, 3.0), (-1, None), (True, None),
                                             ("much", None)])  # fmt: skip
def test_a_cost_is_a_number(cost: Any, known: float | None) -> None:
    span = Span("t", "1", "", "s", attributes={"gen_ai.usage.cost": cost, "gen_ai.system": "acme"})
    assert (span.cost_usd, span.provider, span.session) == (known, "acme", "")
    assert Span.from_json(span.as_json()) == span
