"""OpenAI Agents SDK: the functions of function tools; arguments are valid by then."""

import sys
from functools import wraps
from typing import Any


def wrap(module: Any, calls: Any) -> None:
    """Wrap what `function_tool` of `agents.tool` makes tools of.

    A program may have imported `function_tool` by name before; so what that calls is wrapped, where
    the version has it.
    """
    if hasattr(module, "_normalize_function_tool_callable"):
        normalize = module._normalize_function_tool_callable  # noqa: SLF001

        @wraps(normalize)
        def normalize_led(func: Any, style: Any, name: Any, *args: Any, **options: Any) -> Any:
            found, *told = normalize(func, style, name, *args, **options)
            name = name or getattr(found, "__name__", "")
            return (calls.lead(name, found, _is_context) if name else found, *told)

        module._normalize_function_tool_callable = normalize_led  # noqa: SLF001
        return
    original = module.function_tool

    @wraps(original)
    def function_tool(func: Any = None, **options: Any) -> Any:
        if func is None:
            return lambda given: function_tool(given, **options)
        name = options.get("name_override") or getattr(func, "__name__", "")
        return original(calls.lead(name, func, _is_context) if name else func, **options)

    module.function_tool = function_tool
    face = sys.modules.get("agents")
    if face is not None and hasattr(face, "function_tool"):
        face.function_tool = function_tool  # type: ignore[attr-defined]


def _is_context(_name: str, value: Any) -> bool:
    return any(kind.__name__ == "RunContextWrapper" for kind in type(value).__mro__)
