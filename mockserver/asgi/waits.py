"""Deadlines of waits: nothing that a request needs from outside its process is waited for for ever.

Each wait is listed while it lasts, so that a server can be asked what it waits for.
"""

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from types import FrameType, TracebackType
from typing import Any

from mockserver.errors import OverdueError

WAIT_S = 8.0
"""How long a request may wait for what is outside its process, all its waits together."""

LEAST_S = 1.0
"""What a wait gets even where earlier ones, or work between them, have used up the time."""

UNTIL: ContextVar[float | None] = ContextVar("UNTIL", default=None)
"""When the request that is answered is overdue, in the time of the event loop."""


class _Waits(threading.local):
    """What the event loop of this thread waits for.

    One timer watches all of it, since nearly every wait ends long before it is overdue.

    Attributes:
        lasting: Each wait that lasts.
        overdue: How many were given up.
    """

    def __init__(self) -> None:
        self.lasting: set[deadline] = set()
        self.overdue = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    def add(self, wait: "deadline", loop: asyncio.AbstractEventLoop) -> None:
        """Give a wait up when it is overdue."""
        self.lasting.add(wait)
        timer = self._timer
        if timer is None or loop is not self._loop or wait.until < timer.when():
            if timer is not None:
                timer.cancel()
            self._watch(loop, wait.until)

    def _watch(self, loop: asyncio.AbstractEventLoop, until: float) -> None:
        self._loop, self._timer = loop, loop.call_at(until, self._give_up_overdue, loop)

    def _give_up_overdue(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer, now = None, loop.time()
        left = [each for each in self.lasting if each.lasts_beyond(now)]
        if left:
            self._watch(loop, min(each.until for each in left))


class deadline:  # noqa: N801  (it is used as a function; a generator would cost more)
    """Give up what is awaited within it at the deadline of the request.

    Attributes:
        what: What is waited for.
        since: Since when, in the time of the event loop.
        until: When it is given up.

    Args:
        what: What is waited for, without a word that is secret: anybody may be shown it.

    Raises:
        OverdueError: It took too long.
    """

    __slots__ = ("_cancels", "_is_given_up", "_task", "since", "until", "what")

    def __init__(self, what: str) -> None:
        self.what = what

    async def __aenter__(self) -> None:
        loop, task, until = asyncio.get_running_loop(), asyncio.current_task(), UNTIL.get()
        if task is None:
            raise RuntimeError("only a task can be given up")
        self.since = now = loop.time()
        self.until = now + WAIT_S if until is None else max(until, now + LEAST_S)
        self._task, self._cancels, self._is_given_up = task, task.cancelling(), False
        _waits.add(self, loop)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _waits.lasting.discard(self)
        if not self._is_given_up:
            return
        # one who cancels the task beside this is obeyed, as by asyncio.timeout
        if self._task.uncancel() <= self._cancels and kind is asyncio.CancelledError:
            _waits.overdue += 1
            seconds = asyncio.get_running_loop().time() - self.since
            raise OverdueError(
                f"{self.what} did not come within {seconds:.1f} s",
                hint="ask again; `understudy doctor --server URL` shows what a server waits for",
            ) from error

    def lasts_beyond(self, now: float) -> bool:
        """Whether it may last on; where it is overdue, it is given up."""
        if self._is_given_up:
            return False
        if self.until <= now:
            self._is_given_up = True
            self._task.cancel()
        return not self._is_given_up


_waits = _Waits()


def begin_request() -> None:
    """Let the time of a request begin: its waits share it."""
    UNTIL.set(asyncio.get_running_loop().time() + WAIT_S)


def list_waits() -> list[dict[str, Any]]:
    """What this process waits for: `for`, and `seconds` so far; the longest first."""
    now = asyncio.get_running_loop().time()
    found = sorted(_waits.lasting, key=lambda wait: wait.since)
    return [{"for": each.what, "seconds": round(now - each.since, 3)} for each in found]


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
