"""The program of an isolated `python:` agent: calls one function, turn by turn, for one trial.

`python -P function_child.py REPLIES MODULE:FUNCTION` reads a line of JSON for each turn,
`{"messages", "environment"}`, and writes one to the descriptor REPLIES: `value`, what the function
returned, or `failed`, why there is nothing. It imports nothing of this project, so that it starts
at once; what the function prints goes to stderr. `look` alone imports the function and says whether
it is there.

The first line that it reads describes the parent: `{"path", "argv", "tunnel"}`. Where its
environment leads to the proxy of a session, its HTTP clients are led there, also those that read no
variables; hosts of `tunnel` they reach as they do elsewhere. Only then it imports what leads them.
"""

import importlib
import json
import os
import sys
from collections.abc import Awaitable
from contextlib import ExitStack
from functools import cache
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
        return {"failed": f"the agent raised {error_line(error)}"}
    return {"value": value}


@cache
def _runner(stack: ExitStack) -> Any:
    """One event loop for all turns, made when a function wants one."""
    import asyncio  # costs as much as the start of the process

    return stack.enter_context(asyncio.Runner())


async def _await_value(value: Any) -> Any:
    return await value


def json_line(message: dict[str, Any]) -> bytes:
    """A line of JSON; what JSON does not have is told in its place."""
    try:
        return _dumps(message, default=_foreign).encode() + b"\n"
    except TypeError as error:
        why = str(error) if str(error).startswith("the reply") else f"the reply: {error}"
    except (RecursionError, ValueError):
        why = "the reply is nested more than 100 levels deep, or holds itself"
    return _dumps({"failed": why}).encode() + b"\n"


def _foreign(value: object) -> None:
    raise TypeError(f"the reply holds a {type(value).__name__}, which JSON does not have")


def lead_to_session(tunnel: list[str], stack: ExitStack) -> None:
    """Lead the HTTP clients of this process to the session that its environment names, if any."""
    if "MOCK_SESSION" not in os.environ or not os.environ.get("HTTPS_PROXY"):
        return
    from mockserver.testing.transports import lead_clients, route_of_environment

    route = route_of_environment(os.environ, tunnel)
    if route is not None:
        stack.enter_context(lead_clients(route))


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
        sys.path[:], sys.argv[:] = parent["path"], parent["argv"]
        function, why = import_function(name)
        if why or parent.get("look"):
            out.write(json_line({"failed": why} if why else {"value": None}))
            return
        for line in asked:
            said = json_line(call_function(function, json.loads(line), stack))
            if os.getpid() != _pid:
                _leave(0)  # a copy that the function made of this process has nothing to say
            out.write(said)


if __name__ == "__main__":
    main(sys.argv[1:])
