"""What an agent says over A2A - messages, and tasks with their artifacts - as replies.

The words are those of A2A 1.0 in JSON, which the SDK also makes of what agents of 0.3 say. A2A has
no tool calls; agents of ADK send theirs as data, with `adk_type` in the metadata of the part.
"""

from typing import Literal

from harness.agents.replies import plain, read_usage
from harness.model import Json, JsonObject, Reply, ToolCall

COMPLETED, REJECTED, FAILED, CANCELED = "completed", "rejected", "failed", "canceled"
INPUT_REQUIRED, AUTH_REQUIRED = "input-required", "auth-required"
OPEN_STATES = frozenset({"", "unspecified", "submitted", "working"})
"""States in which the agent still works on a task."""

_ADK_TYPE = "adk_type"
_USAGE_METADATA = "adk_usage_metadata"


class TaskReader:
    """Collects what an agent says in one turn.

    Attributes:
        task: The id of the task, or an empty string: it answered with a message.
        context: The id of the conversation, which the agent gives.
        state: Of the task: `completed`, `input-required`, ...; empty without one.
    """

    def __init__(self) -> None:
        self.task = ""
        self.context = ""
        self.state = ""
        self._message: JsonObject | None = None
        self._last_words: JsonObject | None = None
        self._artifacts: dict[str, JsonObject] = {}
        self._calls: dict[str, JsonObject] = {}
        self._usage: dict[str, Json] = {}

    @property
    def is_open(self) -> bool:
        """Whether the agent works on a task that has not come to an end yet."""
        return bool(self.task) and self.state in OPEN_STATES

    def take(self, event: JsonObject) -> None:
        """Take one event of a stream, or the answer to a message without one.

        >>> reader = TaskReader()
        >>> reader.take({"message": {"contextId": "c", "parts": [{"text": "12 degrees."}]}})
        >>> reader.context, reader.reply(turn=1, prompt="How warm is it?").text
        ('c', '12 degrees.')
        """
        match event:
            case {"message": dict() as message}:
                self.context = str(message.get("contextId") or self.context)
                self._message = message
                self._note_parts(message)
            case {"task": dict() as task}:
                self.take_task(task)
            case {"statusUpdate": dict() as update}:
                self._identify(update, "taskId")
                self._take_status(update)
            case {"artifactUpdate": dict() as update}:
                self._identify(update, "taskId")
                self._take_artifact(update.get("artifact"), append=bool(update.get("append")))
            case _:
                pass

    def take_task(self, task: JsonObject) -> None:
        """Take a task as it is now."""
        self._identify(task, "id")
        self._artifacts.clear()
        for artifact in _objects(task.get("artifacts")):
            self._take_artifact(artifact, append=False)
        for message in _objects(task.get("history")):
            if _is_agents(message):
                self._last_words = message
        self._take_status(task)

    def reply(self, *, turn: int, prompt: str) -> Reply:
        """What was said, as a reply: the artifacts, and the message of the last state."""
        texts: list[str] = []
        data: JsonObject = {}
        for artifact in self._artifacts.values():
            texts.append(_text(artifact, between=""))  # it may have come in pieces
            data |= _data(artifact)
        if self._message is not None:
            texts.append(_text(self._message))
            data |= _data(self._message)
        if not any(texts) and self._last_words is not None:
            texts.append(_text(self._last_words))
        calls = [_call(call, turn) for call in self._calls.values()]
        return Reply(
            turn=turn,
            prompt=prompt,
            text="\n\n".join(dict.fromkeys(filter(None, texts))),
            metadata=plain(data) or None,
            tool_calls=tuple(calls),
            reports_calls=bool(calls),
            finish=self.state,
            usage=read_usage(self._usage),
        )

    def _identify(self, event: JsonObject, name: str) -> None:
        self.task = str(event.get(name) or self.task)
        self.context = str(event.get("contextId") or self.context)

    def _take_status(self, holder: JsonObject) -> None:
        status = holder.get("status")
        status = status if isinstance(status, dict) else {}
        if state := status.get("state"):
            self.state = str(state).removeprefix("TASK_STATE_").lower().replace("_", "-")
        self._note_usage(holder.get("metadata"))
        message = status.get("message")
        if isinstance(message, dict):
            self._note_parts(message)
            self._last_words = message
        is_last = self.state not in OPEN_STATES
        self._message = message if is_last and isinstance(message, dict) else None

    def _take_artifact(self, artifact: Json, *, append: bool) -> None:
        if not isinstance(artifact, dict):
            return
        id = str(artifact.get("artifactId") or "")
        parts = _objects(artifact.get("parts"))
        before = self._artifacts[id]["parts"] if append and id in self._artifacts else []
        self._artifacts[id] = artifact | {"parts": [*before, *parts]}
        self._note_parts({"parts": parts})

    def _note_usage(self, metadata: Json) -> None:
        used = metadata.get(_USAGE_METADATA) if isinstance(metadata, dict) else None
        if isinstance(used, dict):
            self._usage = {
                "input_tokens": used.get("promptTokenCount"),
                "output_tokens": used.get("candidatesTokenCount"),
            }

    def _note_parts(self, holder: JsonObject) -> None:
        for part in _objects(holder.get("parts")):
            data = part.get("data")
            if not isinstance(data, dict):
                continue
            key = str(data.get("id") or f"{data.get('name')}-{len(self._calls)}")
            match _adk_type(part):
                case "function_call":
                    self._calls.setdefault(key, data)
                case "function_response":
                    self._calls[key] = self._calls.get(key, data) | {
                        "response": data.get("response")
                    }
                case _:
                    pass


def _call(call: JsonObject, turn: int) -> ToolCall:
    result = call.get("response")
    status: Literal["ok", "error", "unknown"] = "unknown" if result is None else "ok"
    if isinstance(result, dict) and (result.get("error") or result.get("isError")):
        status = "error"
    args = call.get("args")
    return ToolCall(
        name=str(call.get("name") or "tool"),
        args=plain(args) if isinstance(args, dict) else {},
        id=str(call.get("id") or ""),
        turn=turn,
        status=status,
        result=plain(result),
    )


def _is_agents(message: JsonObject) -> bool:
    return message.get("role") == "ROLE_AGENT"


def _adk_type(part: JsonObject) -> str:
    metadata = part.get("metadata")
    return str(metadata.get(_ADK_TYPE) or "") if isinstance(metadata, dict) else ""


def _text(holder: JsonObject, between: str = "\n") -> str:
    """Texts and addresses of files; what is marked as a thought is none."""
    found = [
        str(part.get("text") or part.get("url") or "")
        for part in _objects(holder.get("parts"))
        if not _is_thought(part)
    ]
    return between.join(filter(None, found))


def _is_thought(part: JsonObject) -> bool:
    metadata = part.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("adk_thought"))


def _data(holder: JsonObject) -> JsonObject:
    found: JsonObject = {}
    for part in _objects(holder.get("parts")):
        data = part.get("data")
        if isinstance(data, dict) and not _adk_type(part):
            found |= data
    return found


def _objects(value: Json) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
