"""Deadlines of waits: nothing that a request needs from outside its process is waited for for ever.

Each wait is listed while it lasts, so that a server can be asked what it waits for.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any

from mockserver.errors import OverdueError

WAIT_S = 8.0
"""How long a request may wait for what is outside its process, all its waits together."""

LEAST_S = 1.0
"""What a wait gets even where earlier ones, or work between them, have used up the time."""

UNTIL: ContextVar[float | None] = ContextVar("UNTIL", default=None)
"""When the request that is answered is overdue, in the time of the event loop."""


class _Waits:
    """What this process waits for.

    Attributes:
        lasting: Each wait that lasts: what for, and since when.
        overdue: How many were given up.
    """

    def __init__(self) -> None:
        self.lasting: dict[object, tuple[str, float]] = {}
        self.overdue = 0


_waits = _Waits()


@asynccontextmanager
async def deadline(what: str) -> AsyncIterator[None]:
    """Give up what is awaited within it at the deadline of the request.

    Args:
        what: What is waited for, without a word that is secret: anybody may be shown it.

    Yields:
        Nothing.

    Raises:
        OverdueError: It took too long.
    """
    now, until, key = asyncio.get_running_loop().time(), UNTIL.get(), object()
    timeout = asyncio.timeout_at(now + WAIT_S if until is None else max(until, now + LEAST_S))
    _waits.lasting[key] = what, now
    try:
        async with timeout:
            yield
    except TimeoutError as error:
        if not timeout.expired():
            raise
        _waits.overdue += 1
        seconds = asyncio.get_running_loop().time() - now
        raise OverdueError(
            f"{what} did not come within {seconds:.1f} s",
            hint="ask again; `understudy doctor --server URL` shows what a server waits for",
        ) from error
    finally:
        del _waits.lasting[key]


def begin_request() -> None:
    """Let the time of a request begin: its waits share it."""
    UNTIL.set(asyncio.get_running_loop().time() + WAIT_S)


def list_waits() -> list[dict[str, Any]]:
    """What this process waits for: `for`, and `seconds` so far; the longest first."""
    now = asyncio.get_running_loop().time()
    found = sorted(_waits.lasting.values(), key=lambda wait: wait[1])
    return [{"for": what, "seconds": round(now - since, 3)} for what, since in found]


def count_overdue() -> int:
    """How many waits were given up since the process began."""
    return _waits.overdue


def list_tasks() -> list[dict[str, Any]]:
    """Where every task of this event loop stands, in names of files and functions alone.

    Returns:
        For each `task`, its coroutine, and `at`, the frames from the outermost to the innermost.
    """
    found = []
    for task in asyncio.all_tasks():
        name = getattr(task.get_coro(), "__qualname__", "?")
        found.append({"task": name, "at": [*_places(task.get_coro())]})
    return sorted(found, key=lambda each: (each["task"], each["at"]))


def _places(awaited: Any) -> Iterator[str]:
    """Yield the frames of a coroutine and of what it awaits: `folder/file:line function`."""
    while awaited is not None:
        frame: FrameType | None = getattr(awaited, "cr_frame", None) or getattr(
            awaited, "ag_frame", None
        )
        if frame is None:
            return
        code = frame.f_code
        folder, _, file = code.co_filename.replace("\\", "/").rpartition("/")
        yield f"{folder.rpartition('/')[2]}/{file}:{frame.f_lineno} {code.co_qualname}"
        awaited = getattr(awaited, "cr_await", None) or getattr(awaited, "ag_await", None)


def report_waits(write: Callable[[str], object] | None = None) -> None:
    """Write what this process waits for, and where its tasks stand, to standard error."""
    lines = [f"waits for {each['for']} since {each['seconds']:.1f} s" for each in list_waits()]
    lines += [f"{each['task']}: {' > '.join(each['at'])}" for each in list_tasks()]
    lines.append(f"{count_overdue()} waits were given up")
    (write or sys.stderr.write)("".join(f"{line}\n" for line in lines))
