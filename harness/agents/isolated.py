"""Python functions in a process of their own, which can be stopped when they hang.

The child is `python -m harness.agents.isolated MODULE:FUNCTION FOLDER`; it gets the conversation on
stdin and the whole environment, and writes the reply as its last line.
"""

import asyncio
import inspect
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from harness.agents.command import CommandAgent, without_own_tokens
from harness.agents.function import load_function
from harness.agents.protocol import DriverOptions


def isolated(name: str, options: DriverOptions) -> CommandAgent:
    """A driver that calls a function in a new process for each turn.

    Raises:
        HarnessError: There is no such module or function, or importing it fails.
    """
    load_function(name, options.folder)
    folder = str(options.folder.absolute())
    command = shlex.join([sys.executable, "-m", __name__, name, folder])
    inherited = {**without_own_tokens(os.environ), **options.env}
    return CommandAgent(command, replace(options, input="json", env=inherited))


def answer(name: str, folder: Path, asked: bytes) -> bytes:
    """What a function says to a conversation, as one line of JSON."""
    function = load_function(name, folder)
    environment = {**os.environ, "WORKSPACE": str(Path.cwd())}
    value = function(orjson.loads(asked)["messages"], environment)
    if inspect.isawaitable(value):
        value = asyncio.run(_awaited(value))
    reply = value if isinstance(value, dict) else {"text": "" if value is None else value}
    return orjson.dumps(reply)


async def _awaited(value: Any) -> Any:
    return await value


if __name__ == "__main__":
    _said = answer(sys.argv[1], Path(sys.argv[2]), sys.stdin.buffer.read())
    sys.stdout.write("\n" + _said.decode() + "\n")
