"""One story in every format of traces: an order is read and refunded, and the user is told."""

import json
from typing import Any

ASKED = "Please refund order A-1001."
ANSWER = "Refund R-778 over 4250 cents is done."
SYSTEM = "You help customers of a shop."
GIVEN = {"order": "A-1001"}
ORDER = {"order": "A-1001", "cents": 4250}
REFUND = {"order": "A-1001", "cents": 4250}
DONE = {"refund": "R-778", "state": "done"}
SCHEMA = {"type": "object", "properties": {"order": {"type": "string"}}}
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": SCHEMA}}
    for name in ("get_order", "refund", "delete_order")
]
CALLS = (("c1", "get_order", GIVEN, ORDER), ("c2", "refund", REFUND, DONE))


def openai_messages() -> list[dict[str, Any]]:
    """The conversation as chat completions have it, with the answer."""
    found: list[dict[str, Any]] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": ASKED},
    ]
    for id, name, arguments, result in CALLS:
        call = {"name": name, "arguments": json.dumps(arguments)}
        called = [{"id": id, "type": "function", "function": call}]
        found.append({"role": "assistant", "content": None, "tool_calls": called})
        found.append({"role": "tool", "tool_call_id": id, "content": json.dumps(result)})
    return [*found, {"role": "assistant", "content": ANSWER}]


def responses_items() -> list[dict[str, Any]]:
    """The same as the responses API has it."""
    found: list[dict[str, Any]] = [{"role": "user", "content": ASKED}]
    for id, name, arguments, result in CALLS:
        call = {"call_id": id, "name": name, "arguments": json.dumps(arguments)}
        found.append({"type": "function_call", **call})
        found.append({"type": "function_call_output", "call_id": id, "output": json.dumps(result)})
    return found


def parts_messages() -> list[dict[str, Any]]:
    """The same in the parts of OpenTelemetry's conventions."""
    found: list[dict[str, Any]] = [
        {"role": "system", "parts": [{"type": "text", "content": SYSTEM}]},
        {"role": "user", "parts": [{"type": "text", "content": ASKED}]},
    ]
    for id, name, arguments, result in CALLS:
        call = {"type": "tool_call", "id": id, "name": name, "arguments": arguments}
        found.append({"role": "assistant", "parts": [call]})
        answer = {"type": "tool_call_response", "id": id, "result": result}
        found.append({"role": "user", "parts": [answer]})
    return found


def otlp(trace: str = "aa01", **more: Any) -> dict[str, Any]:
    """An export request: the agent, its last call of a model, and its tools.

    Args:
        trace: The trace's id.
        more: Texts to put in the place of others, for traces that differ.
    """
    model = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.input.messages": json.dumps(parts_messages()),
        "gen_ai.output.messages": json.dumps(
            [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
        ),
        "gen_ai.tool.definitions": json.dumps(TOOLS),
    }
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "shop"}
    spans = [_otlp_span(trace, "01", "", "invoke_agent shop", 0, agent)]
    spans += [
        _otlp_span(trace, f"1{number}", "01", f"execute_tool {name}", number + 1, {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": id,
            "gen_ai.tool.call.arguments": json.dumps(arguments),
            "gen_ai.tool.call.result": json.dumps(result),
        })
        for number, (id, name, arguments, result) in enumerate(CALLS)
    ]  # fmt: skip
    spans.append(_otlp_span(trace, "20", "01", "chat gpt-5", 4, model))
    request = {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "shop"}, "spans": spans}]}]}
    text = json.dumps(request)
    for old, new in more.items():
        text = text.replace(old.replace("_", "-"), str(new))
    return dict(json.loads(text))


def _otlp_span(
    trace: str, id: str, parent: str, name: str, second: int, attributes: dict[str, str]
) -> dict[str, Any]:
    start = 1_760_000_000 + second
    return {
        "traceId": trace,
        "spanId": id,
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": f"{start}000000000",
        "endTimeUnixNano": f"{start + 1}000000000",
        "attributes": [
            {"key": key, "value": {"stringValue": value}} for key, value in attributes.items()
        ],
    }


