"""Strands: functions of `@tool`; arguments are valid by then."""

from functools import wraps
from typing import Any

_INJECTED = frozenset({"self", "cls", "agent", "tool_context"})


def wrap(module: Any, calls: Any) -> None:
    """Wrap the functions of `DecoratedFunctionTool` of `strands.tools.decorator`."""
    kind = module.DecoratedFunctionTool
    init = kind.__init__

    @wraps(init)
    def init_tool(self: Any, tool_name: str, tool_spec: Any, tool_func: Any, metadata: Any) -> None:
        led = calls.lead(tool_name, tool_func, _is_injected)
        init(self, tool_name, tool_spec, led, metadata)

    kind.__init__ = init_tool


def _is_injected(name: str, _value: Any) -> bool:
    return name in _INJECTED
