"""Agents of the OpenAI Agents SDK. MCP servers of theirs that nobody connected are connected.

What the SDK would send to OpenAI's dashboard of traces is not sent, unless the user says otherwise.
"""

import json
import os
from collections.abc import Iterable
from contextlib import AsyncExitStack
from typing import Any

PACKAGE = "openai-agents"
MODULES = ("agents", "agents.run")
WANTED = "agent of the OpenAI Agents SDK (Agent)"

_FAILURE = "An error occurred while running the tool"
"""What the SDK tells a model of a tool that raised something."""

os.environ.setdefault("OPENAI_AGENTS_DISABLE_TRACING", "1")


def recognises(value: Any) -> bool:
    """Whether a value is an agent."""
    from agents import Agent

    return isinstance(value, Agent)


def connect(agent: Any) -> Any:
    """The function that hands messages to an agent."""
    return _Conversation(agent)


class _Conversation:
    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self._items: list[Any] = []
        self._servers = AsyncExitStack()
        self._is_connected = False

    async def __call__(
        self, messages: list[dict[str, str]], _environment: dict[str, str]
    ) -> dict[str, Any]:
        from agents import Runner
        from agents.exceptions import AgentsException

        await self._connect_servers()
        asked = {"role": "user", "content": messages[-1]["content"]}
        try:
            result = await Runner.run(self._agent, [*self._items, asked])
        except AgentsException as error:
            if (data := error.run_data) is not None:
                partial = _reply(data.new_items, data.raw_responses)
                error.understudy_partial = partial
            raise
        self._items = result.to_input_list()
        self._agent = result.last_agent
        output = result.final_output
        reply = _reply(result.new_items, result.raw_responses)
        if output is None or isinstance(output, str):
            return reply | {"text": output or ""}
        value = output.model_dump(mode="json") if hasattr(output, "model_dump") else output
        text = json.dumps(value, ensure_ascii=False, default=str)
        return reply | {"text": text} | ({"metadata": value} if isinstance(value, dict) else {})

    async def aclose(self) -> None:
        """Close the servers that were connected here."""
        await self._servers.aclose()

    async def _connect_servers(self) -> None:
        if self._is_connected:
            return
        self._is_connected = True
        for server in _servers(self._agent):
            if getattr(server, "session", None) is None:
                await self._servers.enter_async_context(server)


def _servers(agent: Any) -> list[Any]:
    """The MCP servers of an agent and of all to whom it may hand over."""
    waiting = [agent]
    seen: list[Any] = []
    servers: list[Any] = []
    while waiting:
        current = waiting.pop()
        if any(current is each for each in seen):
            continue
        seen.append(current)
        servers += [
            each
            for each in getattr(current, "mcp_servers", None) or ()
            if not any(each is known for known in servers)
        ]
        waiting += [each for each in getattr(current, "handoffs", None) or () if recognises(each)]
    return servers


def _reply(items: Iterable[Any], responses: Iterable[Any]) -> dict[str, Any]:
    responses = list(responses)
    steps = {
        _of(output, "call_id"): step
        for step, response in enumerate(responses)
        for output in response.output
        if _of(output, "call_id")
    }
    calls: list[dict[str, Any]] = []
    for item in items:
        raw = item.raw_item
        key = str(_of(raw, "call_id") or _of(raw, "id") or "")
        if item.type in {"tool_call_item", "handoff_call_item"}:
            calls.append({
                "id": key,
                "name": _of(raw, "name") or str(_of(raw, "type") or "tool").removesuffix("_call"),
                "args": _of(raw, "arguments") or {},
                "step": steps.get(key, 0),
                "status": "unknown",
            })  # fmt: skip
        elif item.type in {"tool_call_output_item", "handoff_output_item"}:
            # a model may give two calls one id: results come in the order of the calls
            same = (each for each in calls if (each["id"], each["status"]) == (key, "unknown"))
            call = next(same, None)
            if call is None:
                continue
            output = getattr(item, "output", None)
            result = _content(_of(raw, "output") if output is None else output)
            failed = isinstance(result, str) and result.startswith(_FAILURE)
            call |= {"status": "error" if failed else "ok", "result": result}
    tokens = [response.usage for response in responses]
    return {
        "text": "",
        "toolCalls": calls,
        "rounds": len(responses),
        "usage": {
            "input_tokens": sum(each.input_tokens for each in tokens),
            "output_tokens": sum(each.output_tokens for each in tokens),
        },
    }


def _of(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _content(output: Any) -> Any:
    """The value of an output: of a text that is JSON, of a block of content with such a text."""
    if isinstance(output, dict) and output.get("type") in {"text", "input_text"}:
        return _content(output.get("text"))
    if isinstance(output, list) and len(output) == 1:
        return _content(output[0])
    if isinstance(output, str) and output.lstrip()[:1] in {"{", "["}:
        try:
            return json.loads(output)
        except ValueError:
            return output
    return output
