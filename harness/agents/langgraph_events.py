"""The stream of a run on a LangGraph server, put together into one reply.

Messages are found in the updates of nodes, those of subgraphs too; the last values are the state in
the end. Interrupts are questions to the user.
"""

import json
from collections.abc import Iterator

from harness.agents.protocol import AgentFailedError
from harness.agents.replies import decode_json, plain, read_args
from harness.model import Json, JsonObject, Reply, ToolCall, Usage

INTERRUPT = "__interrupt__"
INPUT_REQUIRED = "input-required"

_ANSWERS = ("output", "answer", "response", "result")
_QUESTIONS = ("question", "message", "description", "prompt", "text")
_AI = ("ai", "AIMessageChunk")
_DEEPEST = 8


class RunReader:
    """Collects the events of one run.

    Attributes:
        run: Its id, once the server has told.
        interrupts: The ids of what it asks the user, in order.
    """

    def __init__(self) -> None:
        self.run = ""
        self.interrupts: list[str] = []
        self._questions: list[str] = []
        self._seen: set[str] = set()
        self._calls: dict[str, JsonObject] = {}
        self._rounds = 0
        self._tokens = {"input_tokens": 0, "output_tokens": 0}
        self._text = ""
        self._finish = ""
        self._state: Json = None

    def take(self, name: str, line: int, data: str) -> None:
        """Take one event.

        Args:
            name: `updates`, `values`, ...; `|` and a namespace follow in those of subgraphs.
            line: The line of the stream that it stands on.
            data: Its JSON.

        Raises:
            AgentFailedError: It is no JSON, or says that the run failed.
        """
        try:
            value = decode_json(data) if data else None
        except ValueError as error:
            raise AgentFailedError(f"malformed event stream: line {line}: {error}") from None
        kind, _, namespace = name.partition("|")
        if kind == "metadata" and isinstance(value, dict):
            self.run = str(value.get("run_id") or self.run)
        elif kind == "updates":
            self._take_update(value)
        elif kind == "values" and not namespace:
            self._state = value
        elif kind == "error":
            raise AgentFailedError(f"the run failed: {_error_text(value)}")

    def reply(self, *, turn: int, prompt: str) -> Reply:
        """What the events add up to."""
        tokens = self._tokens if any(self._tokens.values()) else {}
        return Reply(
            turn=turn,
            prompt=prompt,
            text="\n\n".join(self._questions) or self._answer(),
            metadata=self._metadata(),
            tool_calls=tuple(_call(call, turn) for call in self._calls.values()),
            rounds=self._rounds,
            finish=INPUT_REQUIRED if self._questions else self._finish,
            usage=Usage(**tokens),
        )

    def _take_update(self, value: Json) -> None:
        if not isinstance(value, dict):
            return
        waiting = value.get(INTERRUPT)
        for each in waiting if isinstance(waiting, list) else []:
            if isinstance(each, dict) and str(each.get("id")) not in self.interrupts:
                self.interrupts.append(str(each.get("id")))
                self._questions.append(_question(each.get("value")))
        for message in _messages(value):
            self._take_message(message)

    def _take_message(self, message: JsonObject) -> None:
        if message["type"] == "tool":
            call = self._calls.setdefault(str(message.get("tool_call_id") or ""), {})
            call.setdefault("name", message.get("name") or "tool")
            failed = message.get("status") == "error"
            call |= {"status": "error" if failed else "ok", "result": _content(message["content"])}
            return
        wanted = _objects(message.get("tool_calls")) + _objects(message.get("invalid_tool_calls"))
        key = str(message.get("id") or "") or json.dumps([message["content"], wanted], default=str)
        if key in self._seen:
            return
        self._seen.add(key)
        self._text = _text(message["content"])
        for call in wanted:
            id = str(call.get("id") or f"call-{len(self._calls)}")
            self._calls.setdefault(id, {}).update(
                id=id, name=call.get("name"), args=call.get("args"), step=self._rounds
            )
        self._rounds += 1
        told = message.get("response_metadata")
        told = told if isinstance(told, dict) else {}
        self._finish = str(told.get("finish_reason") or told.get("stop_reason") or "")
        used = message.get("usage_metadata")
        for name in self._tokens:
            count = used.get(name) if isinstance(used, dict) else None
            self._tokens[name] += count if isinstance(count, int) else 0

    def _answer(self) -> str:
        state = self._state
        if not isinstance(state, dict):
            return self._text
        said = [each for each in _objects(state.get("messages")) if each.get("type") in _AI]
        if said and self._rounds:
            return _text(said[-1].get("content"))
        found = next((state[name] for name in _ANSWERS if isinstance(state.get(name), str)), None)
        if found is not None:
            return str(found)
        rest = {name: state[name] for name in state if name not in {"messages", INTERRUPT}}
        if self._text or not rest:
            return self._text
        return json.dumps(plain(rest), ensure_ascii=False)

    def _metadata(self) -> JsonObject | None:
        state = self._state
        answer = state.get("structured_response") if isinstance(state, dict) else None
        return plain(answer) if isinstance(answer, dict) else None


def _messages(value: Json, depth: int = 0) -> Iterator[JsonObject]:
    """The messages of models and tools, wherever a node leaves them.

    Yields:
        Each, in order.
    """
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        if value.get("type") in {*_AI, "tool"} and "content" in value:
            yield value
        else:
            for name, item in value.items():
                if name != INTERRUPT:
                    yield from _messages(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _messages(item, depth + 1)


def _call(call: JsonObject, turn: int) -> ToolCall:
    return ToolCall(
        name=str(call.get("name") or "tool"),
        args=plain(read_args(call.get("args"))),
        id=str(call.get("id") or ""),
        turn=turn,
        step=call.get("step") or 0,
        status=call.get("status") or "unknown",
        result=plain(call.get("result")),
    )


def _question(value: Json) -> str:
    """What an interrupt asks: its text, or all of it."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        found = next((value[name] for name in _QUESTIONS if isinstance(value.get(name), str)), None)
        if found is not None:
            return str(found)
    return json.dumps(plain(value), ensure_ascii=False)


def _text(content: Json) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text") or "") for part in _objects(content))


def _content(content: Json) -> Json:
    text = _text(content) if isinstance(content, list) else content
    if isinstance(text, str) and text.lstrip()[:1] in {"{", "["}:
        try:
            return decode_json(text)
        except ValueError:
            return text
    return text


def _error_text(value: Json) -> str:
    if not isinstance(value, dict):
        return str(value)[:500]
    return ": ".join(str(value[name]) for name in ("error", "message") if value.get(name))[:500]


def _objects(value: Json) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
