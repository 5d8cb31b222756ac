"""A call of a model as people read it: the conversation, what came next, and what it took."""

from collections.abc import Sequence
from typing import NamedTuple

from mockserver.model import Json, JsonObject
from mockserver.models.calls import find_call
from mockserver.models.messages import Message, ModelRequest, ToolCall
from mockserver.models.providers import PROVIDERS
from mockserver.models.providers.provider import Operation, WrongFormatError
from mockserver.models.received_replies import read_reply


class ShownCall(NamedTuple):
    """A tool call that a model asked for."""

    name: str
    arguments: Json
    id: str


class ShownResult(NamedTuple):
    """What a tool gave back."""

    name: str
    content: Json
    is_error: bool


class ShownMessage(NamedTuple):
    """One message.

    Attributes:
        role: Who says it.
        text: Its text.
        calls: Tool calls that the model asked for.
        results: Results of tools.
        is_new: Whether it came since the model spoke last.
    """

    role: str
    text: str
    calls: tuple[ShownCall, ...] = ()
    results: tuple[ShownResult, ...] = ()
    is_new: bool = False


class ShownModelCall(NamedTuple):
    """A call of a model.

    Attributes:
        provider: Whose form it has.
        model: The model's name.
        is_stream: Whether the reply was to be streamed.
        tools: The names of the tools that were offered.
        messages: What was said before.
        reply: What the model replied; None where it answered with an error, or not yet.
        input_tokens: What it read, as the provider counts; or None.
        output_tokens: What it wrote, likewise.
    """

    provider: str
    model: str
    is_stream: bool
    tools: tuple[str, ...]
    messages: tuple[ShownMessage, ...]
    reply: ShownMessage | None
    input_tokens: int | None = None
    output_tokens: int | None = None


def show_model_call(
    verb: str, host: str, path: str, body: JsonObject | None, answer: str
) -> ShownModelCall | None:
    """The call of a model that a request is; None for any other, and for one that is broken.

    Args:
        verb: Upper case.
        host: Where it went, or an empty string.
        path: As the journal has it.
        body: What was sent.
        answer: The body of its answer, as text.
    """
    call = find_call(verb, host, path, body)
    if call is None or body is None:
        return None
    operation = _operation(call.provider, call.operation, verb, path)
    if operation is None or operation.format is None:
        return None
    try:
        request = operation.format.parse(body, operation)
    except WrongFormatError:
        return None
    found = read_reply(answer)
    used = found.usage if found else None
    return ShownModelCall(
        call.provider,
        request.model or call.model,
        request.is_stream,
        request.tools,
        tuple(_messages(request)),
        ShownMessage("assistant", found.text, _calls(found.calls)) if found else None,
        used.input if used else None,
        used.output if used else None,
    )


def _operation(provider: str, id: str, verb: str, path: str) -> Operation | None:
    """The operation of a path; anything may stand before what the provider names."""
    steps = path.split("/")
    ends = ["/" + "/".join(steps[start:]) for start in range(1, len(steps))]
    for each in PROVIDERS:
        if each.name == provider:
            found = (each.find(verb, end) for end in ends)
            return next((one for one in found if one is not None and one.id == id), None)
    return None


def _messages(request: ModelRequest) -> list[ShownMessage]:
    if request.inputs:
        return [ShownMessage("user", text, is_new=True) for text in request.inputs]
    spoken = [at for at, each in enumerate(request.messages) if each.role == "assistant"]
    last = spoken[-1] if spoken else -1
    return [_message(each, is_new=at > last) for at, each in enumerate(request.messages)]


def _message(message: Message, *, is_new: bool) -> ShownMessage:
    results = tuple(ShownResult(each.name, each.content, each.is_error)
                    for each in message.results)  # fmt: skip
    is_new = is_new and message.role != "system"
    return ShownMessage(message.role, message.text, _calls(message.calls), results, is_new)


def _calls(calls: Sequence[ToolCall]) -> tuple[ShownCall, ...]:
    return tuple(ShownCall(each.name, each.arguments, each.id) for each in calls)
