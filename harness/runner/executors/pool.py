"""Workers: started, handed requests, replaced when they are lost."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TypeVar

from harness.errors import HarnessError, InfrastructureError
from harness.model import Frozen
from harness.runner.executors.protocol import (
    PingOrder,
    ServerKnowledge,
    TellOrder,
    Worker,
    WorkerLostError,
    WorkerPlace,
)
from harness.runner.executors.worker import CANCELLED, DONE, LOST

START_WITHIN_S = 300.0
"""How long workers may take to come up."""

PING_EVERY_S = 10.0
"""How often a worker that has not answered yet is asked whether it goes on."""

ALIVE_WITHIN_S = 120.0
"""How long it may take to say so; a function that is not isolated may hold up its worker."""

_CANCEL_WITHIN_S = 15.0
_MOST_LOSSES_EACH = 4
"""How many workers may be lost without a trial that ends, for each that there should be."""

Value = TypeVar("Value", bound=Frozen)
_TELL = TellOrder().model_dump_json().encode()
_PING = PingOrder().model_dump_json().encode()


@dataclass(eq=False, slots=True)
class _Member:
    worker: Worker
    knowledge: ServerKnowledge
    running: int = 0
    alone: bool = False
    lost: bool = False

    def has_room(self, concurrency: int) -> bool:
        """Whether it may be asked for one more, where so many may run on it."""
        return not self.lost and not self.alone and self.running < concurrency


class WorkerPool:
    """The workers of a place.

    A worker that is lost is replaced by another one, in the background. Where that does not go
    well, the others go on; when none is left, requests fail.

    Args:
        place: Where they are.
        concurrency: Trials at a time on each.
        tell: Is told of lost workers, one sentence each.
    """

    def __init__(
        self, place: WorkerPlace, concurrency: int, tell: Callable[[str], None] = lambda _: None
    ) -> None:
        self._place = place
        self._concurrency = concurrency
        self._tell = tell
        self._members: list[_Member] = []
        self._gone: list[_Member] = []
        self._size = 0
        self._changed = asyncio.Condition()
        self._waiting_alone = 0
        self._losses = 0
        self._replacing = 0
        self._starting: set[asyncio.Task[None]] = set()
        self._why_none = ""

    async def open(self, trials: int) -> None:
        """Start the workers.

        Args:
            trials: How many trials there are.

        Raises:
            HarnessError: The place cannot be used, or the agent cannot be made there.
            InfrastructureError: A worker did not come up.
        """
        self._size = await self._place.open(trials)
        starts = [asyncio.create_task(self._start()) for _ in range(self._size)]
        try:
            async with asyncio.timeout(START_WITHIN_S):
                await asyncio.gather(*starts)
        except TimeoutError:
            late = f"{len(self._members)} of {self._size} workers of {self._place.name} came up"
            raise InfrastructureError(f"{late} within {START_WITHIN_S:g} s") from None
        finally:
            for each in starts:
                each.cancel()
            await asyncio.gather(*starts, return_exceptions=True)

    async def close(self) -> None:
        """Stop the workers."""
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        stops = [each.worker.stop() for each in (*self._gone, *self._members)]
        await asyncio.gather(*stops, return_exceptions=True)
        await self._place.close()

    @property
    def places(self) -> int:
        """Trials at a time, on all workers together."""
        return self._size * self._concurrency

    @property
    def protected(self) -> bool:
        """Whether the control API of every mock server asks for a token."""
        return all(each.knowledge.protected for each in (*self._gone, *self._members))

    async def knowledge(self) -> tuple[ServerKnowledge, ...]:
        """What the mock servers know, those of lost workers as far as they told it."""
        looks = [self._learn(each) for each in self._members]
        await asyncio.gather(*looks, return_exceptions=True)
        return tuple(each.knowledge for each in (*self._gone, *self._members))

    async def ask(
        self, request: bytes, kind: type[Value], *, cancel: bytes, alone: bool = False
    ) -> Value:
        """The answer of a worker that has room; cancelling cancels the request there.

        Args:
            request: The request.
            kind: What the answer is.
            cancel: The request that cancels it.
            alone: It is to be the only one on its worker.

        Raises:
            WorkerLostError: The worker was lost, and is being replaced.
            InfrastructureError: No worker is left, or the worker cannot answer.
        """
        member = await self._take(alone=alone)
        try:
            found = await self._ask(member, request, kind)
        except WorkerLostError as error:
            await self._lose(member, str(error))
            raise
        except asyncio.CancelledError:
            with contextlib.suppress(WorkerLostError, TimeoutError):
                async with asyncio.timeout(_CANCEL_WITHIN_S):
                    await member.worker.ask(cancel)
            raise
        else:
            self._losses = 0
            return found
        finally:
            member.running -= 1
            member.alone = False
            await self._notify()

    async def ask_each(self, request: bytes, kind: type[Value]) -> dict[str, Value]:
        """The answers of all workers, by name; those that are lost meanwhile are left out.

        Raises:
            InfrastructureError: A worker cannot answer.
        """
        answers: dict[str, Value] = {}

        async def ask(member: _Member) -> None:
            try:
                answers[member.worker.name] = await self._ask(member, request, kind)
            except WorkerLostError as error:
                await self._lose(member, str(error))

        await asyncio.gather(*(ask(each) for each in tuple(self._members)))
        return answers

    async def _ask(self, member: _Member, request: bytes, kind: type[Value]) -> Value:
        answer = await _answer(member.worker, request)
        mark, content = answer[:1], answer[1:]
        if mark == DONE:
            return kind.model_validate_json(content)
        said = f"{member.worker.name}: {content.decode('utf-8', 'replace') or 'it is stopping'}"
        if mark in {LOST, CANCELLED}:
            raise WorkerLostError(said)
        raise InfrastructureError(said)

    async def _take(self, *, alone: bool) -> _Member:
        """A worker with room for a trial; one without any other where it is to run alone.

        Raises:
            InfrastructureError: No worker is left.
        """
        self._waiting_alone += alone
        try:
            async with self._changed:
                while True:
                    if self._why_none:
                        raise InfrastructureError(self._why_none)
                    if alone or not self._waiting_alone:
                        room = 1 if alone else self._concurrency
                        free = [each for each in self._members if each.has_room(room)]
                        if free:
                            member = min(free, key=lambda each: each.running)
                            member.running += 1
                            member.alone = alone
                            return member
                    await self._changed.wait()
        finally:
            self._waiting_alone -= alone
            if alone:
                await self._notify()

    async def _lose(self, member: _Member, why: str) -> None:
        """Start another worker in the place of one that is lost; the first that tells it does."""
        if member.lost:
            return
        member.lost = True
        self._members.remove(member)
        self._gone.append(member)
        self._losses += 1
        if self._losses > _MOST_LOSSES_EACH * self._size:
            self._why_none = f"workers of {self._place.name} are lost one after the other; {why}"
        else:
            self._tell(f"lost {why}; its trials are run again")
            self._replacing += 1
            self._background(self._replace(member.worker))
        await self._notify()

    async def _replace(self, lost: Worker) -> None:
        try:
            await lost.stop()
            async with asyncio.timeout(START_WITHIN_S):
                await self._start()
        except (HarnessError, TimeoutError) as error:
            why = str(error) or f"it took longer than {START_WITHIN_S:g} s"
            self._tell(f"no worker takes its place: {why}")
            if not self._members and self._replacing == 1:
                self._why_none = f"no worker of {self._place.name} is left: {why}"
        finally:
            self._replacing -= 1
        await self._notify()

    async def _start(self) -> None:
        worker = await self._place.start()
        try:
            answer = await worker.ask(_TELL)
            knowledge = ServerKnowledge.model_validate_json(answer.removeprefix(DONE))
        except WorkerLostError as error:
            raise InfrastructureError(f"a worker did not start: {error}") from None
        except asyncio.CancelledError:
            await worker.stop()
            raise
        self._members.append(_Member(worker, knowledge))

    async def _learn(self, member: _Member) -> None:
        member.knowledge = await self._ask(member, _TELL, ServerKnowledge)

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _background(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)


async def _answer(worker: Worker, request: bytes) -> bytes:
    """The answer of a worker, which may take as long as the worker shows that it goes on.

    Raises:
        WorkerLostError: It was lost, or stands still.
    """
    asking = asyncio.create_task(worker.ask(request))
    asking.add_done_callback(lambda task: task.cancelled() or task.exception())  # heard in any case
    try:
        while not (await asyncio.wait({asking}, timeout=PING_EVERY_S))[0]:
            async with asyncio.timeout(ALIVE_WITHIN_S):
                await worker.ask(_PING)
        return asking.result()
    except TimeoutError:
        why = f"{worker.name} stands still: it gave no sign for {ALIVE_WITHIN_S:g} s"
        raise WorkerLostError(why) from None
    finally:
        asking.cancel()
