"""What a snapshot says under `mcp`, as models; a mistake is told with its pointer."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from mockserver.apis.mcp import KEY
from mockserver.errors import Problem, plain_reason
from mockserver.googleapi import SnapshotImport
from mockserver.model import FEW, Frozen, Json, JsonObject, did_you_mean
from mockserver.state import World
from mockserver.templates import template_problems


class _Part(Frozen):
    """A part of the block; its keys are camelCase, as those of the protocol."""

    model_config = ConfigDict(alias_generator=to_camel)


class TextBlock(_Part):
    """A text.

    Attributes:
        type: `text`.
        text: The text; it is a template.
        annotations: For whom it is, how important.
    """

    type: Literal["text"]
    text: str
    annotations: JsonObject | None = None


class MediaBlock(_Part):
    """A picture or a sound.

    Attributes:
        type: `image` or `audio`.
        data: Its bytes, base64.
        mime_type: Its type.
        annotations: For whom it is, how important.
    """

    type: Literal["image", "audio"]
    data: str
    mime_type: str
    annotations: JsonObject | None = None


class ResourceBlock(_Part):
    """A resource in place.

    Attributes:
        type: `resource`.
        resource: The same as the contents of a resource: `uri`, `mimeType`, `text` or `blob`.
        annotations: For whom it is, how important.
    """

    type: Literal["resource"]
    resource: JsonObject
    annotations: JsonObject | None = None


class LinkBlock(_Part):
    """A link to a resource.

    Attributes:
        type: `resource_link`.
        uri: Its address.
        name: Its name.
        title: Its name for people.
        description: What it is.
        mime_type: Its type.
        annotations: For whom it is, how important.
    """

    type: Literal["resource_link"]
    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    annotations: JsonObject | None = None


Block = Annotated[TextBlock | MediaBlock | ResourceBlock | LinkBlock, Field(discriminator="type")]
"""A block of content, as a prompt or a tool gives it."""

_BLOCKS: TypeAdapter[list[Block]] = TypeAdapter(list[Block])


class ResourceEntry(_Part):
    """A resource.

    Attributes:
        name: Its name; the URI where there is none.
        title: Its name for people.
        description: What it is.
        mime_type: Its type; by what it holds where none is given.
        size: Its size in bytes.
        annotations: For whom it is, how important.
        icons: Its pictures.
        text: What it holds, as text.
        blob: What it holds, as base64.
        json_value: What it holds, as JSON (`json`).
        links: URIs that are told with it: their contents follow its own.
    """

    name: str | None = None
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = Field(default=None, ge=0)
    annotations: JsonObject | None = None
    icons: tuple[JsonObject, ...] | None = None
    text: str | None = None
    blob: str | None = None
    json_value: Json = Field(default=None, alias="json")
    links: tuple[str, ...] = ()


class TemplateEntry(ResourceEntry):
    """A resource template; `{{name}}` in its text stands for a variable of its URI.

    Attributes:
        complete: Variable to the values that are suggested for it.
    """

    complete: dict[str, tuple[str, ...]] = {}


class PromptArgument(_Part):
    """An argument of a prompt.

    Attributes:
        name: Its name.
        title: Its name for people.
        description: What it is.
        required: Whether it must be there.
        complete: The values that are suggested for it.
    """

    name: str
    title: str | None = None
    description: str | None = None
    required: bool = False
    complete: tuple[str, ...] = ()


class PromptMessage(_Part):
    """A message of a prompt.

    Attributes:
        role: Who says it.
        text: What is said; `{{name}}` stands for an argument.
        content: The same as a block of any type.
    """

    role: Literal["user", "assistant"] = "user"
    text: str | None = None
    content: Block | None = None


class PromptEntry(_Part):
    """A prompt.

    Attributes:
        title: Its name for people.
        description: What it is for.
        arguments: What it asks for.
        messages: What it is made of.
        icons: Its pictures.
    """

    title: str | None = None
    description: str | None = None
    arguments: tuple[PromptArgument, ...] = ()
    messages: tuple[PromptMessage, ...] = ()
    icons: tuple[JsonObject, ...] | None = None


class ProgressStep(_Part):
    """One note of how far a tool is.

    Attributes:
        progress: How far.
        total: Of how much.
        message: What is being done.
        delay_ms: How long it takes until then, in milliseconds.
    """

    progress: float
    total: float | None = None
    message: str | None = None
    delay_ms: float = Field(default=0, ge=0, le=60_000)


class LogLine(_Part):
    """One line that a tool logs.

    Attributes:
        level: How grave it is.
        data: What is logged.
        logger: Who logs it.
        delay_ms: How long it takes until then, in milliseconds.
    """

    level: Literal[
        "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
    ] = "info"
    data: Json
    logger: str | None = None
    delay_ms: float = Field(default=0, ge=0, le=60_000)


class UserAnswer(_Part):
    """What a user is taken to have said.

    Attributes:
        action: Whether the form was filled in.
        content: Its fields.
    """

    action: Literal["accept", "decline", "cancel"] = "accept"
    content: JsonObject = {}


class Elicitation(_Part):
    """What a tool asks the user of the client.

    Attributes:
        message: What the user reads; `{{name}}` stands for an argument.
        requested_schema: The form: a flat JSON Schema.
        into: The argument that takes the form; its fields are arguments where none is given.
        unless: Arguments; where all of them are there, nobody is asked.
        otherwise: What is taken for the answer of a client that asks no users.
        declined: The result of the tool where the user declines or cancels: a text.
    """

    message: str
    requested_schema: JsonObject = {"type": "object", "properties": {}}
    into: str = ""
    unless: tuple[str, ...] = ()
    otherwise: UserAnswer | None = None
    declined: str | None = None


class Sampling(_Part):
    """What a tool asks the model of the client.

    Attributes:
        prompt: What the model is told; `{{name}}` stands for an argument.
        system_prompt: What it is told before.
        max_tokens: How long its answer may be.
        into: The argument that takes the text of its answer.
        otherwise: What is taken for the answer of a client that asks no model.
    """

    prompt: str
    system_prompt: str | None = None
    max_tokens: int = Field(default=100, ge=1)
    into: str = ""
    otherwise: str | None = None


class Names(_Part):
    """What is listed from then on.

    Attributes:
        tools: Names of tools.
        resources: URIs of resources.
        prompts: Names of prompts.
    """

    tools: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()


class ToolScript(_Part):
    """How a tool behaves over MCP, beside its answer.

    Attributes:
        title: Its name for people.
        annotations: Hints: `readOnlyHint`, `destructiveHint` and others.
        output_schema: The JSON Schema of its structured results.
        icons: Its pictures.
        content: Whether its results are lists of blocks of content, sent as they are.
        log: What it logs before it answers.
        progress: How far it says to be before it answers.
        elicit: What it asks the user, in order; the answers become arguments.
        sample: What it asks the model, in order; the answers become arguments.
        reveals: What is listed only once it was called.
        updates: URIs of resources that a call changes: their subscribers are told.
        delay_ms: How long it takes, in milliseconds.
    """

    title: str | None = None
    annotations: JsonObject | None = None
    output_schema: JsonObject | None = None
    icons: tuple[JsonObject, ...] | None = None
    content: bool = False
    log: tuple[LogLine, ...] = ()
    progress: tuple[ProgressStep, ...] = ()
    elicit: tuple[Elicitation, ...] = ()
    sample: tuple[Sampling, ...] = ()
    reveals: Names = Names()
    updates: tuple[str, ...] = ()
    delay_ms: float = Field(default=0, ge=0, le=60_000)


class OAuth(_Part):
    """How clients sign in.

    Attributes:
        scopes: What a token must have.
        registration: Whether clients may register themselves.
    """

    scopes: tuple[str, ...] = ()
    registration: bool = True


class Mcp(_Part):
    """The block `mcp` of a snapshot.

    Attributes:
        name: What the server is called.
        title: The same for people.
        version: Its version.
        description: What it is.
        instructions: What a model should know about it.
        website_url: Where people read of it.
        page_size: How many things a list gives at once; all where none is given.
        auth: How clients sign in; anybody is served where it is not there.
        tools: Tool to how it behaves.
        resources: URI to resource.
        resource_templates: URI template (RFC 6570) to what stands at such addresses.
        prompts: Name to prompt.
    """

    name: str = "understudy"
    title: str | None = None
    version: str = "1.0.0"
    description: str | None = None
    instructions: str | None = None
    website_url: str | None = None
    page_size: int | None = Field(default=None, ge=1)
    auth: OAuth | None = None
    tools: dict[str, ToolScript] = {}
    resources: dict[str, ResourceEntry] = {}
    resource_templates: dict[str, TemplateEntry] = {}
    prompts: dict[str, PromptEntry] = {}


_PLAIN = ToolScript()
_NOTHING = Mcp()


def note_problems(found: SnapshotImport) -> None:
    """Note everything under `mcp` that cannot be served."""
    raw = found.raw[KEY]
    try:
        block = Mcp.model_validate(raw)
    except ValidationError as error:
        found.problems += _problems(error)
        return
    tools = found.raw.get("tools")
    for name, entry in {**block.resources, **block.resource_templates}.items():
        held = sum(each is not None for each in (entry.text, entry.blob, entry.json_value))
        if held > 1:
            kind = "resourceTemplates" if isinstance(entry, TemplateEntry) else "resources"
            where = _pointer((kind, name))
            found.problems.append(
                Problem(where, "has more than one of 'text', 'blob' and 'json'", "keep one")
            )
    for key in ("resources", "resourceTemplates", "prompts", "tools"):
        for name, entry in raw.get(key, {}).items():
            places = template_problems(entry, _pointer((key, name)))
            found.problems += [Problem(where, reason) for where, reason in places]
    found.problems += _blocks_of_tools(block, tools if isinstance(tools, dict) else {})


def _blocks_of_tools(block: Mcp, tools: Mapping[str, Any]) -> list[Problem]:
    """Results that are said to be blocks of content and are not."""
    found: list[Problem] = []
    for name, script in block.tools.items():
        tool = tools.get(name)
        responses = tool.get("responses") if script.content and isinstance(tool, dict) else None
        for number, response in enumerate(responses if isinstance(responses, list) else ()):
            if not isinstance(response, dict) or "result" not in response:
                continue
            try:
                _BLOCKS.validate_python(response["result"])
            except ValidationError as error:
                first = error.errors(include_url=False, include_input=False)[0]
                where = f"/tools/{_escape(name)}/responses/{number}/result"
                place = "/".join([where, *(_escape(str(part)) for part in first["loc"])])
                hint = f"/mcp/tools/{_escape(name)}/content says that it is a list of blocks"
                found.append(Problem(place, plain_reason(first["msg"]), hint))
    return found


def _problems(error: ValidationError) -> list[Problem]:
    found: list[Problem] = []
    for item in error.errors(include_input=False, include_url=False):
        place = item["loc"]
        if item["type"] == "extra_forbidden" and len(found) < FEW:
            hint = did_you_mean(str(place[-1]), _keys_at(Mcp, place[:-1]))
            found.append(Problem(_pointer(place), f"unknown key {place[-1]!r}", hint))
        else:
            found.append(Problem(_pointer(place), plain_reason(item["msg"])))
    return found


def _keys_at(model: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """The keys that a place of the block may have."""
    schema = model.model_json_schema(ref_template="{model}")
    definitions = schema.get("$defs", {})
    for step in place:
        schema = _resolve_references(schema, definitions)
        if isinstance(step, int):
            schema = schema.get("items", {})
        elif step in schema.get("properties", {}):
            schema = schema["properties"][step]
        elif isinstance(schema.get("additionalProperties"), dict):
            schema = schema["additionalProperties"]
    return list(_resolve_references(schema, definitions).get("properties", {}))


def _resolve_references(schema: JsonObject, definitions: JsonObject) -> JsonObject:
    for each in (schema, *schema.get("anyOf", ())):
        if "$ref" in each:
            found: JsonObject = definitions[each["$ref"]]
            return found
    return schema


def _pointer(place: tuple[int | str, ...]) -> str:
    return "/".join(["", KEY, *(_escape(str(part)) for part in place)])


def _escape(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1")


_KEPT = 64
_READ: OrderedDict[int, tuple[Mapping[str, Json], Mcp]] = OrderedDict()
"""Blocks that were read lately, by identity; each with what it was read from."""


def settings_of(world: World) -> Mcp:
    """What the world's snapshot says under `mcp`."""
    raw = world.base.mcp
    if not raw:
        return _NOTHING
    found = _READ.get(id(raw))
    if found is None or found[0] is not raw:
        found = _READ[id(raw)] = raw, Mcp.model_validate(raw)
        if len(_READ) > _KEPT:
            _READ.popitem(last=False)
    return found[1]


def tool_script(block: Mcp, name: str) -> ToolScript:
    """How a tool behaves; most have nothing to say."""
    return block.tools.get(name, _PLAIN)
