"""Which request is a call of a model, whatever its address, and what counts of it."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

import orjson

from mockserver.messages import split_url
from mockserver.model import Json, JsonObject, RecordedRequest
from mockserver.models.messages import parse_text
from mockserver.models.providers import PROVIDERS
from mockserver.models.providers.provider import ChatFormat, Operation

VOLATILE_MEMBERS = frozenset({
    "user", "metadata", "safety_identifier", "prompt_cache_key", "prompt_cache_retention",
    "cachedContent", "cached_content", "requestMetadata", "labels",
})  # fmt: skip
"""Members of a request that do not count: who asks, and what is cached."""

_CACHE_HINTS = frozenset({"cache_control", "cachePoint"})
_CALL_IDS = frozenset({"tool_call_id", "call_id", "tool_use_id", "toolUseId"})
_CALLS_WITH_ID = frozenset(
    {"functionCall", "functionResponse", "function_call", "function_response"}
)
_ITEMS = frozenset({
    "message", "reasoning", "function_call", "function_call_output", "custom_tool_call",
    "custom_tool_call_output",
})  # fmt: skip
_TEXTS = frozenset({None, "text", "input_text", "output_text"})
_PLAIN_TEXT = frozenset({"type", "text", "annotations", "logprobs"})
_ARGUMENTS = frozenset({"arguments", "args"})
_TOOL_ROLES = frozenset({"tool", "function"})
_RESULTS = frozenset({"tool_result", "function_call_output", "custom_tool_call_output"})


class ModelCall(NamedTuple):
    """A call of a model.

    Attributes:
        provider: Whose form it has, `openai`.
        operation: What it asks, `openai.chat.completions.create`.
        model: The model that the path names, or an empty string.
        conversation: The members of its body that make up the conversation, in order.
        is_chat: Whether it asks for the next turn of the conversation.
    """

    provider: str
    operation: str
    model: str
    conversation: tuple[str, ...]
    is_chat: bool = False


def find_call(verb: str, host: str, path: str, body: Json) -> ModelCall | None:
    """The call of a model that a request is, by the end of its path and what it holds.

    Args:
        verb: Upper case.
        host: Where it goes; a host of a provider decides between two that fit.
        path: Without a query; anything may stand before what the provider names.
        body: Its value.

    Returns:
        The call; None for any other request.

    >>> body = {"model": "gpt-5", "messages": []}
    >>> find_call("POST", "gateway", "/a/v1/chat/completions", body).operation
    'openai.chat.completions.create'
    """
    if not isinstance(body, dict):
        return None
    names_model = isinstance(body.get("model"), str)
    for call in _calls_at(verb, host, path):
        if (call.model or names_model) and any(name in body for name in call.conversation):
            return call
    return None


def chat_of(request: RecordedRequest) -> tuple[ModelCall, JsonObject] | None:
    """The turn of a conversation that a request asks a model for, and its body; else None.

    Args:
        request: Without content coding.
    """
    url = split_url(request.url)
    try:
        body = orjson.loads(request.body)
    except orjson.JSONDecodeError:
        return None
    call = find_call(request.method, url.host, url.path, body)
    return (call, body) if call is not None and call.is_chat else None


def host_of(provider: str) -> str:
    """A host of a provider by its name, for calls that name only the provider; or an empty string.

    >>> host_of("openai"), host_of("bedrock")
    ('api.openai.com', 'bedrock-runtime.us-east-1.amazonaws.com')
    """
    hosts = (each.hosts for each in PROVIDERS if each.name == provider)
    first = next(hosts, ())[:1]
    return first[0].replace("*", "us-east-1") if first else ""


def is_model_host(host: str) -> bool:
    """Whether a host is one of a provider of models.

    >>> is_model_host("api.openai.com"), is_model_host("cloud.langfuse.com")
    (True, False)
    """
    return any(fnmatchcase(host, each) for provider in PROVIDERS for each in provider.hosts)


@lru_cache(1024)
def _calls_at(verb: str, host: str, path: str) -> tuple[ModelCall, ...]:
    """The calls that a path may be, one of each provider; those of the host's own come first."""
    steps = path.split("/")
    ends = ["/" + "/".join(steps[start:]) for start in range(1, len(steps))]
    by_host = sorted(
        PROVIDERS, key=lambda each: not any(fnmatchcase(host, one) for one in each.hosts)
    )
    found: list[ModelCall] = []
    for provider in by_host:
        operations = (provider.find(verb, end) for end in ends)
        operation = next((each for each in operations if each is not None), None)
        if operation is not None and (names := _conversation_of(operation)):
            is_chat = isinstance(operation.format, ChatFormat)
            found.append(ModelCall(provider.name, operation.id, operation.model, names, is_chat))
    return tuple(found)


