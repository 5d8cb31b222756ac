"""Microsoft's Agent Framework: functions of `FunctionTool`; arguments are valid by then."""

from functools import wraps
from typing import Any


def wrap(module: Any, calls: Any) -> None:
    """Wrap how `agent_framework._tools` calls the function of a tool."""
    kind = module.FunctionTool
    original = kind._invoke_function  # noqa: SLF001

    @wraps(original)
    async def invoke(self: Any, call_kwargs: Any) -> Any:
        arguments = {
            name: value
            for name, value in call_kwargs.items()
            if type(value).__name__ != "FunctionInvocationContext"
        }
        return await calls.call_async(self.name, arguments, lambda: original(self, call_kwargs))

    kind._invoke_function = invoke  # noqa: SLF001
