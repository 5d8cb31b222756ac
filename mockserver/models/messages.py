"""What is asked of a language model and what it replies, whatever the provider."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import orjson

from mockserver.model import Json, JsonObject

Role = Literal["system", "user", "assistant", "tool"]
Finish = Literal["stop", "length", "tool_calls", "content_filter", "refusal"]

_CHARACTERS_OF_TOKEN = 4


class ToolCall(NamedTuple):
    """A tool call that a model asks for.

    Attributes:
        name: The tool.
        arguments: Its arguments; a text is sent as it is, so that it may be broken JSON.
        id: What the result names it by; empty where the provider has no ids.
    """

    name: str
    arguments: JsonObject | str
    id: str = ""

    @property
    def json_text(self) -> str:
        """The arguments as the text that some providers send."""
        if isinstance(self.arguments, str):
            return self.arguments
        return orjson.dumps(self.arguments).decode()

    @property
    def fields(self) -> JsonObject:
        """The arguments as the object that other providers send; broken JSON has none."""
        return self.arguments if isinstance(self.arguments, dict) else {}


class ToolResult(NamedTuple):
    """What a tool gave back.

    Attributes:
        content: Its content; the value of a text that is JSON.
        id: The id of the call.
        name: The tool; found by the id of the call where the provider does not send it.
        is_error: Whether the caller says that the tool failed.
    """

    content: Json
    id: str = ""
    name: str = ""
    is_error: bool = False


@dataclass(slots=True)
class Message:
    """One message of a conversation; nobody changes it.

    Attributes:
        role: Who says it.
        text: Its text; the texts of several parts, a line each.
        calls: Tool calls that the model asked for.
        results: Results of tools.
    """

    role: Role
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()


@dataclass(slots=True)
class ModelRequest:
    """One request to a model; nobody changes it.

    Attributes:
        model: The name of the model.
        messages: The conversation, the system prompt first.
        tools: The names of the tools that are offered.
        is_stream: Whether the reply is to be streamed.
        body: The request as sent.
        inputs: What is to be embedded, for embeddings.
        system_text: The text of all system messages.
        new_user_text: What the user said since the model spoke last; the inputs of an embedding.
        new_results: The results of tools that came after the last message of the model.
        turn: How many messages of the model the conversation holds.
    """

    model: str
    messages: tuple[Message, ...] = ()
    tools: tuple[str, ...] = ()
    is_stream: bool = False
    body: JsonObject = field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    system_text: str = field(init=False)
    new_user_text: str = field(init=False)
    new_results: list[ToolResult] = field(init=False)
    turn: int = field(init=False)
    _folded_system_text: str | None = field(init=False)
    _folded_new_user_text: str | None = field(init=False)

    def __post_init__(self) -> None:
        turn = 0
        said = [*self.inputs]
        system: list[str] = []
        results: list[ToolResult] = []
        for message in self.messages:
            if message.role == "user":
                if message.text:
                    said.append(message.text)
            elif message.role == "assistant":
                turn, said, results = turn + 1, [*self.inputs], []
                continue
            elif message.role == "system":
                system.append(message.text)
            if message.results:
                results += message.results
        self.turn = turn
        self.new_results = results
        self.new_user_text = "\n".join(said)
        self.system_text = "\n".join(system)
        self._folded_system_text = self._folded_new_user_text = None

    @property
    def user_text(self) -> str:
        """The text of the last message of the user; of an embedding, the first input."""
        found = (each.text for each in reversed(self.messages) if each.role == "user" and each.text)
        return next(found, self.inputs[0] if self.inputs else "")

    def folded_new_user_text(self) -> str:
        """What the user said since the model spoke last, to be searched in any case."""
        found = self._folded_new_user_text
        if found is None:
            found = self._folded_new_user_text = self.new_user_text.casefold()
        return found

    def folded_system_text(self) -> str:
        """The text of all system messages, to be searched in any case."""
        found = self._folded_system_text
        if found is None:
            found = self._folded_system_text = self.system_text.casefold()
        return found

    def count_tokens(self) -> int:
        """How many tokens the request is, roughly: a quarter of its characters."""
        length = 0
        for message in self.messages:
            length += len(message.text)
            for call in message.calls:
                length += len(call.name) + len(call.json_text)
            for result in message.results:
                length += len(str(result.content))
        for text in self.inputs:
            length += len(text)
        return _tokens_of_length(length)


@dataclass(slots=True)
class Usage:
    """Tokens of a request and its reply."""

    input: int
    output: int


TaskState = Literal[
    "working", "completed", "failed", "canceled", "input_required", "rejected", "auth_required"
]
"""What an agent says of a task of A2A."""


@dataclass(frozen=True, slots=True)
class ReplyTask:
    """The task of A2A that a reply is about.

    Attributes:
        state: How it stands after the reply.
        artifact: The name of what it made, which is the text of the reply; when empty, the text is
            the message of the state.
    """

    state: TaskState
    artifact: str = ""


@dataclass(slots=True)
class ModelReply:
    """What a model replies; nobody changes it.

    Attributes:
        text: Its text.
        calls: Tool calls that it asks for.
        reasoning: What it thought, where the provider shows that.
        refusal: Why it refuses, or an empty string.
        finish: Why it ended.
        usage: Tokens; counted from the texts when None.
        calls_first: Whether the calls come before the text, where a provider keeps their order.
        events: Further events of AG-UI, before the text.
        task: The task of A2A that the reply is about, or None.
        parts: What formats made of it alone, by format: most replies are given more than once.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    refusal: str = ""
    finish: Finish = "stop"
    usage: Usage | None = None
    calls_first: bool = False
    events: tuple[JsonObject, ...] = ()
    task: "ReplyTask | None" = None
    parts: dict[object, tuple[bytes, ...]] = field(init=False, compare=False, default_factory=dict)
    _tokens: int = field(init=False, compare=False, default=0)

    def in_order(self, texts: list[JsonObject], calls: list[JsonObject]) -> list[JsonObject]:
        """Parts of its text and of its calls, in the order in which it says them."""
        return calls + texts if self.calls_first else texts + calls

    def parts_of(
        self,
        thought: Callable[[str], JsonObject],
        text: Callable[[str], JsonObject],
        call: Callable[[ToolCall], JsonObject],
    ) -> list[JsonObject]:
        """What it thought, says and calls, each as a format has it; an empty text for nothing."""
        said = self.text or self.refusal
        thoughts = [thought(self.reasoning)] if self.reasoning else []
        texts = [text(said)] if said or not self.calls else []
        return thoughts + self.in_order(texts, [call(each) for each in self.calls])

    def usage_for(self, request: ModelRequest) -> Usage:
        """The tokens of a request and this reply."""
        if self.usage is not None:
            return self.usage
        if not self._tokens:
            said = self.text + self.reasoning + self.refusal
            said += "".join(call.name + call.json_text for call in self.calls)
            self._tokens = tokens_of(said)
        return Usage(request.count_tokens(), self._tokens)