def _conversation_of(operation: Operation) -> tuple[str, ...]:
    return operation.format.conversation if operation.format else operation.conversation


def normalise(body: JsonObject, call: ModelCall) -> JsonObject:
    """What counts of the body of a call.

    Without cache hints, who asks, ids of items, members that are null; ids of tool calls numbered
    in their order; tools sorted; arguments and results that are JSON texts as their values; a list
    of one text as the text.

    >>> call = find_call("POST", "", "/v1/messages", {"model": "m", "messages": []})
    >>> normalise(
    ...     {
    ...         "model": "m",
    ...         "user": "u",
    ...         "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
    ...     },
    ...     call,
    ... )
    {'model': 'm', 'messages': [{'role': 'user', 'content': 'Hi'}]}
    """
    ids: dict[str, str] = {}
    kept: JsonObject = {}
    for name, value in body.items():
        if name in VOLATILE_MEMBERS or value is None:
            continue
        if name in call.conversation:
            kept[name] = _plain(value, ids)
        elif name == "tools":
            tools = _sorted_tools(value, ids)
            if tools:
                kept[name] = tools
        elif name == "toolConfig" and isinstance(value, dict) and "tools" in value:
            kept[name] = {**_members(value, ids), "tools": _sorted_tools(value["tools"], ids)}
        else:
            kept[name] = value
    return kept


def _only(content: Json) -> Json:
    return content[0] if isinstance(content, list) and len(content) == 1 else None


def _text_part(part: Json) -> str | None:
    """The text of a part that is nothing but a text."""
    if not isinstance(part, dict) or not part.keys() <= _PLAIN_TEXT:
        return None
    text = part.get("text")
    return text if isinstance(text, str) and part.get("type") in _TEXTS else None


def _sorted_tools(tools: Json, ids: dict[str, str]) -> Json:
    if not isinstance(tools, list):
        return tools
    found = [_plain(each, ids) for each in tools if not _is_hint(each)]
    for each in found:
        for name in ("functionDeclarations", "function_declarations"):
            if isinstance(each, dict) and isinstance(each.get(name), list):
                each[name] = sorted(each[name], key=_order)
    return sorted(found, key=_order)


def _order(value: Json) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _is_hint(value: Json) -> bool:
    return isinstance(value, dict) and bool(value) and value.keys() <= _CACHE_HINTS


def _plain(value: Json, ids: dict[str, str]) -> Json:
    if isinstance(value, list):
        found = [_plain(each, ids) for each in value if not _is_hint(each)]
        text = _text_part(_only(found))
        return found if text is None else text
    return _members(value, ids) if isinstance(value, dict) else value


def _members(value: Mapping[str, Json], ids: dict[str, str]) -> JsonObject:
    kind = value.get("type")
    is_result = value.get("role") in _TOOL_ROLES or kind in _RESULTS
    is_item = kind in _ITEMS
    is_call = not is_item and (kind == "tool_use" or "function" in value)
    found: JsonObject = {}
    for name, each in value.items():
        if each is None or name in _CACHE_HINTS or (is_item and name in {"id", "status"}):
            continue
        if name in _CALL_IDS or (is_call and name == "id"):
            found[name] = _number(each, ids)
        elif name in _ARGUMENTS:
            found[name] = parse_text(each) if isinstance(each, str) else each
        elif name == "input" and kind == "tool_use":
            found[name] = each
        elif name in _CALLS_WITH_ID and isinstance(each, dict):
            found[name] = {key: _number(part, ids) if key == "id" else part
                           for key, part in each.items() if part is not None}  # fmt: skip
        elif is_result and name in {"content", "output"}:
            plain = _plain(each, ids)
            found[name] = parse_text(plain) if isinstance(plain, str) else plain
        else:
            found[name] = _plain(each, ids)
    return found


def _number(given: Json, ids: dict[str, str]) -> Json:
    if not isinstance(given, str):
        return given
    return ids.setdefault(given, f"call-{len(ids) + 1}")
