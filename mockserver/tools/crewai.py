"""CrewAI: functions of `@tool`, and the `_run` and `_arun` of classes of tools.

A tool has the name that CrewAI tells the model.
"""

from functools import wraps
from inspect import iscoroutinefunction, signature
from typing import Any


def wrap(module: Any, calls: Any) -> None:
    """Wrap the classes of tools of `crewai.tools.base_tool`, those that are and will be."""
    base, simple = module.BaseTool, module.Tool
    told = getattr(module, "sanitize_tool_name", str)
    init = simple.__init__

    @wraps(init)
    def init_tool(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        self.func = calls.lead(told(self.name), self.func)

    simple.__init__ = init_tool
    original = base.__init_subclass__.__func__

    def init_subclass(cls: Any, /, **options: Any) -> None:
        original(cls, **options)
        if not issubclass(cls, simple):
            _wrap_class(cls, calls, told)

    base.__init_subclass__ = classmethod(init_subclass)
    waiting = [base]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            if not issubclass(kind, simple):
                _wrap_class(kind, calls, told)
                waiting.append(kind)


def _wrap_class(kind: Any, calls: Any, told: Any) -> None:
    for name in ("_run", "_arun"):
        if name in vars(kind):
            setattr(kind, name, _led(vars(kind)[name], calls, told))


def _led(method: Any, calls: Any, told: Any) -> Any:
    if iscoroutinefunction(method):

        @wraps(method)
        async def arun(self: Any, *args: Any, **kwargs: Any) -> Any:
            return await calls.call_async(
                told(self.name),
                _arguments(method, self, args, kwargs),
                lambda: method(self, *args, **kwargs),
            )

        return arun

    @wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        return calls.call(
            told(self.name),
            _arguments(method, self, args, kwargs),
            lambda: method(self, *args, **kwargs),
        )

    return run


def _arguments(
    method: Any, tool: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    given = dict(signature(method).bind(tool, *args, **kwargs).arguments)
    given.pop("self", None)
    rest = given.pop("kwargs", {})
    return {**given, **rest}
