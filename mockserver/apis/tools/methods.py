"""The JSON tool API: what tools there are, and what calling one answers."""

from collections.abc import Mapping, Sequence
from typing import Any

from mockserver.apis.tools.arguments import argument_differences, check_arguments
from mockserver.apis.tools.bound_tools import TOOLS
from mockserver.googleapi import ApiError, Call, Handler, nearest
from mockserver.model import JsonObject, Miss
from mockserver.state import World


def scripted_answer(name: str, tool: Mapping[str, Any], arguments: JsonObject) -> JsonObject:
    """The first response that is for these arguments.

    Raises:
        ApiError: The response is an error; or 404, a miss that names the nearest response.
    """
    responses: Sequence[JsonObject] = tool.get("responses") or ()
    compared = [argument_differences(item.get("when") or {}, arguments) for item in responses]
    for response, found in zip(responses, compared, strict=True):
        if not found:
            return _response_answer(response)
    raise _no_response(name, responses, compared)


def _response_answer(response: JsonObject) -> JsonObject:
    error = response.get("error")
    if error is not None:
        status = int(error.get("status", 500))
        raise ApiError(status, str(error.get("message", "")), reason=str(error.get("reason", "")))
    return {"result": response.get("result")}


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


PREFIX = "tools."


def list_tools(world: World) -> JsonObject:
    """The tools of a session: `{"tools": [{name, description, inputSchema}]}`.

    A tool of the snapshot stands in for a bound one of the same name.
    """
    bound: dict[str, JsonObject] = {
        name: {"name": name, "description": tool.description, "inputSchema": tool.schema}
        for name, tool in TOOLS.items()
    }
    scripted = {
        name: {
            "name": name,
            "description": tool.get("description", ""),
            "inputSchema": tool.get("inputSchema") or {"type": "object"},
        }
        for name, tool in world.base.tools.items()
    }
    return {"tools": list({**bound, **scripted}.values())}


def call_tool(call: Call) -> JsonObject:
    """Answer `tools.<name>`; the call's body holds the arguments.

    Returns:
        `{"result": ...}`.

    Raises:
        ApiError: 404 for an unknown tool or arguments that no response is prepared for, 400 with
            every violation of the tool's schema, or what the Google API behind the tool answers.
    """
    name = call.id.removeprefix(PREFIX)
    scripted = call.world.base.tools.get(name)
    if scripted is not None:
        check_arguments(scripted.get("inputSchema"), call.body)
        return scripted_answer(name, scripted, call.body)
    tool = TOOLS.get(name)
    if tool is None:
        raise _unknown_tool(name, [*TOOLS, *call.world.base.tools])
    check_arguments(tool.schema, call.body)
    return {"result": tool.run(call)}


def _unknown_tool(name: str, known: list[str]) -> ApiError:
    near = nearest(name, known)
    hint = f" Did you mean {near!r}?" if near else ""
    miss = Miss(blame="agent_error", reason=f"no tool is called {name!r}", nearest=near)
    return ApiError(404, f"There is no tool {name!r}.{hint}", reason="notFound", miss=miss)


HANDLERS: Mapping[str, Handler] = {f"{PREFIX}{name}": call_tool for name in TOOLS}