def _at(second: int) -> str:
    return f"2026-03-01T10:00:{second:02}Z"


def langfuse() -> dict[str, Any]:
    """A trace with its observations."""
    messages = openai_messages()
    tools = [
        {"id": f"o{id}", "traceId": "t", "parentObservationId": "o1", "type": "TOOL", "name": name,
         "input": arguments, "output": result, "startTime": _at(number + 2), "endTime": _at(9)}
        for number, (id, name, arguments, result) in enumerate(CALLS)
    ]  # fmt: skip
    model = {"id": "o9", "traceId": "t", "type": "GENERATION", "name": "chat", "model": "gpt-5",
             "input": json.dumps({"messages": messages[:-1], "tools": TOOLS}),
             "output": messages[-1], "startTime": _at(8)}  # fmt: skip
    root = {"id": "o1", "traceId": "t", "type": "SPAN", "name": "shop", "startTime": _at(1)}
    scores = [{"name": "user-feedback", "value": 0, "comment": "twice"}]
    return {"id": "t", "name": "shop", "scores": scores, "observations": [root, *tools, model]}


def phoenix() -> list[dict[str, Any]]:
    """Spans with OpenInference's attributes."""
    attributes: dict[str, Any] = {"llm.model_name": "gpt-5"}
    for number, message in enumerate(openai_messages()):
        is_answer = message["content"] == ANSWER
        start = f"llm.{'output' if is_answer else 'input'}_messages.{0 if is_answer else number}"
        for key, value in message.items():
            if key == "tool_calls":
                call = value[0]
                flat = f"{start}.message.tool_calls.0.tool_call"
                attributes[f"{flat}.id"] = call["id"]
                attributes[f"{flat}.function.name"] = call["function"]["name"]
                attributes[f"{flat}.function.arguments"] = call["function"]["arguments"]
            else:
                attributes[f"{start}.message.{key}"] = value

    def span(id: str, parent: str | None, kind: str, name: str, **more: Any) -> dict[str, Any]:
        context = {"trace_id": "t", "span_id": id}
        return {"name": name, "context": context, "parent_id": parent, "span_kind": kind,
                "start_time": _at(int(id)), "status_code": "OK", "attributes": more}  # fmt: skip

    tools = [
        span(str(number + 2), "1", "TOOL", name,
             **{"input.value": json.dumps(arguments), "output.value": json.dumps(result)})
        for number, (_, name, arguments, result) in enumerate(CALLS)
    ]  # fmt: skip
    root = span("1", None, "AGENT", "shop", **{"input.value": ASKED, "output.value": ANSWER})
    return [root, *tools, span("7", "1", "LLM", "chat", **attributes)]


def langsmith() -> list[dict[str, Any]]:
    """Runs of LangChain, with its own messages."""
    messages = openai_messages()
    asked = {"messages": [[_langchain(each) for each in messages[:-1]]]}
    answer = {"generations": [[{"text": ANSWER, "message": _langchain(messages[-1])}]]}

    def run(id: str, kind: str, name: str, inputs: Any, outputs: Any) -> dict[str, Any]:
        parent = "1" if id != "1" else None
        return {"id": id, "trace_id": "1", "parent_run_id": parent, "run_type": kind, "name": name,
                "inputs": inputs, "outputs": outputs, "start_time": _at(int(id)),
                "extra": {"invocation_params": {"tools": TOOLS}}}  # fmt: skip

    tools = [
        run(str(number + 2), "tool", name, {"input": json.dumps(arguments)}, {"output": result})
        for number, (_, name, arguments, result) in enumerate(CALLS)
    ]
    return [run("1", "chain", "shop", {"input": ASKED}, {"output": ANSWER}), *tools,
            run("8", "llm", "ChatOpenAI", asked, answer)]  # fmt: skip


