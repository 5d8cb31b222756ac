"""Whether a history of requests and answers is that of one object that answers them one by one.

The search is that of Wing and Gong with Lowe's memory of what was tried. A history may hold
requests that were not answered: each had its effect at some time after it was asked, or never.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf

from typing_extensions import override


@dataclass(frozen=True)
class Operation:
    """A request and what became of it.

    Attributes:
        client: Who asked.
        request: What was asked for.
        answer: What was answered, or None where nothing was.
        asked: When, in seconds of a clock that all clients share.
        answered: When, or infinity.
    """

    client: str
    request: Hashable
    answer: Hashable
    asked: float
    answered: float = inf

    @property
    def is_answered(self) -> bool:
        """Whether its effect is certain."""
        return self.answered < inf

    @override
    def __str__(self) -> str:
        end = f"{self.answered:.3f} s: {self.answer}" if self.is_answered else "not answered"
        return f"{self.client} asked at {self.asked:.3f} s: {self.request}; {end}"


Step = Callable[[Hashable, Hashable], Iterable[tuple[Hashable, Hashable]]]
"""The object: a state and a request become the next state and the answer, or one of several."""


def is_linearizable(history: Sequence[Operation], step: Step, start: Hashable) -> bool:
    """Whether some order, which keeps that of time, explains every answer.

    Args:
        history: At most some dozens of operations.
        step: The object.
        start: Its state before the first.
    """
    whole = sum(1 << number for number, each in enumerate(history) if each.is_answered)
    tried: set[tuple[int, Hashable]] = set()
    ahead = [(0, start)]
    while ahead:
        done, state = ahead.pop()
        if done & whole == whole:
            return True
        for number in sorted(_next_of(history, done), key=lambda one: history[one].is_answered):
            for after, answer in step(state, history[number].request):
                if history[number].is_answered and answer != history[number].answer:
                    continue
                place = (done | 1 << number, after)
                if place not in tried:
                    tried.add(place)
                    ahead.append(place)
    return False


def _next_of(history: Sequence[Operation], done: int) -> Iterator[int]:
    """What may come next: what was asked before anything else that is left was answered."""
    left = [number for number in range(len(history)) if not done >> number & 1]
    until = min(history[number].answered for number in left)
    return (number for number in left if history[number].asked <= until)


def contradiction(
    history: Sequence[Operation],
    step: Step,
    start: Hashable,
    is_read: Callable[[Hashable], bool],
) -> tuple[Operation, ...]:
    """The shortest part of a history that no order explains; empty where one explains it all.

    It ends with the first answer that cannot be. Reads before it, without which it cannot be
    either, are left out; writes stay, since other answers may rest on them.

    Args:
        history: The operations, in any order.
        step: The object.
        start: Its state before the first.
        is_read: Whether a request changes nothing.
    """
    if is_linearizable(history, step, start):
        return ()
    moments = sorted(each.answered for each in history if each.is_answered)
    low, high = 0, len(moments) - 1
    while low < high:
        middle = (low + high) // 2
        if is_linearizable(_until(history, moments[middle]), step, start):
            low = middle + 1
        else:
            high = middle
    part = _until(history, moments[low])
    for each in sorted(part, key=lambda one: one.answered):
        shorter = [other for other in part if other is not each]
        if is_read(each.request) and not is_linearizable(shorter, step, start):
            part = shorter
    return tuple(sorted(part, key=lambda one: one.asked))


def _until(history: Sequence[Operation], moment: float) -> list[Operation]:
    """What was known at a moment: later answers were not given yet, later requests not asked."""
    return [
        each if each.answered <= moment else Operation(each.client, each.request, None, each.asked)
        for each in history
        if each.asked <= moment
    ]
