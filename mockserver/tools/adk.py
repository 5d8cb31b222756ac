"""Google's ADK: `FunctionTool` and what is made of it; arguments are complete and valid by then."""

from functools import wraps
from typing import Any


def wrap(module: Any, calls: Any) -> None:
    """Wrap how `google.adk.tools.function_tool` calls the function of a tool."""
    kind = module.FunctionTool
    original = kind._invoke_callable  # noqa: SLF001

    @wraps(original)
    async def invoke(self: Any, target: Any, args_to_call: dict[str, Any]) -> Any:
        if target is not self.func:  # whether the call needs a confirmation
            return await original(self, target, args_to_call)
        hidden = getattr(self, "_ignore_params", ())
        arguments = {name: args_to_call[name] for name in args_to_call if name not in hidden}
        return await calls.call_async(
            self.name, arguments, lambda: original(self, target, args_to_call)
        )

    kind._invoke_callable = invoke  # noqa: SLF001
