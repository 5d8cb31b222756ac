"""Python functions in a process of their own for each trial: `python:package.module:function`.

What a function does to its process (leaves it, moves to another folder, replaces modules, keeps
threads and children, writes without end) costs its own trial and no other. Its working folder is
the trial's workspace; the turns of a trial share the process. The child is `called.py`.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

from typing_extensions import override

from harness.agents import called
from harness.agents.command import death, last_line, without_own_tokens
from harness.agents.function import block_of, reply_of
from harness.agents.processes import REPLIES, Command, Limits, Talk, talk
from harness.agents.protocol import (
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
)
from harness.agents.values import TOO_DEEP
from harness.errors import HarnessError
from harness.model import Attempt, Json

LOOK_S = 120
"""Seconds that importing the function may take before anything is run."""

_TIDY_S = 0.5
"""How long a process that has said all may take to end by itself."""

_ROOM = 1024
"""Bytes around a reply."""


class IsolatedAgent(AgentDriver):
    """Calls a function in a new process for each trial."""

    def __init__(self, name: str, options: DriverOptions) -> None:
        """Look whether the function is there, in a process too.

        Raises:
            HarnessError: There is no such module or function, or importing it fails.
        """
        if not all(name.partition(":")):
            raise HarnessError(
                f"'python:{name}' names no function", hint="python:package.module:function"
            )
        self._name = name
        self._options = options
        path = [str(options.folder.absolute()), *(os.path.abspath(each) for each in sys.path)]  # noqa: PTH100  ("" is the working folder)
        self._argv = [sys.executable, "-P", str(Path(called.__file__).absolute()), REPLIES, name]
        self._told = {"path": path, "argv": [name]}
        self._limits = Limits(options.max_reply_bytes + _ROOM, options.grace_s)
        self._look()

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        environment = self._environment(task.env)
        command = Command(self._argv, b"", environment, task.workspace)
        async with talk(command, self._limits) as process:
            process.tell(_line(self._told))
            try:
                await self._converse(process, task, transcript)
                await process.dismissed(_TIDY_S)
            finally:
                transcript.stderr_tail = process.ended().stderr_tail

    @override
    async def close(self) -> None:
        return

    async def _converse(self, process: Talk, task: Task, transcript: Transcript) -> None:
        block = block_of(task, self._options)
        for turn, prompt in enumerate(task.prompts, start=1):
            start = perf_counter()
            try:
                asked = {"messages": transcript.messages(prompt), "environment": block}
                value = _value(process, await process.ask(_line(asked)))
                reply = reply_of(value, turn, prompt, self._options.max_reply_bytes)
            except AgentFailedError as error:
                took = (perf_counter() - start) * 1000
                failed = Attempt(turn=turn, number=1, error=str(error), duration_ms=took)
                transcript.attempts.append(failed)
                raise
            took = (perf_counter() - start) * 1000
            transcript.answered(reply.model_copy(update={"duration_ms": took}))

    def _environment(self, block: Mapping[str, str]) -> dict[str, str]:
        """Ours with absolute paths, what the user named, and the session's."""
        ours = without_own_tokens(os.environ)
        if named := ours.get("PYTHONPATH"):
            parts = [os.path.abspath(part) for part in named.split(os.pathsep)]  # noqa: PTH100
            ours["PYTHONPATH"] = os.pathsep.join(parts)
        return {**ours, **self._options.env, **block}

    def _look(self) -> None:
        """Import the function once, so that a name that leads nowhere is told before all trials.

        Raises:
            HarnessError: It is not there.
        """
        with ThreadPoolExecutor(1) as aside:  # an event loop may be running in this thread
            why = aside.submit(lambda: asyncio.run(self._looked())).result()
        if why:
            raise HarnessError(why, hint=_HINT)

    async def _looked(self) -> str:
        """Why the function is not there, or an empty string."""
        with tempfile.TemporaryDirectory() as folder:
            command = Command(self._argv, b"", self._environment({}), Path(folder))
            try:
                async with asyncio.timeout(LOOK_S), talk(command, self._limits) as process:
                    _value(process, await process.ask(_line({**self._told, "look": True})))
            except TimeoutError:
                return f"cannot import the agent {self._name!r}: it takes longer than {LOOK_S} s"
            except (AgentFailedError, AgentUnreachableError) as error:
                return str(error)
        return ""


_HINT = "it is imported in an empty folder, without a session; --no-isolate imports it in this one"


def _line(said: Json) -> bytes:
    return json.dumps(said).encode() + b"\n"


def _value(process: Talk, answered: bytes | None) -> Json:
    """What a function returned.

    Raises:
        AgentFailedError: It raised something, or its process ended.
    """
    if answered is None:
        ended = process.ended()
        left = f"the agent left its process before it replied, with exit code {ended.exit_code}"
        raise AgentFailedError(death(ended) or f"{left}{last_line(ended)}")
    try:
        said = json.loads(answered)
    except RecursionError:
        raise AgentFailedError(TOO_DEEP) from None
    except ValueError as error:
        raise AgentFailedError(f"what the agent's process answered is no JSON: {error}") from None
    if not isinstance(said, dict) or not {"value", "failed"} & said.keys():
        raise AgentFailedError("what the agent's process answered is no reply of it")
    if "failed" in said:
        raise AgentFailedError(str(said["failed"]))
    return said["value"]
