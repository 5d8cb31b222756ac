"""Events of an ADK agent, as a list or as a stream, put together into one reply.

Names are read in camelCase, as ADK's server writes them, and in snake_case.
"""

from collections.abc import Iterator
from typing import Literal

from pydantic.alias_generators import to_snake

from harness.agents.protocol import AgentFailedError, well_formed
from harness.agents.replies import decode_json, plain, read_args
from harness.model import Json, JsonObject, Reply, ToolCall, Usage


def read_events(value: Json, *, turn: int, prompt: str) -> Reply:
    """Make a reply of the list that `/run` answers with.

    Raises:
        AgentFailedError: It is no list of events, or one of them reports an error.
    """
    if not isinstance(value, list):
        _refuse_error(value)
        raise AgentFailedError("the reply is no list of events, as /run answers with")
    events = AdkEvents()
    for event in value:
        events.add(event)
    return events.reply(turn=turn, prompt=prompt)


class AdkEvents:
    """Collects the events of one turn; partial ones come again as a whole."""

    def __init__(self) -> None:
        self._text = ""
        self._calls: list[JsonObject] = []
        self._rounds = 0
        self._finish = ""
        self._tokens: dict[str, int] = {}
        self._seen = False

    def take(self, line: int, data: str) -> None:
        """Take the data of one server-sent event.

        Raises:
            AgentFailedError: It is no event, or reports an error.
        """
        try:
            event = decode_json(data)
        except ValueError as error:
            raise AgentFailedError(f"malformed event stream: line {line}: {error}") from None
        self.add(event)

    def add(self, event: Json) -> None:
        """Take one event.

        Raises:
            AgentFailedError: It is none, or reports an error.
        """
        if not isinstance(event, dict):
            raise AgentFailedError(f"an event of the reply is a {type(event).__name__}")
        _refuse_error(event)
        event = plain(event)
        self._seen = True
        if event.get("partial"):
            return
        self._count(event)
        self._content(event)

    def reply(self, *, turn: int, prompt: str) -> Reply:
        """The reply that the events add up to.

        Raises:
            AgentFailedError: There was none.
        """
        if not self._seen:
            raise AgentFailedError("the agent answered without a single event")
        return Reply(
            turn=turn,
            prompt=prompt,
            text=well_formed(self._text),
            tool_calls=tuple(_tool_call(call, turn) for call in self._calls),
            rounds=self._rounds or None,
            finish=well_formed(self._finish),
            usage=Usage(**self._tokens),
        )

    def _count(self, event: JsonObject) -> None:
        self._finish = str(_of(event, "finishReason") or self._finish)
        used = _of(event, "usageMetadata")
        counts = used if isinstance(used, dict) else {}
        for name, key in (
            ("input_tokens", "promptTokenCount"),
            ("output_tokens", "candidatesTokenCount"),
        ):
            if isinstance(count := _of(counts, key), int):
                self._tokens[name] = self._tokens.get(name, 0) + count

    def _content(self, event: JsonObject) -> None:
        parts = list(_parts(event))
        called = [call for part in parts if (call := _object(part, "functionCall"))]
        answered = [given for part in parts if (given := _object(part, "functionResponse"))]
        texts = [part["text"] for part in parts if _is_reply_text(part)]
        for call in called:
            self._calls.append({"step": self._rounds, "status": "unknown"} | call)
        for given in answered:
            self._note_answer(given)
        if (called or texts) and not answered:
            self._rounds += 1
        if texts and not called:
            self._text = "".join(texts)  # what an agent says on its way is not its answer

    def _note_answer(self, given: JsonObject) -> None:
        for call in self._calls:
            same = call.get("id") == given.get("id") and call.get("name") == given.get("name")
            if same and call["status"] == "unknown":
                response = given.get("response")
                told = response if isinstance(response, dict) else {}
                failed = told.get("error") or told.get("isError")
                result = _unwrapped(told.get("structuredContent", response))  # of an MCP server
                call |= {"status": "error" if failed else "ok", "result": result}
                return


def _unwrapped(response: Json) -> Json:
    """What a tool gave back: what is no object comes under `result`, as answers have to be one.

    >>> _unwrapped({"result": "cancelled"}), _unwrapped({"result": {"id": "A1"}})
    ('cancelled', {'result': {'id': 'A1'}})
    """
    if isinstance(response, dict) and response.keys() == {"result"}:
        value = response["result"]
        return response if isinstance(value, dict) else value
    return response


def _parts(event: JsonObject) -> Iterator[JsonObject]:
    content = event.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    yield from (part for part in parts or () if isinstance(part, dict))


def _is_reply_text(part: JsonObject) -> bool:
    return isinstance(part.get("text"), str) and not part.get("thought")


def _of(value: JsonObject, name: str) -> Json:
    return value.get(name, value.get(to_snake(name)))


def _object(part: JsonObject, name: str) -> JsonObject | None:
    found = _of(part, name)
    return found if isinstance(found, dict) else None


def _tool_call(call: JsonObject, turn: int) -> ToolCall:
    status: Literal["ok", "error", "unknown"] = call["status"]
    name = call.get("name")
    if not isinstance(name, str) or not name:
        raise AgentFailedError("a function call of the reply has no name")
    return ToolCall(
        name=name,
        args=read_args(call.get("args")),
        id=str(call.get("id") or ""),
        turn=turn,
        step=call["step"],
        status=status,
        result=call.get("result"),
    )


def _refuse_error(value: Json) -> None:
    if not isinstance(value, dict):
        return
    said = value.get("error") or _of(value, "errorMessage") or _of(value, "errorCode")
    if said:
        raise AgentFailedError(f"the agent reports an error: {str(said)[:500]}")
