"""The program of an isolated `python:` agent: calls one function, turn by turn, for one trial.

`python -P function_child.py REPLIES MODULE:FUNCTION` reads a line of JSON for each turn,
`{"messages", "environment"}`, and writes one to the descriptor REPLIES: `value`, what the function
returned, or `failed`, why there is nothing. It imports nothing of this project, so that it starts
at once; what the function prints goes to stderr. `look` alone imports the function and says whether
it is there.

The first line that it reads describes the parent: `{"path", "argv", "tunnel"}`. Where its
environment leads to the proxy of a session, its HTTP clients are led there, also those that read no
variables; hosts of `tunnel` they reach as they do elsewhere. Only then it imports what leads them.

With `adapter` in that line, the name is that of a framework's agent, and the function is what the
adapter, a file (`frameworks/`), makes of it. It is loaded by its path, without this project. The
first answer then says that the agent is there.
"""

import importlib
import json
import os
import sys
from collections.abc import Awaitable
from contextlib import ExitStack
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from typing import Any

_dumps, _leave, _pid = json.dumps, os._exit, os.getpid()  # an agent may put others in their place


def import_function(name: str) -> tuple[Any, str]:
    """The function, or None and why it is not there."""
    module_name, _, function_name = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except BaseException as error:  # noqa: BLE001  (whatever the user's module does)
        return None, f"cannot import the agent {module_name!r}: {error_line(error)}"
    function = getattr(module, function_name, None)
    if not callable(function):
        return None, f"module {module_name!r} has no function {function_name!r}"
    return function, ""


def load_adapter(path: str) -> tuple[Any, str]:
    """The adapter of a framework, or None and why it cannot be used."""
    spec = spec_from_file_location("agent_adapter", path)
    if spec is None or spec.loader is None:
        return None, f"no adapter at {path!r}"
    adapter = module_from_spec(spec)
    spec.loader.exec_module(adapter)
    for module in adapter.MODULES:
        try:
            there = find_spec(module) is not None
        except ImportError:  # a part of the name is not there
            there = False
        if not there:
            return None, (
                f"{adapter.PACKAGE} is not installed where the agent runs, {sys.executable}:"
                f" pip install '{adapter.PACKAGE}'"
            )
    return adapter, ""


def connect_agent(adapter: Any, name: str, stack: ExitStack, *, look: bool) -> tuple[Any, str]:
    """The function that asks a framework's agent, or None and why there is none.

    A function without arguments in the place of the agent is called; what it returns may have to be
    awaited or entered. With `look` it is not called, and an agent that cannot be made without a
    session is no reason. `?deps=NAME` behind the name is for `_dependencies`.
    """
    module_name, _, attribute = name.partition(":")
    attribute, _, deps = attribute.partition("?deps=")
    try:
        target: Any = importlib.import_module(module_name)
    except BaseException as error:  # noqa: BLE001  (whatever the user's module does)
        if look and not isinstance(error, (ImportError, SyntaxError)):
            return None, ""
        return None, f"cannot import the agent {module_name!r}: {error_line(error)}"
    module = target
    for each in filter(None, (deps, attribute)):
        target = module
        for part in each.split("."):
            if not hasattr(target, part):
                return None, f"module {module_name!r} has no attribute {each!r}"
            target = getattr(target, part)
    if look and callable(target):
        return None, ""
    _runner(stack)  # it ends after all that is closed on it
    try:
        if not adapter.recognises(target) and callable(target):
            target = _entered(target(), stack)
        if not adapter.recognises(target):
            kind = type(target).__name__
            return None, f"{name!r} is a {kind}, which is no {adapter.WANTED}"
        agent = adapter.connect(
            target, *_dependencies(adapter, target, (module, deps), stack, look=look)
        )
    except BaseException as error:  # noqa: BLE001
        return None, f"the agent {name!r} cannot be made: {error_line(error)}"
    if hasattr(agent, "aclose"):
        stack.callback(lambda: _runner(stack).run(agent.aclose()))
    return agent, ""


def _dependencies(
    adapter: Any, agent: Any, place: tuple[Any, str], stack: ExitStack, *, look: bool
) -> list[Any]:
    """What an agent hands to its tools, where its framework has such a thing and it wants one.

    It is what the name in `place` is in the agent's module, `deps` if empty: a value, or what makes
    one, which may have to be awaited or entered.

    Raises:
        TypeError: It is not there, of another type, or the agent wants none.
    """
    module, name = place
    wanted = getattr(adapter, "dependency_type", lambda _agent: None)(agent)
    if wanted is None:
        if name:
            raise TypeError("it takes no deps")
        return []
    value = module
    for part in (name or "deps").split("."):
        value = getattr(value, part, None)
    if not adapter.is_dependency(wanted, value) and callable(value):
        if look:
            return []
        value = _entered(value(), stack)
    if adapter.is_dependency(wanted, value):
        return [value]
    kind = getattr(wanted, "__name__", str(wanted))
    if value is None and not name:
        raise TypeError(
            f"its deps_type is {kind}: define `deps` beside it, one or a function that makes one,"
            " or name that behind the agent: ?deps=NAME"
        )
    raise TypeError(f"its deps_type is {kind}, and {name or 'deps'!r} is a {type(value).__name__}")


