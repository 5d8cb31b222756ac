"""Resources, prompts and completions, as methods `mcp.<name>` of a session."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import orjson

from mockserver.apis.mcp.signin import HANDLERS as OF_SIGN_IN
from mockserver.apis.mcp.snapshot import PromptEntry, ResourceEntry, settings_of
from mockserver.googleapi import ApiError, Call, Handler, invalid, nearest
from mockserver.model import JsonObject, Miss
from mockserver.state import World
from mockserver.templates import TemplateError, render_json, session_values

_VARIABLE = re.compile(r"\{([+#./;?&]?)(\w+)(?::\d+|\*)?\}")
_LONGEST_URI = 8192
_MOST_VALUES = 100
"""How many values a completion may have."""

_LARGEST = ("text", "blob", "json_value", "links", "complete")


def render_templates(world: World, value: Any, place: str, arguments: Mapping[str, Any]) -> Any:
    """A value whose texts are templates, over the arguments of a call and the session.

    Args:
        world: What the session holds.
        value: JSON.
        place: What is answered, for made-up values.
        arguments: Their names stand for themselves; all of them are `args`.

    Raises:
        ApiError: 500: a template fails.
    """
    try:
        return render_json(
            value, {**session_values(world, place, 1), **arguments, "args": arguments}
        )
    except TemplateError as error:
        text = f"The template of {place} fails: {error}"
        raise ApiError(500, text, miss=Miss(blame="fixture_gap", reason=text)) from error


def list_resources(call: Call) -> JsonObject:
    """`{"resources": [...]}`, without what they hold."""
    entries = settings_of(call.world).resources
    return {"resources": [{"uri": uri, **_head(uri, each)} for uri, each in entries.items()]}


def list_templates(call: Call) -> JsonObject:
    """`{"resourceTemplates": [...]}`."""
    entries = settings_of(call.world).resource_templates
    listed = [{"uriTemplate": uri, **_head(uri, each)} for uri, each in entries.items()]
    return {"resourceTemplates": listed}


def read_resource(call: Call) -> JsonObject:
    """`{"contents": [...]}` of a URI: of a resource, or of the first template that it fits.

    Raises:
        ApiError: 404 that names the nearest URI.
    """
    block, uri = settings_of(call.world), str(call.body.get("uri", ""))
    entry = block.resources.get(uri)
    if entry is not None:
        linked = ((link, block.resources.get(link)) for link in entry.links)
        held = [(uri, entry), *((link, each) for link, each in linked if each is not None)]
        return {"contents": [_contents(call.world, link, each, {}) for link, each in held]}
    for template, each in block.resource_templates.items():
        values = variables_of(template, uri)
        if values is not None:
            return {"contents": [_contents(call.world, uri, each, values)]}
    raise _unknown("resource", uri, block.resources)


def list_prompts(call: Call) -> JsonObject:
    """`{"prompts": [...]}`."""
    prompts = settings_of(call.world).prompts
    return {"prompts": [{"name": name, **_prompt(each)} for name, each in prompts.items()]}


def get_prompt(call: Call) -> JsonObject:
    """`{"description", "messages"}` of a prompt, with its arguments filled in.

    Raises:
        ApiError: 404 for an unknown prompt; 400 for arguments that are missing or unknown.
    """
    prompts = settings_of(call.world).prompts
    name = str(call.body.get("name", ""))
    prompt = prompts.get(name)
    if prompt is None:
        raise _unknown("prompt", name, prompts)
    given = call.body.get("arguments") or {}
    known = {each.name for each in prompt.arguments}
    for each in prompt.arguments:
        if each.required and each.name not in given:
            raise invalid(f"The prompt {name!r} needs the argument {each.name!r}.")
    for each in given:
        if each not in known:
            near = nearest(each, known)
            hint = f" Did you mean {near!r}?" if near else ""
            raise invalid(f"The prompt {name!r} has no argument {each!r}.{hint}")
    values = {**dict.fromkeys(known, ""), **given}
    answer: JsonObject = {"messages": render_templates(call.world, _messages(prompt), name, values)}
    if prompt.description is not None:
        answer["description"] = prompt.description
    return answer


def complete(call: Call) -> JsonObject:
    """`{"completion": {"values", "total", "hasMore"}}`: what begins as the argument does.

    Raises:
        ApiError: 404 for an unknown prompt or template.
    """
    block, ref, argument = settings_of(call.world), call.body["ref"], call.body["argument"]
    values: Iterable[str]
    if ref.get("type") == "ref/prompt":
        prompt = block.prompts.get(ref["name"])
        if prompt is None:
            raise _unknown("prompt", ref["name"], block.prompts)
        found = (each for each in prompt.arguments if each.name == argument["name"])
        values = next((each.complete for each in found), ())
    else:
        template = block.resource_templates.get(ref["uri"])
        if template is None and ref["uri"] not in block.resources:
            raise _unknown("resource template", ref["uri"], block.resource_templates)
        values = () if template is None else template.complete.get(argument["name"], ())
    begun = str(argument["value"]).casefold()
    fitting = [value for value in values if value.casefold().startswith(begun)]
    shown = fitting[:_MOST_VALUES]
    told: JsonObject = {"values": shown, "total": len(fitting), "hasMore": shown != fitting}
    return {"completion": told}


def variables_of(template: str, uri: str) -> dict[str, str] | None:
    """The values of a template's variables in a URI; None where it is none of the template's.

    >>> variables_of("file:///{dir}/{+path}", "file:///a/b/c")
    {'dir': 'a', 'path': 'b/c'}
    """
    if len(uri) > _LONGEST_URI:
        return None
    found = _pattern(template).fullmatch(uri)
    return (
        None if found is None else {name: value or "" for name, value in found.groupdict().items()}
    )


@lru_cache(maxsize=1024)
def _pattern(template: str) -> Any:
    # RE2 takes linear time, whatever the template is
    import re2

    made, end = "", 0
    for hit in _VARIABLE.finditer(template):
        made += re2.escape(template[end : hit.start()])
        made += f"(?P<{hit[2]}>.*)" if hit[1] in "+#" and hit[1] else f"(?P<{hit[2]}>[^/?#]*)"
        end = hit.end()
    return re2.compile(made + re2.escape(template[end:]))


def _head(uri: str, entry: ResourceEntry) -> JsonObject:
    head = entry.model_dump(by_alias=True, exclude_none=True, exclude=set(_LARGEST))
    head.setdefault("name", uri)
    if entry.mime_type is None and entry.json_value is not None:
        head["mimeType"] = "application/json"
    return head


def _contents(
    world: World, uri: str, entry: ResourceEntry, values: Mapping[str, str]
) -> JsonObject:
    kind = entry.mime_type
    if entry.blob is not None:
        kind = kind or "application/octet-stream"
        return {"uri": uri, "mimeType": kind, "blob": entry.blob}
    if entry.json_value is not None:
        value = render_templates(world, entry.json_value, uri, values)
        text = orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
        return {"uri": uri, "mimeType": kind or "application/json", "text": text}
    text = str(render_templates(world, entry.text or "", uri, values))
    return {"uri": uri, "mimeType": kind or "text/plain", "text": text}


def _prompt(prompt: PromptEntry) -> JsonObject:
    shown = prompt.model_dump(by_alias=True, exclude_none=True, exclude={"messages", "arguments"})
    arguments = [
        each.model_dump(by_alias=True, exclude_none=True, exclude={"complete"})
        for each in prompt.arguments
    ]
    return {**shown, "arguments": arguments} if arguments else shown


def _messages(prompt: PromptEntry) -> list[JsonObject]:
    return [
        {
            "role": each.role,
            "content": {"type": "text", "text": each.text or ""}
            if each.content is None
            else each.content.model_dump(by_alias=True, exclude_none=True),
        }
        for each in prompt.messages
    ]


def _unknown(kind: str, name: str, known: Iterable[str]) -> ApiError:
    near = nearest(name, list(known))
    hint = f" Did you mean {near!r}?" if near else ""
    miss = Miss(blame="agent_error", reason=f"there is no {kind} {name!r}", nearest=near)
    return ApiError(404, f"There is no {kind} {name!r}.{hint}", reason="notFound", miss=miss)


HANDLERS: Mapping[str, Handler] = {
    **OF_SIGN_IN,
    "mcp.resources.list": list_resources,
    "mcp.resources.templates.list": list_templates,
    "mcp.resources.read": read_resource,
    "mcp.prompts.list": list_prompts,
    "mcp.prompts.get": get_prompt,
    "mcp.completion.complete": complete,
}
"""Method id to what answers it."""