def _langchain(message: dict[str, Any]) -> dict[str, Any]:
    kinds = {"system": "SystemMessage", "user": "HumanMessage", "assistant": "AIMessage",
             "tool": "ToolMessage"}  # fmt: skip
    kwargs = {"content": message["content"] or ""}
    if "tool_calls" in message:
        call = message["tool_calls"][0]
        kwargs["tool_calls"] = [{"id": call["id"], "name": call["function"]["name"],
                                 "args": json.loads(call["function"]["arguments"])}]  # fmt: skip
    if "tool_call_id" in message:
        kwargs["tool_call_id"] = message["tool_call_id"]
    id = ["langchain", "schema", "messages", kinds[message["role"]]]
    return {"lc": 1, "type": "constructor", "id": id, "kwargs": kwargs}


def logfire() -> list[dict[str, Any]]:
    """Rows of records, as pydantic-ai's instrumentation fills them."""

    def row(id: str, name: str, attributes: dict[str, Any]) -> dict[str, Any]:
        return {"trace_id": "t", "span_id": id, "parent_span_id": "1" if id != "1" else None,
                "span_name": name, "start_timestamp": _at(int(id)), "end_timestamp": _at(9),
                "otel_scope_name": "pydantic-ai", "attributes": attributes}  # fmt: skip

    answer = {"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}
    messages = [*parts_messages(), answer]
    tools = [
        row(str(number + 2), "running tool", {
            "gen_ai.tool.name": name, "gen_ai.tool.call.id": id,
            "tool_arguments": json.dumps(arguments), "tool_response": json.dumps(result)})
        for number, (id, name, arguments, result) in enumerate(CALLS)
    ]  # fmt: skip
    return [
        row("1", "agent run", {"agent_name": "shop", "gen_ai.operation.name": "invoke_agent",
                               "pydantic_ai.all_messages": messages}),
        *tools,
        row("7", "chat gpt-5", {"gen_ai.operation.name": "chat",
                                "gen_ai.input.messages": messages[:-1],
                                "gen_ai.output.messages": messages[-1:],
                                "gen_ai.tool.definitions": TOOLS}),
    ]  # fmt: skip


def braintrust() -> list[dict[str, Any]]:
    """Spans of a log."""
    messages = openai_messages()

    def span(id: str, kind: str, name: str, asked: Any, given: Any) -> dict[str, Any]:
        return {"id": id, "span_id": id, "root_span_id": "1",
                "span_parents": ["1"] if id != "1" else None, "input": asked, "output": given,
                "span_attributes": {"type": kind, "name": name}, "metadata": {"tools": TOOLS},
                "metrics": {"start": 1_760_000_000 + int(id)}}  # fmt: skip

    tools = [
        span(str(number + 2), "tool", name, arguments, result)
        for number, (_, name, arguments, result) in enumerate(CALLS)
    ]
    return [span("1", "task", "shop", ASKED, ANSWER), *tools,
            span("8", "llm", "chat", messages[:-1], [{"message": messages[-1]}])]  # fmt: skip


def weave() -> list[dict[str, Any]]:
    """Calls of operations."""
    messages = openai_messages()

    def call(id: str, name: str, inputs: Any, output: Any, kind: str = "") -> dict[str, Any]:
        return {"id": id, "trace_id": "t", "parent_id": "1" if id != "1" else None,
                "op_name": f"weave:///shop/desk/op/{name}:abc", "inputs": inputs,
                "output": output, "started_at": _at(int(id)),
                "attributes": {"kind": kind}}  # fmt: skip

    tools = [
        call(str(number + 2), name, arguments, result, "tool")
        for number, (_, name, arguments, result) in enumerate(CALLS)
    ]
    answer = {"choices": [{"message": messages[-1]}]}
    return [call("1", "answer", {"question": ASKED}, ANSWER, "agent"), *tools,
            call("8", "openai.chat.completions.create",
                 {"messages": messages[:-1], "tools": TOOLS}, answer)]  # fmt: skip


def mastra() -> dict[str, Any]:
    """A trace of spans."""

    def span(id: str, kind: str, name: str, asked: Any, given: Any) -> dict[str, Any]:
        return {"traceId": "t", "spanId": id, "parentSpanId": "1" if id != "1" else None,
                "spanType": kind, "name": name, "input": asked, "output": given,
                "startedAt": _at(int(id))}  # fmt: skip

    tools = [
        span(str(number + 2), "tool_call", f"tool: '{name}'", arguments, result)
        for number, (_, name, arguments, result) in enumerate(CALLS)
    ]
    model = span("8", "model_generation", "llm: 'gpt-5'", {"messages": openai_messages()[:-1]},
                 {"text": ANSWER})  # fmt: skip
    root = span("1", "agent_run", "agent run: 'shop'", ASKED, {"text": ANSWER})
    return {"traceId": "t", "spans": [root, *tools, model]}


def openai_agents() -> dict[str, Any]:
    """A batch of a processor."""

    def span(id: str, data: dict[str, Any]) -> dict[str, Any]:
        return {"object": "trace.span", "id": id, "trace_id": "t", "span_data": data,
                "parent_id": "1" if id != "1" else None, "started_at": _at(int(id))}  # fmt: skip

    tools = [
        span(str(number + 2), {"type": "function", "name": name, "input": json.dumps(arguments),
                               "output": json.dumps(result)})
        for number, (_, name, arguments, result) in enumerate(CALLS)
    ]  # fmt: skip
    output = [{"type": "message", "role": "assistant",
               "content": [{"type": "output_text", "text": ANSWER}]}]  # fmt: skip
    told = {"instructions": SYSTEM, "tools": TOOLS, "output": output}
    model = span("8", {"type": "response", "input": responses_items(), "response": told})
    trace = {"object": "trace", "id": "t", "workflow_name": "shop"}
    return {"data": [trace, span("1", {"type": "agent", "name": "shop"}), *tools, model]}


def adk() -> dict[str, Any]:
    """A session."""
    events = [_event("user", [{"text": ASKED}])]
    for id, name, arguments, result in CALLS:
        events.append(_event("shop", [{"functionCall": {"id": id, "name": name,
                                                        "args": arguments}}]))  # fmt: skip
        answer = {"id": id, "name": name, "response": result}
        events.append(_event("shop", [{"functionResponse": answer}]))
    events.append(_event("shop", [{"text": ANSWER}]))
    return {"id": "s", "appName": "shop", "userId": "u", "events": events}


def _event(author: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    role = "user" if author == "user" or "functionResponse" in parts[0] else "model"
    return {"author": author, "invocationId": "i", "content": {"role": role, "parts": parts}}


def claude() -> list[dict[str, Any]]:
    """Lines of a transcript."""
    messages: list[tuple[str, Any]] = [("user", ASKED)]
    for id, name, arguments, result in CALLS:
        use = {"type": "tool_use", "id": id, "name": name, "input": arguments}
        messages.append(("assistant", [{"type": "text", "text": "Let me see."}, use]))
        given = {"type": "tool_result", "tool_use_id": id, "content": json.dumps(result)}
        messages.append(("user", [given]))
    messages.append(("assistant", [{"type": "text", "text": ANSWER}]))
    lines = [
        {"type": role, "sessionId": "s", "uuid": f"u{number}", "timestamp": _at(number),
         "message": {"role": role, "content": content}}
        for number, (role, content) in enumerate(messages)
    ]  # fmt: skip
    return [{"type": "summary", "summary": "A refund", "leafUuid": "u5"}, *lines]


def litellm() -> dict[str, Any]:
    """The payload of a callback."""
    messages = openai_messages()
    response = {"choices": [{"message": messages[-1]}]}
    return {"id": "x", "call_type": "acompletion", "model": "gpt-5", "messages": messages[:-1],
            "response": response, "model_parameters": {"tools": TOOLS},
            "startTime": 1_760_000_000.5}  # fmt: skip


def chat() -> dict[str, Any]:
    """Messages alone."""
    return {"messages": openai_messages(), "tools": TOOLS}


FORMATS: dict[str, Any] = {
    "otlp": otlp(), "langfuse": langfuse(), "phoenix": phoenix(), "langsmith": langsmith(),
    "logfire": logfire(), "braintrust": braintrust(), "weave": weave(), "mastra": mastra(),
    "openai-agents": openai_agents(), "adk": adk(), "claude": claude(), "litellm": litellm(),
    "chat": chat(),
}  # fmt: skip
"""Name of a format to the story in it: one record, or a list of them."""
