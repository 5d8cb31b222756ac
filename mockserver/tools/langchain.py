"""LangChain and LangGraph: the `_run` and `_arun` of every tool; arguments are valid by then.

What LangChain or LangGraph inject (configuration, state, stores, callbacks) is no argument.
"""

from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

_PAIR = 2


def wrap(module: Any, calls: Any) -> None:
    """Wrap the classes of tools of `langchain_core.tools.base`, those that are and will be."""
    base = module.BaseTool
    original = base.__init_subclass__.__func__

    def init_subclass(cls: Any, /, **options: Any) -> None:
        original(cls, **options)
        _wrap_class(cls, calls)

    base.__init_subclass__ = classmethod(init_subclass)
    waiting = [base]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            _wrap_class(kind, calls)
            waiting.append(kind)


def _wrap_class(kind: Any, calls: Any) -> None:
    for name in ("_run", "_arun"):
        if name in vars(kind):
            setattr(kind, name, _led(vars(kind)[name], calls))


def _led(method: Any, calls: Any) -> Any:
    if iscoroutinefunction(method):

        @wraps(method)
        async def arun(self: Any, *args: Any, **kwargs: Any) -> Any:
            arguments = _arguments(self, args, kwargs)
            value = await calls.call_async(
                self.name, arguments, lambda: method(self, *args, **kwargs)
            )
            return _result(self, value)

        return arun

    @wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        arguments = _arguments(self, args, kwargs)
        return _result(
            self, calls.call(self.name, arguments, lambda: method(self, *args, **kwargs))
        )

    return run


def _arguments(tool: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """What a model gave a tool."""
    known = list(tool.args)
    given = {name: value for name, value in kwargs.items() if name in known}
    return {**dict(zip(known, args, strict=False)), **given}


def _result(tool: Any, value: Any) -> Any:
    """A result as the tool has to return it: with its artifact, where it has one."""
    if tool.response_format != "content_and_artifact" or isinstance(value, tuple):
        return value
    is_pair = isinstance(value, list) and len(value) == _PAIR
    return tuple(value) if is_pair else (value, None)
