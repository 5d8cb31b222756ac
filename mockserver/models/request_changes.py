"""Calls of a model with another model or another system prompt, in any provider's form."""

from urllib.parse import quote, unquote

from mockserver.model import Json, JsonObject
from mockserver.models.calls import ModelCall

_SYSTEM_ROLES = frozenset({"system", "developer"})


def with_model(body: JsonObject, path: str, call: ModelCall, model: str) -> tuple[JsonObject, str]:
    """The body and the path of a call that asks another model of the same provider.

    Args:
        body: Its value.
        path: As sent, without a query.
        call: What it asks.
        model: The model's name.

    >>> from mockserver.models.calls import find_call
    >>> path, body = "/v1beta/models/a:generateContent", {"contents": []}
    >>> with_model(body, path, find_call("POST", "", path, body), "b")
    ({'contents': []}, '/v1beta/models/b:generateContent')
    """
    if "model" in body:
        body = {**body, "model": model}
    if not call.model:
        return body, path
    steps = path.split("/")
    for place in reversed(range(len(steps))):
        step = unquote(steps[place])
        if step == call.model or step.startswith(f"{call.model}:"):
            steps[place] = quote(model, safe="") + step[len(call.model) :]
            break
    return body, "/".join(steps)


def with_prompt(body: JsonObject, call: ModelCall, prompt: str) -> JsonObject:
    """The body of a call with another system prompt, which is put where its provider has it.

    System messages at the beginning of a conversation make room for it; later ones stay.

    >>> from mockserver.models.calls import find_call
    >>> body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    >>> with_prompt(body, find_call("POST", "", "/v1/chat/completions", body), "Be brief.")
    {'model': 'm', 'messages': [{'role': 'system', 'content': 'Be brief.'}, \
{'role': 'user', 'content': 'Hi'}]}
    """
    match call.provider:
        case "anthropic":
            return {**body, "system": prompt}
        case "bedrock":
            return {**body, "system": [{"text": prompt}]}
        case "gemini":
            name = "system_instruction" if "system_instruction" in body else "systemInstruction"
            return {**body, name: {"parts": [{"text": prompt}]}}
        case _ if "messages" in body:
            return {**body, "messages": _with_system_message(body["messages"], prompt)}
        case "openai":
            said = body.get("input")
            kept = said if isinstance(said, str) else _after_system(said)
            return {**body, "instructions": prompt, "input": kept}
        case _:
            return {**body, "system": prompt}


def _with_system_message(messages: Json, prompt: str) -> Json:
    role = "system"
    if isinstance(messages, list) and messages and isinstance(messages[0], dict):
        first = messages[0].get("role")
        role = first if isinstance(first, str) and first in _SYSTEM_ROLES else role
    message: JsonObject = {"role": role, "content": prompt}
    rest = _after_system(messages)
    return [message, *rest] if isinstance(rest, list) else [message]


def _after_system(messages: Json) -> Json:
    """Messages without the system messages at their beginning."""
    if not isinstance(messages, list):
        return messages
    start = 0
    for each in messages:
        if not isinstance(each, dict) or each.get("role") not in _SYSTEM_ROLES:
            break
        start += 1
    return messages[start:]
