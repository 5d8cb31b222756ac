"""Graphs of LangGraph, compiled or not, and agents that LangChain makes of them.

A graph whose state has `messages` gets the conversation there; any other gets the prompt in the one
text of its input. Tool calls are seen by the callbacks of LangChain, in subgraphs, too.
"""

import json
from typing import Any
from uuid import UUID

PACKAGE = "langgraph"
MODULES = ("langgraph.graph",)
WANTED = "graph of LangGraph (StateGraph, or what its compile() returns)"

_THREAD = {"configurable": {"thread_id": "understudy"}}


def recognises(value: Any) -> bool:
    """Whether a value is a graph."""
    from langgraph.graph import StateGraph
    from langgraph.pregel.protocol import PregelProtocol

    return isinstance(value, (PregelProtocol, StateGraph))


def connect(agent: Any) -> Any:
    """The function that hands messages to a graph."""
    graph = agent.compile() if hasattr(agent, "compile") else agent
    return _Conversation(graph)


class _Conversation:
    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._remembers = bool(getattr(graph, "checkpointer", None))
        self._state: Any = None
        self._key = _input_key(graph)

    async def __call__(
        self, messages: list[dict[str, str]], _environment: dict[str, str]
    ) -> dict[str, Any]:
        watch = _watch()
        config = {**_THREAD, "callbacks": [watch]}
        try:
            self._state = await self._graph.ainvoke(self._input(messages[-1]), config)
        except Exception as error:
            error.understudy_partial = watch.reply("")  # type: ignore[attr-defined]
            raise
        reply: dict[str, Any] = watch.reply(_text(self._state))
        return reply | _metadata(self._state)

    def _input(self, message: dict[str, str]) -> dict[str, Any]:
        if self._key != "messages":
            return {self._key: message["content"]}
        before = [] if self._remembers or self._state is None else self._state["messages"]
        return {"messages": [*before, message]}


def _input_key(graph: Any) -> str:
    schema = graph.get_input_jsonschema()
    fields = schema.get("properties") or {}
    if "messages" in fields:
        return "messages"
    wanted = schema.get("required") or list(fields)
    texts = [name for name in wanted if fields.get(name, {}).get("type") == "string"]
    if len(texts) == 1:
        return str(texts[0])
    raise TypeError(
        f"its input has {', '.join(fields) or 'no fields'}: a prompt goes into 'messages', or into"
        " the one text that is required; write a python: agent that calls it"
    )


def _watch() -> Any:
    """A handler of callbacks; its base is only there with LangChain."""
    from langchain_core.callbacks import AsyncCallbackHandler

    return type("Watch", (_Watch, AsyncCallbackHandler), {})()


class _Watch:
    """Keeps what callbacks tell."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.runs: dict[UUID, dict[str, Any]] = {}
        self.rounds = 0
        self.tokens = {"input_tokens": 0, "output_tokens": 0}
        self.text = ""
        self.finish = ""

    async def on_llm_end(self, response: Any, **_: Any) -> None:
        for generations in response.generations:
            for generation in generations:
                message = getattr(generation, "message", None)
                if message is not None:
                    self._note(message)
        self.rounds += 1

    def _note(self, message: Any) -> None:
        self.text = _message_text(message)
        told = getattr(message, "response_metadata", None) or {}
        self.finish = str(told.get("finish_reason") or told.get("stop_reason") or self.finish)
        for name, count in (getattr(message, "usage_metadata", None) or {}).items():
            if name in self.tokens:
                self.tokens[name] += count
        wanted = [*message.tool_calls, *message.invalid_tool_calls]
        for call in wanted:
            noted = {"id": call.get("id") or "", "name": call["name"], "args": call["args"]}
            self.calls.append(noted | {"step": self.rounds, "status": "unknown"})

    async def on_tool_start(
        self, serialized: dict[str, Any], input_str: str, *, run_id: UUID, **more: Any
    ) -> None:
        name = (serialized or {}).get("name") or more.get("name") or "tool"
        wanted = more.get("tool_call_id")
        open_calls = [
            each
            for each in self.calls
            if each["name"] == name and "run" not in each and wanted in {None, each["id"]}
        ]
        if open_calls:
            call = open_calls[0]
        else:  # a node calls it, and no model
            inputs = more.get("inputs")
            call = {"id": wanted or "", "name": name, "step": self.rounds, "status": "unknown"}
            call["args"] = inputs if isinstance(inputs, dict) else {"input": input_str}
            self.calls.append(call)
        call["run"] = True
        self.runs[run_id] = call

    async def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        call = self.runs.get(run_id)
        if call is not None:
            failed = getattr(output, "status", "") == "error"
            call |= {"status": "error" if failed else "ok", "result": _content(output)}

    async def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        call = self.runs.get(run_id)
        if call is not None:
            call |= {"status": "error", "result": f"{type(error).__name__}: {error}"}

    def reply(self, text: str) -> dict[str, Any]:
        calls = [{key: call[key] for key in call if key != "run"} for call in self.calls]
        return {
            "text": text or self.text,
            "toolCalls": calls,
            "rounds": self.rounds,
            "finish": self.finish,
            "usage": self.tokens if self.rounds else None,
        }


def _message_text(message: Any) -> str:
    text = message.text
    return str(text() if callable(text) and not isinstance(text, str) else text)


def _content(output: Any) -> Any:
    content = getattr(output, "content", output)
    if isinstance(content, list):
        texts = [part.get("text", "") for part in content if isinstance(part, dict)]
        content = "\n".join(texts) if len(texts) == len(content) else content
    if isinstance(content, str) and content.lstrip()[:1] in {"{", "["}:
        try:
            return json.loads(content)
        except ValueError:
            return content
    return content


def _text(state: Any) -> str:
    """The last words of a model, or what a graph without messages leaves."""
    if not isinstance(state, dict):
        return str(state)
    if "messages" in state:
        said = [each for each in state["messages"] if getattr(each, "type", "") == "ai"]
        return _message_text(said[-1]) if said else ""
    for name in ("output", "answer", "response", "result"):
        if isinstance(state.get(name), str):
            return str(state[name])
    return json.dumps(state, ensure_ascii=False, default=str)


def _metadata(state: Any) -> dict[str, Any]:
    """The structured answer of an agent that has a response format."""
    answer = state.get("structured_response") if isinstance(state, dict) else None
    if answer is None:
        return {}
    return {"metadata": answer if isinstance(answer, dict) else answer.model_dump(mode="json")}
