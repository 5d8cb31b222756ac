"""What recordings of an MCP server hold: what it lists, and what its tools answer."""

from collections.abc import Iterable, Iterator, Mapping

import orjson

from mockserver.drift.shapes import Subject, add_value
from mockserver.messages.mcp_calls import GREETINGS, McpCall, is_mcp, mcp_call
from mockserver.model import Interaction, Json, JsonObject

Definitions = Mapping[str, Mapping[str, JsonObject]]
"""What servers list: kind of thing to name to its definition."""

_LISTS = {
    "tools/list": ("tools", "name"),
    "resources/list": ("resources", "uri"),
    "resources/templates/list": ("resourceTemplates", "uriTemplate"),
    "prompts/list": ("prompts", "name"),
}
"""A method that lists to the member that holds the things, and to what each is called by."""

SERVER = "server"
"""The kind of definition that a server itself is."""

_OF_PROTOCOL = frozenset({"_meta", "cacheScope", "resultType", "ttlMs"})

_FAILED, _REFUSED, _DONE = 500, 400, 200


def subject_of(call: McpCall) -> str:
    """What a call is compared as: a tool or a prompt of its own, else its method.

    >>> subject_of(McpCall("tools/call", {"name": "add"})), subject_of(McpCall("tools/list", {}))
    ('tools.add', 'mcp.tools.list')
    """
    name = call.params.get("name")
    if call.method in {"tools/call", "prompts/get"} and isinstance(name, str):
        return f"{call.method.partition('/')[0]}.{name}"
    return "mcp." + call.method.replace("/", ".")


def survey_mcp(
    interactions: Iterable[Interaction],
) -> tuple[dict[str, Subject], Definitions]:
    """What recordings of MCP hold: subjects, and what was listed last under each name."""
    subjects: dict[str, Subject] = {}
    listed: dict[str, dict[str, JsonObject]] = {}
    for interaction in interactions:
        if not is_mcp(interaction):
            continue
        try:
            call = mcp_call(interaction)
        except ValueError:
            continue
        if call.method in GREETINGS:
            listed.setdefault(SERVER, {})[""] = _introduction(call.result or {})
            continue
        subject = subjects.setdefault(subject_of(call), Subject())
        if call.method in _LISTS:
            kind, key = _LISTS[call.method]
            listed.setdefault(kind, {}).update(_items_by_name(call.result or {}, kind, key))
            subject.count = 1
            continue
        status = _status(call)
        subject.count += 1
        subject.statuses[status] += 1
        if status == _DONE and call.result is not None:
            add_value(subject.shape, _parsed_texts(call.result))
    return subjects, listed


def _introduction(result: JsonObject) -> JsonObject:
    """What a server says of itself, whichever version of the protocol it was asked in."""
    meta, info = result.get("_meta"), result.get("serverInfo")
    if info is None and isinstance(meta, dict):
        info = next((meta[key] for key in meta if key.endswith("/serverInfo")), None)
    told: JsonObject = {"serverInfo": info or {}}
    return told | ({"instructions": result["instructions"]} if "instructions" in result else {})


def _status(call: McpCall) -> int:
    if call.result is None:
        return _REFUSED
    return _FAILED if call.result.get("isError") is True else _DONE


def _items_by_name(result: JsonObject, kind: str, key: str) -> Iterator[tuple[str, JsonObject]]:
    things = result.get(kind)
    for thing in things if isinstance(things, list) else ():
        if isinstance(thing, dict) and isinstance(thing.get(key), str):
            yield thing[key], thing


def _parsed_texts(result: JsonObject) -> JsonObject:
    """A result without what versions of the protocol add; texts that are JSON as what they say."""
    found = {name: value for name, value in result.items() if name not in _OF_PROTOCOL}
    content = found.get("content")
    if isinstance(content, list):
        found["content"] = [_parsed_text(block) for block in content]
    return found


def _parsed_text(block: Json) -> Json:
    if not isinstance(block, dict) or not isinstance(block.get("text"), str):
        return block
    try:
        value = orjson.loads(block["text"])
    except orjson.JSONDecodeError:
        return block
    return {**block, "text": value} if isinstance(value, dict | list) else block
