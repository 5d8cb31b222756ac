"""Python functions as agents: `python:package.module:function`.

The function takes `(messages, environment)`: the conversation as a list of `role` and `content`,
and the environment block with `WORKSPACE`. It returns text, or an object like that of `command:`
agents. It may be `async`.

Agents of frameworks (`frameworks/`) are asked through such a function, which their adapter makes.

`IsolatedAgent` calls it in a new process for each trial (`function_child.py`), whose working folder
is the workspace of the trial. What the function does to its process (leaves it, moves to another
folder, replaces modules, keeps threads and children, writes without end) costs its own trial and no
other. `FunctionAgent` (`--no-isolate`) calls it in a thread of the harness, which cannot be stopped
from outside; what it changes of the process is changed for every trial and for the harness. What
that process runs out of says nothing about the agent (`shortages.py`).
"""

import asyncio
import contextlib
import importlib
import inspect
import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any

from typing_extensions import override

import mockserver
from harness.agents import function_child
from harness.agents.command import ending_signal, last_line, without_own_tokens
from harness.agents.frameworks import Framework
from harness.agents.processes import REPLIES, Command, Limits, LineProcess, start_line_process
from harness.agents.profiles import ReplyReader
from harness.agents.protocol import (
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
    well_formed,
)
from harness.agents.replies import TOO_DEEP, read_reply
from harness.errors import HarnessError, shortage_behind
from harness.model import Attempt, Json, JsonObject, Reply

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

    holds_conversations = True

    def __init__(self, function: AgentFunction, options: DriverOptions | None = None) -> None:
        self._function = function
        self._options = options or DriverOptions()
        self._folder = Path.cwd()

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        environment = block_of(task, self._options)
        async for turn, prompt in task.turns(transcript):
            start = perf_counter()
            try:
                value = await self._call(transcript.messages(prompt), environment)
                reply = reply_of(value, turn, prompt, self._options.max_reply_bytes)
            except (AgentFailedError, AgentUnreachableError) as error:
                took = (perf_counter() - start) * 1000
                failed = Attempt(turn=turn, number=1, error=str(error), duration_ms=took)
                transcript.attempts.append(failed)
                raise
            took = (perf_counter() - start) * 1000
            transcript.note_reply(reply.model_copy(update={"duration_ms": took}))

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
        except (AgentFailedError, AgentUnreachableError):
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


def reply_of(
    value: Json, turn: int, prompt: str, longest: int, read: ReplyReader = read_reply
) -> Reply:
    """What a function returned, as a reply.

    Raises:
        AgentFailedError: It is none, or longer than so many bytes.
    """
    if value is None or isinstance(value, str):
        text = well_formed(value or "")
        reply = Reply(turn=turn, prompt=prompt, text=text, reports_calls=False)
    else:
        reply = read(value, turn=turn, prompt=prompt)
    if len(reply.model_dump_json()) > longest:
        raise AgentFailedError(f"the reply is longer than {longest} bytes")
    return reply


def _failure(error: BaseException) -> AgentFailedError | AgentUnreachableError:
    raised = f"the agent raised {type(error).__name__}: {error}"
    short = shortage_behind(error)
    if short is None:
        return AgentFailedError(raised)
    return AgentUnreachableError(
        f"{raised}; the harness, whose process it shares, had no more {short}: "
        "leave out --no-isolate, run fewer trials at once, or raise the limit"
    )


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


_TOOLS = str(Path(mockserver.__file__).with_name("tools") / "calls.py")
"""What leads the tools of frameworks to a session; the agent's process loads it by its path."""

LOOK_S = 120
"""Seconds that importing the function may take before anything is run."""

_TIDY_S = 0.5
"""How long a process that has said all may take to end by itself."""

_ROOM = 1024
"""Bytes around a reply."""


