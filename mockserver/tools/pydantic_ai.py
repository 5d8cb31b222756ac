"""pydantic-ai: function tools of agents and toolsets; arguments are valid by then."""

from functools import wraps
from typing import Any


def wrap(module: Any, calls: Any) -> None:
    """Wrap `FunctionToolset.call_tool` of `pydantic_ai.toolsets.function`."""
    toolset = module.FunctionToolset
    original = toolset.call_tool

    @wraps(original)
    async def call_tool(self: Any, name: str, tool_args: Any, ctx: Any, tool: Any) -> Any:
        return await calls.call_async(
            name, tool_args, lambda: original(self, name, tool_args, ctx, tool)
        )

    toolset.call_tool = call_tool
