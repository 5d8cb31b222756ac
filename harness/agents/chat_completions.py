"""Chat completions, whole or in chunks, put together into one reply."""

from harness.agents.protocol import AgentFailedError
from harness.agents.replies import decode_json, read_reply
from harness.model import Json, JsonObject, Reply

DONE = "[DONE]"


def read_completion(value: Json, *, turn: int, prompt: str) -> Reply:
    """Make a reply of a chat completion.

    Raises:
        AgentFailedError: It is none, or reports an error.
    """
    _refuse_error(value)
    choice = _choice(value)
    message = choice.get("message") if choice else None
    if not isinstance(message, dict):
        raise AgentFailedError("the reply is no chat completion: it has no choices[0].message")
    return _reply(message, choice or {}, value.get("usage"), turn=turn, prompt=prompt)


class ChatChunks:
    """Collects the chunks of one completion."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._calls: dict[int, JsonObject] = {}
        self._finish = ""
        self._usage: Json = None
        self._done = False

    def take(self, line: int, data: str) -> None:
        """Take the data of one event.

        Raises:
            AgentFailedError: It is no chunk, or reports an error.
        """
        if data.strip() == DONE:
            self._done = True
            return
        chunk = _chunk(line, data)
        self._usage = chunk.get("usage") or self._usage
        choice = _choice(chunk)
        if choice is None:
            return
        self._finish = str(choice.get("finish_reason") or self._finish)
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self._delta(delta)

    def reply(self, *, turn: int, prompt: str) -> Reply:
        """The reply that the chunks add up to.

        Raises:
            AgentFailedError: The stream ended before a `finish_reason` or `[DONE]`.
        """
        if not self._done and not self._finish:
            raise AgentFailedError("the event stream ended without a finish_reason or [DONE]")
        calls = [self._calls[index] for index in sorted(self._calls)]
        message = {"content": "".join(self._text), "tool_calls": calls}
        choice = {"finish_reason": self._finish}
        return _reply(message, choice, self._usage, turn=turn, prompt=prompt)

    def _delta(self, delta: JsonObject) -> None:
        if isinstance(delta.get("content"), str):
            self._text.append(delta["content"])
        calls = delta.get("tool_calls")
        for place, part in enumerate(calls if isinstance(calls, list) else []):
            if isinstance(part, dict):
                self._call(part, place)

    def _call(self, part: JsonObject, place: int) -> None:
        index = part.get("index")
        key = index if isinstance(index, int) else place
        call = self._calls.setdefault(key, {"id": "", "function": {"name": "", "arguments": ""}})
        call["id"] = call["id"] or str(part.get("id") or "")
        function = part.get("function")
        for name in ("name", "arguments"):
            if isinstance(function, dict) and isinstance(function.get(name), str):
                call["function"][name] += function[name]


def _reply(
    message: JsonObject, choice: JsonObject, usage: Json, *, turn: int, prompt: str
) -> Reply:
    content = message.get("content")
    fields = {
        "content": "" if content is None else content,
        "tool_calls": message.get("tool_calls"),
        "finish_reason": choice.get("finish_reason"),
        "usage": usage,
    }
    return read_reply(fields, turn=turn, prompt=prompt)


def _choice(value: Json) -> JsonObject | None:
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else None


def _chunk(line: int, data: str) -> JsonObject:
    try:
        chunk = decode_json(data)
    except ValueError as error:
        raise AgentFailedError(f"malformed event stream: line {line}: {error}") from None
    if not isinstance(chunk, dict):
        raise AgentFailedError(f"malformed event stream: line {line}: a chunk is no object")
    _refuse_error(chunk)
    return chunk


def _refuse_error(value: Json) -> None:
    error = value.get("error") if isinstance(value, dict) else None
    if error:
        said = error.get("message", error) if isinstance(error, dict) else error
        raise AgentFailedError(f"the agent reports an error: {str(said)[:500]}")
