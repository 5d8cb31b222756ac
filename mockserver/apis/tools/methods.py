"""The JSON tool API: what tools there are, in which forms, and what calling one answers.

Sources: the public references of OpenAI's chat completions (`tools`), of Anthropic's messages
(`tools`), of Gemini's generateContent (`functionDeclarations`), and OpenAPI 3.1.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from mockserver.apis.tools import PREFIX
from mockserver.apis.tools.arguments import check_arguments, schema_violations
from mockserver.apis.tools.bound_tools import TOOLS
from mockserver.googleapi import ApiError, Call, Handler, bad_fields, nearest
from mockserver.model import Json, JsonObject, Miss
from mockserver.state import Base, World
from mockserver.stubs import argument_differences
from mockserver.templates import TemplateError, condition, render_json, session_values

_VERSION = "1.0.0"


def _declared(tools: Sequence[JsonObject], schema: str) -> list[JsonObject]:
    """Tools with the schema of their arguments in a field."""
    return [
        {"name": tool["name"], "description": tool["description"], schema: tool["inputSchema"]}
        for tool in tools
    ]


def _openapi(tools: Sequence[JsonObject]) -> JsonObject:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tools", "version": _VERSION},
        "paths": {f"/tools/{tool['name']}": {"post": _operation(tool)} for tool in tools},
    }


def _operation(tool: JsonObject) -> JsonObject:
    result = tool.get("outputSchema") or {}
    answer = {"type": "object", "properties": {"result": result}, "required": ["result"]}
    return {
        "operationId": tool["name"],
        "description": tool["description"],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": tool["inputSchema"]}},
        },
        "responses": {
            "200": {
                "description": "The result.",
                "content": {"application/json": {"schema": answer}},
            },
            "default": {"description": "An error: `{error: {code, message, status}}`."},
        },
    }


_FORMS: Mapping[str, Callable[[Sequence[JsonObject]], JsonObject]] = {
    "": lambda tools: {"tools": list(tools)},
    "openai": lambda tools: {
        "tools": [{"type": "function", "function": each} for each in _declared(tools, "parameters")]
    },
    "anthropic": lambda tools: {"tools": _declared(tools, "input_schema")},
    "gemini": lambda tools: {
        "tools": [{"functionDeclarations": _declared(tools, "parametersJsonSchema")}]
    },
    "openapi": _openapi,
}
"""How tools are listed, by the word that `GET /tools?format=` asks for it by."""


_ANYTHING: JsonObject = {"type": "object"}


def tool_definitions(base: Base) -> dict[str, JsonObject]:
    """The tools that a session has by name, bound ones as `{"bound": name}` with their schema.

    A tool of the snapshot stands in for a bound one of the same name. Bound tools speak of Google's
    APIs: a snapshot that has tools of its own, and no collection of theirs, is without them.
    """
    own = dict(base.tools)
    if any("of" in tool for tool in own.values()):  # bound ones are among those of a perturbation
        return own
    if own and _collections_of_bound_tools().isdisjoint(base.keys):
        return own
    return {**_bound_definitions(), **own}


@cache
def _bound_definitions() -> dict[str, JsonObject]:
    return {
        name: {"bound": name, "description": tool.description, "inputSchema": tool.schema}
        for name, tool in TOOLS.items()
    }


@cache
def _collections_of_bound_tools() -> frozenset[str]:
    return frozenset(name for tool in TOOLS.values() for name in tool.reads)


def list_tools(world: World, form: str = "") -> JsonObject:
    """The tools of a session, in the form that a model's API wants.

    Args:
        world: What the session holds.
        form: `openai`, `anthropic`, `gemini` or `openapi`; empty for our own.

    Returns:
        In our own form `{"tools": [{name, description, inputSchema}]}`, with `title`,
        `outputSchema` and `annotations` where the snapshot has them.

    Raises:
        ApiError: 400: there is no such form.
    """
    tools = [
        {
            "name": name,
            "description": tool.get("description", ""),
            "inputSchema": _ANYTHING | (tool.get("inputSchema") or {}),
            **{key: tool[key] for key in ("title", "outputSchema", "annotations") if key in tool},
        }
        for name, tool in tool_definitions(world.base).items()
    ]
    if form not in _FORMS:
        known = ", ".join(sorted(name for name in _FORMS if name))
        raise bad_fields([("format", f"there is no form {form!r}; there are {known}")])
    return _FORMS[form](tools)


def call_tool(call: Call) -> JsonObject:
    """Answer `tools.<name>`; the call's body holds the arguments.

    Returns:
        `{"result": ...}`.

    Raises:
        ApiError: 404 for an unknown tool or arguments that no response is prepared for, 400 with
            every violation of the tool's schema, or what the API behind the tool answers.
    """
    name = call.id.removeprefix(PREFIX)
    tools = tool_definitions(call.world.base)
    tool = tools.get(name)
    if tool is None:
        raise unknown_tool(name, list(tools))
    check_arguments(tool.get("inputSchema"), call.body)
    try:
        result = _result(name, tool, call)
    except ApiError as error:
        if not tool.get("proseErrors"):
            raise
        result = f"Sorry, that did not work: {error.message}"
    limit = tool.get("resultLimit")
    if limit is not None:
        result = truncated_result(result, limit)
    return {"result": result}


def _result(name: str, tool: Mapping[str, Any], call: Call) -> Json:
    if "bound" in tool:
        return TOOLS[tool["bound"]].run(call)
    number = call.world.count(f"{PREFIX}{name}")
    if tool.get("call") is not None and not tool.get("responses"):
        result = _call_bound_method(name, tool, call, number)
    else:
        result = scripted_answer(name, tool, call, number)
    if tool.get("outputSchema") is not None:
        found = schema_violations(tool["outputSchema"], result)
        if found:
            where, text = found[0]
            raise _tool_failure(
                name, f"the result is not as its outputSchema says: {where}: {text}"
            )
    return result


def _call_bound_method(name: str, tool: Mapping[str, Any], call: Call, number: int) -> Json:
    """The answer of the method that a tool is bound to, or what a template makes of it."""
    how = tool["call"]
    bound: Mapping[str, Any] = {"method": how} if isinstance(how, str) else how
    values = _values(name, call, number)
    try:
        params = render_json(bound.get("params", "{{ arguments }}"), values)
        body = render_json(bound.get("body"), values)
    except TemplateError as error:
        raise _tool_failure(name, f"its call fails: {error}") from error
    if not isinstance(params, dict) or not isinstance(body, dict | None):
        raise _tool_failure(name, "its call has params or a body that are no objects")
    if isinstance(how, str):
        body = None if how.rpartition(".")[2] in _READS else dict(call.body)
    answer = call.ask(bound["method"], params, body)
    if "result" not in tool:
        return answer
    try:
        return render_json(tool["result"], {**values, "answer": answer})
    except TemplateError as error:
        raise _tool_failure(name, f"its result fails: {error}") from error


_READS = frozenset({"delete", "get", "list", "search"})
"""Methods that are given no body where a tool only names them."""


def _values(name: str, call: Call, number: int) -> dict[str, Any]:
    return {**session_values(call.world, f"{PREFIX}{name}", number), "arguments": call.body}


def scripted_answer(name: str, tool: Mapping[str, Any], call: Call, number: int) -> Json:
    """The first response that is for a call.

    Args:
        name: The tool's name.
        tool: Its definition.
        call: The call; its body holds the arguments.
        number: How often the tool was called, this call included.

    Raises:
        ApiError: The response is an error; or 404, a miss that names the nearest response.
    """
    responses: Sequence[JsonObject] = tool.get("responses") or ()
    compared: list[tuple[str, ...]] = []
    for response in responses:
        found = _response_differences(name, response, call, number)
        if not found:
            return _response_answer(name, response, call, number)
        compared.append(found)
    raise _no_response(name, responses, compared)


def _response_differences(
    name: str, response: JsonObject, call: Call, number: int
) -> tuple[str, ...]:
    found = argument_differences(response.get("when") or {}, call.body)
    if "number" in response:
        found += argument_differences({"call number": response["number"]}, {"call number": number})
    state = response.get("state")
    if state and not found:
        try:
            holds = condition(state).holds(_values(name, call, number))
        except TemplateError as error:
            raise _tool_failure(name, f"its condition on the state fails: {error}") from error
        found += () if holds else (f"state: {state}",)
    return found


def _response_answer(name: str, response: JsonObject, call: Call, number: int) -> Json:
    if response.get("template"):
        try:
            told: Any = render_json(
                {key: response[key] for key in ("result", "error") if key in response},
                _values(name, call, number),
            )
        except TemplateError as error:
            raise _tool_failure(name, f"its template fails: {error}") from error
        response = told
    refused = response.get("error")
    if refused is not None:
        status, text = int(refused.get("status", 500)), str(refused.get("message", ""))
        raise ApiError(status, text, reason=str(refused.get("reason", "")))
    return response.get("result")


def truncated_result(result: Json, limit: int) -> Json:
    """A result, or the beginning of its text where that has more characters than a limit."""
    import orjson

    text = result if isinstance(result, str) else orjson.dumps(result).decode()
    return result if len(text) <= limit else f"{text[:limit]}... [truncated]"


def _tool_failure(name: str, why: str) -> ApiError:
    text = f"The tool {name!r} of the snapshot fails: {why}"
    return ApiError(500, text, reason="toolFailed", miss=Miss(blame="fixture_gap", reason=text))


def _no_response(
    name: str, responses: Sequence[JsonObject], compared: Sequence[tuple[str, ...]]
) -> ApiError:
    if not responses:
        text = f"The tool {name!r} has no responses in this snapshot."
        return ApiError(404, text, miss=Miss(blame="fixture_gap", reason=text))
    number = min(range(len(compared)), key=lambda index: len(compared[index]))
    text = (
        f"No response of the tool {name!r} is for these arguments. "
        f"Nearest: responses[{number}], which differs in {'; '.join(compared[number])}."
    )
    miss = Miss(
        blame="fixture_gap",
        reason=f"no response of the tool {name!r} is for these arguments",
        nearest=f"tools.{name}.responses[{number}]",
        differs=compared[number],
    )
    return ApiError(404, text, miss=miss)


def unknown_tool(name: str, known: list[str]) -> ApiError:
    """404 for a tool that is not there, with the nearest one."""
    near = nearest(name, known)
    hint = f" Did you mean {near!r}?" if near else ""
    miss = Miss(blame="agent_error", reason=f"no tool is called {name!r}", nearest=near)
    return ApiError(404, f"There is no tool {name!r}.{hint}", reason="notFound", miss=miss)


HANDLERS: Mapping[str, Handler] = {f"{PREFIX}{name}": call_tool for name in TOOLS}
