"""The JSON tool API: what tools there are, and what calling one answers."""

from collections.abc import Mapping

from mockserver.apis.tools.arguments import check_arguments
from mockserver.apis.tools.scripted import scripted_answer
from mockserver.apis.tools.table import TOOLS
from mockserver.googleapi import ApiError, Call, Handler, nearest
from mockserver.model import JsonObject, Miss
from mockserver.state import World

PREFIX = "tools."


def tool_list(world: World) -> JsonObject:
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
        raise _unknown(name, [*TOOLS, *call.world.base.tools])
    check_arguments(tool.schema, call.body)
    return {"result": tool.run(call)}


def _unknown(name: str, known: list[str]) -> ApiError:
    near = nearest(name, known)
    hint = f" Did you mean {near!r}?" if near else ""
    miss = Miss(blame="agent_error", reason=f"no tool is called {name!r}", nearest=near)
    return ApiError(404, f"There is no tool {name!r}.{hint}", reason="notFound", miss=miss)


HANDLERS: Mapping[str, Handler] = {f"{PREFIX}{name}": call_tool for name in TOOLS}