def _entered(made: Any, stack: ExitStack) -> Any:
    if isinstance(made, Awaitable):
        made = _runner(stack).run(_await_value(made))
    if hasattr(made, "__aenter__") and hasattr(made, "gen"):  # of contextlib's decorator
        entered = _runner(stack).run(made.__aenter__())
        stack.callback(lambda: _runner(stack).run(made.__aexit__(None, None, None)))
        return entered
    return made


def error_line(error: BaseException) -> str:
    """An exception in one line, whatever its own text does."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001
        return type(error).__name__


def call_function(function: Any, turn: Any, stack: ExitStack) -> dict[str, Any]:
    """What came of a turn; what has to be closed after the last one is put on the stack."""
    try:
        value = function(turn["messages"], turn["environment"])
        if isinstance(value, Awaitable):
            value = _runner(stack).run(_await_value(value))
    except BaseException as error:  # noqa: BLE001  (also an exit is the agent's own)
        sys.excepthook(type(error), error, error.__traceback__)
        partial = getattr(error, "understudy_partial", None)
        return {"failed": f"the agent raised {error_line(error)}", "partial": partial}
    return {"value": value}


@cache
def _runner(stack: ExitStack) -> Any:
    """One event loop for all turns, made when a function wants one."""
    import asyncio  # costs as much as the start of the process

    return stack.enter_context(asyncio.Runner())


async def _await_value(value: Any) -> Any:
    return await value


def json_line(message: dict[str, Any], default: Any = None) -> bytes:
    """A line of JSON; what JSON does not have is told in its place, or made by `default`."""
    try:
        return _dumps(message, default=default or _foreign).encode() + b"\n"
    except TypeError as error:
        why = str(error) if str(error).startswith("the reply") else f"the reply: {error}"
    except (RecursionError, ValueError):
        why = "the reply is nested more than 100 levels deep, or holds itself"
    return _dumps({"failed": why}).encode() + b"\n"


def _foreign(value: object) -> None:
    raise TypeError(f"the reply holds a {type(value).__name__}, which JSON does not have")


def plain_value(value: Any) -> Any:
    """What a framework hands over, as JSON has it: models as objects, sets as lists, else text."""
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump(mode="json")
    return list(value) if isinstance(value, (set, frozenset)) else str(value)


def lead_to_session(tunnel: list[str], stack: ExitStack) -> None:
    """Lead the HTTP clients of this process to the session that its environment names, if any."""
    if "MOCK_SESSION" not in os.environ or not os.environ.get("HTTPS_PROXY"):
        return
    try:
        from mockserver.testing.transports import lead_clients, route_of_environment
    except ImportError:  # another interpreter: its clients are led by their variables alone
        return

    route = route_of_environment(os.environ, tunnel)
    if route is not None:
        stack.enter_context(lead_clients(route))


def lead_tools(path: str) -> None:
    """Lead the tools of frameworks to the session, where its environment says that it wants them.

    Args:
        path: The file that does so (`mockserver/tools`), which needs nothing of this project.
    """
    if not os.environ.get("UNDERSTUDY_TOOLS"):
        return
    spec = spec_from_file_location("understudy_tools", path)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)


def main(arguments: list[str]) -> None:
    """Answer turn by turn until nothing more is asked."""
    inherited, name = int(arguments[0]), arguments[1]
    replies = os.dup(inherited)  # not inheritable: programs that the function starts have none
    os.close(inherited)
    asked = os.fdopen(os.dup(0), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    parent = json.loads(asked.readline())
    with os.fdopen(replies, "wb", buffering=0) as out, ExitStack() as stack:
        lead_to_session(parent.get("tunnel", []), stack)
        lead_tools(parent.get("tools", ""))
        own_path = sys.path[:] if parent.get("keeps_path") else []
        sys.path[:], sys.argv[:] = [*parent["path"], *own_path], parent["argv"]
        look = bool(parent.get("look"))
        if path := parent.get("adapter"):
            adapter, why = load_adapter(path)
            function = None
            if adapter is not None:
                function, why = connect_agent(adapter, name, stack, look=look)
        else:
            function, why = import_function(name)
        if why or look or path:
            out.write(json_line({"failed": why} if why else {"value": None}))
        if why or look:
            return
        for line in asked:
            answer = call_function(function, json.loads(line), stack)
            said = json_line(answer, plain_value if path else None)
            if os.getpid() != _pid:
                _leave(0)  # a copy that the function made of this process has nothing to say
            out.write(said)


if __name__ == "__main__":
    main(sys.argv[1:])
