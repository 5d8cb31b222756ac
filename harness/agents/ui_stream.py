"""The AI SDK's UI message stream: parts with a `type`, put together into one reply."""

from collections.abc import Callable
from typing import Literal

from harness.agents.protocol import AgentFailedError, well_formed
from harness.agents.replies import FINISH, USAGE, decode_json, plain, read_args, read_usage
from harness.model import Json, JsonObject, Reply, ToolCall

DONE = "[DONE]"


class UiStream:
    """Collects the parts of one reply; other types (`reasoning-delta`, ...) are passed over."""

    def __init__(self) -> None:
        self._texts: list[list[str]] = []
        self._open: dict[str, list[str]] = {}
        self._calls: list[tuple[str, JsonObject]] = []
        self._metadata: JsonObject = {}
        self._steps = 0
        self._finish = ""
        self.finished = False
        self._takers: dict[str, Callable[[JsonObject], None]] = {
            "text-start": self._text_start,
            "text-delta": self._text_delta,
            "text-end": self._text_end,
            "tool-input-start": self._tool_input,
            "tool-input-delta": self._tool_input_delta,
            "tool-input-available": self._tool_input,
            "tool-input-error": self._tool_error,
            "tool-call": self._tool_input,
            "tool-output-available": self._tool_output,
            "tool-result": self._tool_output,
            "tool-output-error": self._tool_error,
            "start-step": self._start_step,
            "start": self._message_metadata,
            "message-metadata": self._message_metadata,
            "finish": self._note_finish,
            "error": self._error,
            "abort": self._abort,
        }

    def take(self, line: int, data: str) -> None:
        """Take the data of one event.

        Raises:
            AgentFailedError: It is no part of a stream, or the agent reports an error.
        """
        if data.strip() == DONE:
            self.finished = True
            return
        part = _part(line, data)
        kind = part["type"]
        if kind.startswith("data-"):
            self._data(kind.removeprefix("data-"), part.get("data"))
        elif taker := self._takers.get(kind):
            try:
                taker(part)
            except KeyError as missing:
                raise AgentFailedError(
                    f"malformed event stream: line {line}: {kind!r} has no {missing}"
                ) from None

    def reply(self, *, turn: int, prompt: str) -> Reply:
        """The reply that the parts add up to.

        Raises:
            AgentFailedError: The stream ended before its `finish` part or `[DONE]`.
        """
        if not self.finished:
            raise AgentFailedError("the event stream ended without a finish part or [DONE]")
        usage = next((self._metadata[name] for name in USAGE if name in self._metadata), None)
        return Reply(
            turn=turn,
            prompt=prompt,
            text=well_formed(
                "\n\n".join(text for block in self._texts if (text := "".join(block)))
            ),
            metadata=plain(self._metadata) or None,
            tool_calls=tuple(_tool_call(key, call, turn) for key, call in self._calls),
            rounds=self._steps or None,
            finish=well_formed(self._finish),
            usage=read_usage(usage),
        )

    def _text_start(self, part: JsonObject) -> None:
        block: list[str] = []
        self._texts.append(block)
        self._open[str(part["id"])] = block

    def _text_delta(self, part: JsonObject) -> None:
        key = str(part["id"])
        if key not in self._open:
            self._text_start(part)
        self._open[key].append(str(part["delta"]))

    def _text_end(self, part: JsonObject) -> None:
        self._open.pop(str(part["id"]), None)

    def _calls_of(self, part: JsonObject) -> list[JsonObject]:
        """The calls of an id, in order, at least one: a model may give two calls one id."""
        key = str(part["toolCallId"])
        return [call for id, call in self._calls if id == key] or [self._add_call(key)]

    def _add_call(self, key: str) -> JsonObject:
        call: JsonObject = {"step": max(self._steps - 1, 0), "text": ""}
        self._calls.append((key, call))
        return call

    def _open_call(self, part: JsonObject) -> JsonObject:
        """The first call of an id that has no output yet, or the last one."""
        calls = self._calls_of(part)
        return next((call for call in calls if "status" not in call), calls[-1])

    def _tool_input(self, part: JsonObject) -> None:
        told: JsonObject = {"name": str(part["toolName"])}
        if "input" in part or "args" in part:
            told["input"] = part.get("args", part.get("input"))
        call = self._calls_of(part)[-1]
        is_repeated = "status" not in call and {**call, **told} == call
        if not is_repeated and ("input" in call or "status" in call):
            call = self._add_call(str(part["toolCallId"]))
        call |= told

    def _tool_input_delta(self, part: JsonObject) -> None:
        self._calls_of(part)[-1]["text"] += str(part["inputTextDelta"])

    def _tool_output(self, part: JsonObject) -> None:
        call = self._open_call(part)
        if part.get("preliminary"):
            return
        call["output"] = part.get("output", part.get("result"))
        call["status"] = "ok"

    def _tool_error(self, part: JsonObject) -> None:
        call = self._open_call(part)
        call.setdefault("name", str(part.get("toolName", "")))
        call.setdefault("input", part.get("input"))
        call["output"] = part.get("errorText")
        call["status"] = "error"

    def _start_step(self, _part: JsonObject) -> None:
        self._steps += 1

    def _message_metadata(self, part: JsonObject) -> None:
        said = part.get("messageMetadata", part.get("metadata"))
        if isinstance(said, dict):
            self._metadata.update(said)

    def _data(self, name: str, data: Json) -> None:
        if name in {"metadata", "message-metadata"} and isinstance(data, dict):
            self._metadata.update(data)
        else:
            self._metadata[name] = data

    def _note_finish(self, part: JsonObject) -> None:
        self._message_metadata(part)
        self._finish = next((str(part[name]) for name in FINISH if part.get(name)), "")
        self.finished = True

    def _error(self, part: JsonObject) -> None:
        said = part.get("errorText", part.get("error", "no reason given"))
        raise AgentFailedError(f"the agent reports an error: {str(said)[:500]}")

    def _abort(self, _part: JsonObject) -> None:
        raise AgentFailedError("the agent aborted its reply")


def _part(line: int, data: str) -> JsonObject:
    try:
        part = decode_json(data)
    except ValueError as error:
        raise AgentFailedError(f"malformed event stream: line {line}: {error}") from None
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        raise AgentFailedError(f"malformed event stream: line {line}: a part without a type")
    return part


def _tool_call(key: str, call: JsonObject, turn: int) -> ToolCall:
    key, call = well_formed(key), plain(call)
    if not call.get("name"):
        raise AgentFailedError(f"malformed event stream: tool call {key!r} was never named")
    status: Literal["ok", "error", "unknown"] = call.get("status", "unknown")
    return ToolCall(
        name=call["name"],
        args=read_args(call.get("input", call["text"])),
        id=key,
        turn=turn,
        step=call["step"],
        status=status,
        result=call.get("output"),
    )
