"""AutoGen: functions of `FunctionTool`; arguments are valid by then."""

from functools import wraps
from typing import Any


def wrap(module: Any, calls: Any) -> None:
    """Wrap the functions of `FunctionTool` of `autogen_core.tools._function_tool`."""
    kind = module.FunctionTool
    init = kind.__init__

    @wraps(init)
    def init_tool(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        self._func = calls.lead(self.name, self._func, _is_token)

    kind.__init__ = init_tool


def _is_token(name: str, _value: Any) -> bool:
    return name == "cancellation_token"
