"""Long requests: answered beside the event loop, while others of the same session wait their turn.

A session's requests are answered one after another, in the order in which they came. Almost all are
so short that the event loop answers them at once; while a long one is under way, `Session.queue`
holds those that came after it.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

LONG_BODY = 32 * 1024
"""Requests with bodies of so many bytes are answered beside the event loop."""

LONG_QUERY = 2 * 1024
"""The same for the query string: a filter in it may be of any kind."""


class Queue:
    """The requests of one session that wait for each other."""

    __slots__ = ("lock", "users")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.users = 0


class HasQueue(Protocol):
    """What requests may wait for: a session."""

    queue: Queue | None


async def run_in_turn(session: HasQueue, answer: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Answer a request when no other one of its session is under way.

    A caller that goes away while it waits is forgotten. One that goes away later does not end what
    has begun: the requests after it wait until that is done.

    Args:
        session: Where it is asked.
        answer: Answers it.
    """
    queue = session.queue
    if queue is None:
        queue = session.queue = Queue()
    queue.users += 1
    try:
        await queue.lock.acquire()
    except asyncio.CancelledError:
        _leave(session, queue)
        raise
    answering = asyncio.create_task(answer())
    answering.add_done_callback(lambda _: _end_turn(session, queue))
    return await asyncio.shield(answering)


def _end_turn(session: HasQueue, queue: Queue) -> None:
    queue.lock.release()
    _leave(session, queue)


def _leave(session: HasQueue, queue: Queue) -> None:
    queue.users -= 1
    if not queue.users:
        session.queue = None


class Worker:
    """One thread that does long work, a piece at a time.

    A second one would not be faster, and hold the memory of a second piece. The thread does not
    keep the process from ending.

    Attributes:
        loop: The event loop that waits for it, or None.
    """

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self._jobs: SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = SimpleQueue()
        self._thread: threading.Thread | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """The result of some work; once begun it is done to its end, also when nobody waits."""
        result: Future[T] = Future()
        self.loop = asyncio.get_running_loop()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="long-requests", daemon=True)
            self._thread.start()
        self._jobs.put((partial(copy_context().run, work), result))
        return await asyncio.wrap_future(result)

    def _work(self) -> None:
        while True:
            _do(*self._jobs.get())


def _do(work: Callable[[], T], result: Future[T]) -> None:
    """Do some work that somebody waits for; nothing of it is held afterwards."""
    if not result.set_running_or_notify_cancel():
        return
    try:
        result.set_result(work())
    except BaseException as error:  # noqa: BLE001  (it is raised again where it is awaited)
        result.set_exception(error)


WORKER = Worker()
"""The thread of this process."""
