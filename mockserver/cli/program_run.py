"""Runs the program that a command line names, its output passed on and kept."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from mockserver.errors import MockServerError

LARGEST_OUTPUT = 256 * 1024
"""Bytes of a program's output that are kept."""

_SIGNALLED = 128


class ProgramRun(NamedTuple):
    """What came of a program.

    Attributes:
        exit_code: What it ended with; 128 and the number of the signal that ended it.
        output: What it printed, as far as it is kept; None where it has the terminal.
    """

    exit_code: int
    output: str | None


async def run_program(
    command: Sequence[str],
    environ: Mapping[str, str],
    given: str | None = None,
    *,
    apart: bool = False,
) -> ProgramRun:
    """Run a program to its end; it is ended when this is cancelled.

    Args:
        command: The program with its arguments.
        environ: Its environment.
        given: What it reads from its standard input; that of this process when None.
        apart: Whether its output goes to standard error.

    Raises:
        MockServerError: It cannot be started.
    """
    out = sys.stderr if apart else sys.stdout
    keeps = not out.isatty()
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            env=dict(environ),
            stdin=None if given is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE if keeps else out,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MockServerError(f"cannot run {command[0]}: {reason}") from error
    try:
        if process.stdin is not None:
            process.stdin.write((given or "").encode())
            process.stdin.close()
        output = await _pass_on(process.stdout, is_error=apart)
        status = await process.wait()
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
        raise
    return ProgramRun(_SIGNALLED - status if status < 0 else status, output if keeps else None)


async def _pass_on(stream: asyncio.StreamReader | None, *, is_error: bool) -> str:
    kept = bytearray()
    out = sys.stderr if is_error else sys.stdout
    while stream is not None and (piece := await stream.read(65_536)):
        out.buffer.write(piece)
        out.flush()
        kept += piece[: LARGEST_OUTPUT - len(kept)]
    return kept.decode("utf-8", "replace")
