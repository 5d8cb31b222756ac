"""Python functions inside the harness itself: `python:package.module:function`, `--no-isolate`.

The function takes `(messages, environment)`: the conversation as a list of `role` and `content`,
and the environment block with `WORKSPACE`. It returns text, or an object like that of `command:`
agents. It may be `async`. A plain function runs in a thread, which cannot be stopped from outside,
and whatever it changes of the process is changed for every trial and for the harness: so
`harness.agents.isolated` is what runs it otherwise.
"""

import asyncio
import contextlib
import importlib
import inspect
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from typing_extensions import override

from harness.agents.protocol import (
    AgentDriver,
    AgentFailedError,
    DriverOptions,
    Task,
    Transcript,
)
from harness.agents.reply_json import read_reply
from harness.agents.text import well_formed
from harness.errors import HarnessError
from harness.model import Attempt, Json, Reply

AgentFunction = Callable[[list[dict[str, str]], dict[str, str]], Any]


def load_function(name: str, folder: Path) -> AgentFunction:
    """Import `package.module:function`, looking into `folder` first.

    Raises:
        HarnessError: There is no such module or function, or importing it fails.
    """
    module_name, _, function_name = name.partition(":")
    if not module_name or not function_name:
        raise HarnessError(
            f"'python:{name}' names no function", hint="python:package.module:function"
        )
    sys.path.insert(0, str(folder.absolute()))
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # noqa: BLE001  (whatever the user's module does while it is imported)
        said = f"{type(error).__name__}: {error}"
        raise HarnessError(f"cannot import the agent {module_name!r}: {said}") from None
    finally:
        sys.path.remove(str(folder.absolute()))
    function = getattr(module, function_name, None)
    if not callable(function):
        raise HarnessError(f"module {module_name!r} has no function {function_name!r}")
    return function  # type: ignore[no-any-return]


class FunctionAgent(AgentDriver):
    """Calls a function of the harness's own process."""

    def __init__(self, function: AgentFunction, options: DriverOptions | None = None) -> None:
        self._function = function
        self._options = options or DriverOptions()
        self._folder = Path.cwd()

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        environment = block_of(task, self._options)
        for turn, prompt in enumerate(task.prompts, start=1):
            start = perf_counter()
            try:
                value = await self._call(transcript.messages(prompt), environment)
                reply = reply_of(value, turn, prompt, self._options.max_reply_bytes)
            except AgentFailedError as error:
                took = (perf_counter() - start) * 1000
                failed = Attempt(turn=turn, number=1, error=str(error), duration_ms=took)
                transcript.attempts.append(failed)
                raise
            took = (perf_counter() - start) * 1000
            transcript.answered(reply.model_copy(update={"duration_ms": took}))

    @override
    async def close(self) -> None:
        with contextlib.suppress(OSError):
            os.chdir(self._folder)  # an agent may have gone elsewhere

    async def _call(self, messages: list[dict[str, str]], environment: dict[str, str]) -> Json:
        try:
            if inspect.iscoroutinefunction(self._function):
                return await self._function(messages, environment)
            value = await _in_thread(lambda: self._function(messages, environment))
            return await value if inspect.isawaitable(value) else value
        except AgentFailedError:
            raise
        except asyncio.CancelledError as error:
            if _is_cancelled():
                raise
            raise _failure(error) from error
        except (Exception, SystemExit) as error:
            raise _failure(error) from error


def block_of(task: Task, options: DriverOptions) -> dict[str, str]:
    """What a function gets as its environment: what the user named, the session's, `WORKSPACE`."""
    return {**options.env, **task.env, "WORKSPACE": str(task.workspace)}


def reply_of(value: Json, turn: int, prompt: str, longest: int) -> Reply:
    """What a function returned, as a reply.

    Raises:
        AgentFailedError: It is none, or longer than so many bytes.
    """
    if value is None or isinstance(value, str):
        text = well_formed(value or "")
        reply = Reply(turn=turn, prompt=prompt, text=text, reports_calls=False)
    else:
        reply = read_reply(value, turn=turn, prompt=prompt)
    if len(reply.model_dump_json()) > longest:
        raise AgentFailedError(f"the reply is longer than {longest} bytes")
    return reply


def _failure(error: BaseException) -> AgentFailedError:
    return AgentFailedError(f"the agent raised {type(error).__name__}: {error}")


def _is_cancelled() -> bool:
    """Whether somebody stops this trial, and not the agent itself."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _in_thread(call: Callable[[], Any]) -> Any:
    """Run a call in a daemon thread: one that hangs does not keep the harness from ending."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if outcome.done():
            return
        if error is None:
            outcome.set_result(value)
        else:  # a future does not take every exception
            outcome.set_exception(_failure(error))

    def run() -> None:
        try:
            value, error = call(), None
        except BaseException as raised:  # noqa: BLE001  (handed over to the waiting trial)
            value, error = None, raised
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, value, error)

    threading.Thread(target=run, name="agent", daemon=True).start()
    return await outcome
