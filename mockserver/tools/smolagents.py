"""smolagents: tools as agents and the code of `CodeAgent` call them; the final answer is none."""

from functools import wraps
from typing import Any

_ANSWER = "final_answer"


def wrap(module: Any, calls: Any) -> None:
    """Wrap `Tool.__call__` of `smolagents.tools`."""
    kind = module.Tool
    original = kind.__call__

    @wraps(original)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.name == _ANSWER:
            return original(self, *args, **kwargs)
        arguments = _arguments(self, args, kwargs)
        return calls.call(self.name, arguments, lambda: original(self, *args, **kwargs))

    kind.__call__ = call


def _arguments(tool: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """What a tool is given.

    Raises:
        TypeError: The function of the tool has other parameters.
    """
    given = {name: value for name, value in kwargs.items() if name != "sanitize_inputs_outputs"}
    is_object = len(args) == 1 and not given and isinstance(args[0], dict)
    if is_object and all(name in tool.inputs for name in args[0]):
        return dict(args[0])
    given = {**dict(zip(tool.inputs, args, strict=False)), **given}
    wanted = {name for name, each in tool.inputs.items() if not each.get("nullable")}
    if len(args) > len(tool.inputs) or not wanted <= given.keys() <= tool.inputs.keys():
        told, known = ", ".join(given) or "nothing", ", ".join(tool.inputs)
        raise TypeError(f"{tool.name} is given {told}, and takes {known}")
    return given