class CallMessage(NamedTuple):
    """A message of a request as it was sent, for people.

    Attributes:
        role: Who says it.
        text: Its text; the JSON of what is no text.
    """

    role: str
    text: str


def call_messages(body: JsonObject) -> list[CallMessage]:
    """The messages of a request to any provider, the system prompt first.

    >>> call_messages({"system": "Be brief.", "messages": [{"role": "user", "content": "Hi"}]})
    [CallMessage(role='system', text='Be brief.'), CallMessage(role='user', text='Hi')]
    """
    found: list[CallMessage] = []
    for name, role in _CONVERSATION.items():
        value = body.get(name)
        for each in value if isinstance(value, list) else [] if value is None else [value]:
            said: str = role
            if isinstance(each, dict):
                said = str(each.get("role") or each.get("type") or role)
            found.append(CallMessage(said, _text_of(each)))
    return found


_CONVERSATION: Mapping[str, Role] = {
    "instructions": "system", "systemInstruction": "system", "system_instruction": "system",
    "system": "system", "prompt": "user", "input": "user", "inputText": "user", "texts": "user",
    "content": "user", "requests": "user", "instances": "user", "generateContentRequest": "user",
    "messages": "user", "contents": "user",
}  # fmt: skip
"""Members of requests that hold what is said, with who says what names nobody."""


def _text_of(message: Json) -> str:
    if isinstance(message, str):
        return message
    if isinstance(message, dict):
        content = message.get("content", message.get("parts"))
        if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
            only = content[0]
            content = only.get("text") if only.keys() <= {"type", "text"} else content
        if isinstance(content, str) and set(message) <= {"role", "type", "content", "parts"}:
            return content
        message = {name: each for name, each in message.items() if name != "role"}
    return orjson.dumps(message, option=orjson.OPT_SORT_KEYS).decode("utf-8", "replace")


def tokens_of(text: str) -> int:
    """How many tokens a text is, roughly; one at least.

    >>> tokens_of(""), tokens_of("Hello, world")
    (1, 3)
    """
    return _tokens_of_length(len(text))


def _tokens_of_length(characters: int) -> int:
    return round(characters / _CHARACTERS_OF_TOKEN) or 1


def parse_text(text: str) -> Json:
    """The value of a text that is a JSON object or array, else the text.

    >>> parse_text('{"a": 1}'), parse_text("12 degrees")
    ({'a': 1}, '12 degrees')
    """
    if text.lstrip()[:1] in {"{", "["}:
        try:
            value: Json = orjson.loads(text)
        except orjson.JSONDecodeError:
            return text
        return value
    return text


def tool_value(content: Json) -> Json:
    """What a tool answered, out of the forms in which frameworks hand over results of MCP.

    >>> tool_value({"content": [{"type": "text", "text": "12"}], "structuredContent": {"t": 12}})
    {'t': 12}
    >>> tool_value([{"type": "text", "text": '{"t": 12}'}]), tool_value("12 degrees")
    ({'t': 12}, '12 degrees')
    """
    match content:
        case {"structuredContent": dict() as value}:
            return value
        case {"content": [*_] as blocks, **rest} if not rest.keys() - {"isError", "meta", "_meta"}:
            return tool_value(blocks)
        case {"type": "text", "text": str() as text} | [{"type": "text", "text": str() as text}]:
            return parse_text(text)
        case _:
            return content


def parse_arguments(text: Any) -> JsonObject | str:
    """The arguments of a tool call: an object, or the text where it is none."""
    if isinstance(text, dict):
        return text
    if not isinstance(text, str):
        return {}
    value = parse_text(text or "{}")
    return value if isinstance(value, dict) else text


def with_names_of_tools(messages: list[Message]) -> tuple[Message, ...]:
    """Messages in which each result names its tool, found by the id of the call.

    Calls that a model gave one id get their results in their order.
    """
    for message in messages:
        if message.results:
            break
    else:
        return tuple(messages)
    waiting: dict[str, list[str]] = {}
    last: dict[str, str] = {}
    found: list[Message] = []
    for message in messages:
        for call in message.calls:
            if call.id:
                waiting.setdefault(call.id, []).append(call.name)
        results = []
        for each in message.results:
            if names := waiting.get(each.id):
                last[each.id] = names.pop(0)
            name = each.name or last.get(each.id, "")
            results.append(ToolResult(each.content, each.id, name, each.is_error))
        found.append(Message(message.role, message.text, message.calls, tuple(results)))
    return tuple(found)


def objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a list; what is no object is passed over, what is no list is empty."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