class IsolatedAgent(AgentDriver):
    """Calls a function, or asks an agent of a framework, in a new process for each trial."""

    holds_conversations = True

    def __init__(
        self, name: str, options: DriverOptions, framework: Framework | None = None
    ) -> None:
        """Look whether it is there, in a process too.

        Raises:
            HarnessError: There is no such module or function, importing it fails, or the framework
                is not installed.
        """
        if not all(name.partition(":")):
            spec, wanted = f"python:{name}", "function"
            if framework is not None:
                spec, wanted = f"{framework.name}:{name}", "agent"
            example = framework.example if framework else "python:package.module:function"
            raise HarnessError(f"{spec!r} names no {wanted}", hint=example)
        folder, self._name = _module_of(name, options.folder)
        self._options = options
        self._framework = framework
        self._argv = [
            str(_absolute_program(options.python, options.folder) or sys.executable),
            "-P",
            str(Path(function_child.__file__).absolute()),
            REPLIES,
            self._name,
        ]
        self._told: JsonObject = {
            "path": [*folder, *_import_path(options)],
            "keeps_path": bool(options.python),
            "argv": [self._name],
            "tunnel": list(options.tunnel),
            "tools": _TOOLS,
        }
        if framework is not None:
            self._told["adapter"] = str(framework.path)
        self._limits = Limits(options.max_reply_bytes + _ROOM, options.grace_s)
        self._check_function()

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        environment = self._environment(task.env)
        folder = self._options.working_folder(task)
        command = Command(self._argv, b"", environment, folder)
        async with start_line_process(command, self._limits) as process:
            try:
                if self._framework is None:
                    process.tell(_line(self._told))
                else:
                    start = perf_counter()
                    answered = await process.ask(_line(self._told))
                    transcript.startup_ms = (perf_counter() - start) * 1000
                    _value(process, answered)
                await self._converse(process, task, transcript)
                await process.close_gently(_TIDY_S)
            finally:
                transcript.stderr_tail = process.describe_end().stderr_tail

    @override
    async def close(self) -> None:
        return

    async def _converse(self, process: LineProcess, task: Task, transcript: Transcript) -> None:
        block = block_of(task, self._options)
        async for turn, prompt in task.turns(transcript):
            start = perf_counter()
            try:
                asked = {"messages": transcript.messages(prompt), "environment": block}
                value = _value(process, await process.ask(_line(asked)))
                reply = self._reply(value, turn, prompt)
            except AgentFailedError as error:
                if isinstance(error, _PartlyFailedError):
                    with contextlib.suppress(AgentFailedError):  # it may hold nothing yet
                        transcript.replies.append(self._reply(error.partial, turn, prompt))
                took = (perf_counter() - start) * 1000
                failed = Attempt(turn=turn, number=1, error=str(error), duration_ms=took)
                transcript.attempts.append(failed)
                raise
            took = (perf_counter() - start) * 1000
            transcript.note_reply(reply.model_copy(update={"duration_ms": took}))

    def _reply(self, value: Json, turn: int, prompt: str) -> Reply:
        longest = self._options.max_reply_bytes
        read = self._framework.read if self._framework else read_reply
        return reply_of(value, turn, prompt, longest, read)

    def _environment(self, block: Mapping[str, str]) -> dict[str, str]:
        """Ours with absolute paths, what the user named, and the session's."""
        ours = without_own_tokens(os.environ)
        if named := ours.get("PYTHONPATH"):
            parts = [os.path.abspath(part) for part in named.split(os.pathsep)]  # noqa: PTH100
            ours["PYTHONPATH"] = os.pathsep.join(parts)
        return {**ours, **self._options.env, **block}

    def _check_function(self) -> None:
        """Import the function once, so that a name that leads nowhere is told before all trials.

        Raises:
            HarnessError: It is not there.
        """
        with ThreadPoolExecutor(1) as aside:  # an event loop may be running in this thread
            why = aside.submit(lambda: asyncio.run(self._find_import_error())).result()
        if why:
            raise HarnessError(why, hint=_OTHER_PYTHON if _NOT_INSTALLED in why else _HINT)

    async def _find_import_error(self) -> str:
        """Why the function is not there, or an empty string."""
        with tempfile.TemporaryDirectory() as folder:
            env = self._environment({})
            if self._framework is not None:
                env = _STAND_INS | env
            command = Command(self._argv, b"", env, Path(folder))
            try:
                async with (
                    asyncio.timeout(LOOK_S),
                    start_line_process(command, self._limits) as process,
                ):
                    _value(process, await process.ask(_line({**self._told, "look": True})))
            except TimeoutError:
                return f"cannot import the agent {self._name!r}: it takes longer than {LOOK_S} s"
            except (AgentFailedError, AgentUnreachableError) as error:
                return str(error)
        return ""


_NOWHERE = "http://127.0.0.1:9"  # the port of discard, where nobody listens
_STAND_INS = {
    **dict.fromkeys(("GOOGLE_API_BASE_URL", "TOOLS_BASE_URL", "MCP_SERVER_URL"), _NOWHERE),
    **dict.fromkeys(("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OLLAMA_HOST"), _NOWHERE),
    **dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"), "none"),
}
"""For agents of frameworks, which want addresses and keys when they are made, not when asked."""

_NOT_INSTALLED = "is not installed where the agent runs"
_OTHER_PYTHON = "or name the interpreter of the agent's project: --python .venv/bin/python"
_HINT = "it is imported in an empty folder, without a session; --no-isolate imports it in this one"


class _PartlyFailedError(AgentFailedError):
    """The agent failed on its way; what it had done until then is known."""

    def __init__(self, message: str, partial: Json) -> None:
        super().__init__(message)
        self.partial = partial


def _absolute_program(program: str, folder: Path) -> str:
    """A program as a process in another folder finds it: an absolute path where it is one."""
    path = folder / program
    return str(path.absolute()) if "/" in program and path.is_file() else program


def _module_of(name: str, folder: Path) -> tuple[list[str], str]:
    """Where a module that is named by its file is looked for, and the name with the module's."""
    module, _, attribute = name.partition(":")
    if not module.endswith(".py"):
        return [], name
    path = (folder / module).absolute()
    return [str(path.parent)], f"{path.stem}:{attribute}"


def _import_path(options: DriverOptions) -> list[str]:
    """Where the process looks for modules: here, where the user says, and where we do.

    An interpreter of the user's own has its own path, which follows.
    """
    named = options.env.get("PYTHONPATH", "").split(os.pathsep)
    ours = [] if options.python else sys.path
    others = (*filter(None, named), *ours)
    return [str(options.folder.absolute()), *(os.path.abspath(each) for each in others)]  # noqa: PTH100  ("" is the working folder)


def _line(message: Json) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _value(process: LineProcess, answered: bytes | None) -> Json:
    """What a function returned.

    Raises:
        AgentFailedError: It raised something, or its process ended.
    """
    if answered is None:
        ended = process.describe_end()
        left = f"the agent left its process before it replied, with exit code {ended.exit_code}"
        raise AgentFailedError(ending_signal(ended) or f"{left}{last_line(ended)}")
    try:
        said = json.loads(answered)
    except RecursionError:
        raise AgentFailedError(TOO_DEEP) from None
    except ValueError as error:
        raise AgentFailedError(f"what the agent's process answered is no JSON: {error}") from None
    if not isinstance(said, dict) or not {"value", "failed"} & said.keys():
        raise AgentFailedError("what the agent's process answered is no reply of it")
    if "failed" in said:
        why, partial = str(said["failed"]), said.get("partial")
        raise AgentFailedError(why) if partial is None else _PartlyFailedError(why, partial)
    return said["value"]
