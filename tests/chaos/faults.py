"""What can strike servers of several workers, and what is behind them."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tests.chaos.processes import children_of
from tests.chaos.redises import LOSES_S, Redises
from tests.chaos.servers import MockProcess

End = Callable[[], object]
"""Ends a fault; afterwards servers are to answer again."""

ONCE = (0.0,)
"""A fault that is over at once, such as the end of a process."""

STANDS = (1.0, 1.0, 1.0, 1.0, 10.0, 60.0)
"""How long something stands still; seldom long, since nobody learns more from it."""

A_WHILE = (1.0, 1.0, 2.0, 4.0, 12.0)
"""How long other faults last; the longest is longer than a request waits."""

_BALLAST_BYTES = 1 << 20


def _nothing() -> None:
    """What it is about is always so, or needs no preparation."""


@dataclass(frozen=True)
class Fault:
    """A way to strike.

    Attributes:
        name: Its name in the table.
        begin: Lets it begin, and answers with what ends it.
        lasts: How long it may last, in seconds; one is drawn.
        loses: How many seconds of answered writes it may cost; None where it may cost none.
        prepare: What must be so before.
    """

    name: str
    begin: Callable[[Random], End]
    lasts: Sequence[float] = ONCE
    loses: float | None = None
    prepare: Callable[[], object] = _nothing


def _workers(server: MockProcess) -> list[int]:
    assert server.process is not None
    return children_of(server.process.pid)


def _kill_worker(server: MockProcess) -> Callable[[Random], End]:
    def begin(random: Random) -> End:
        os.kill(random.choice(_workers(server)), signal.SIGKILL)
        return _nothing

    return begin


def _stop_worker(server: MockProcess) -> Callable[[Random], End]:
    def begin(random: Random) -> End:
        pid = random.choice(_workers(server))
        os.kill(pid, signal.SIGSTOP)
        return lambda: os.kill(pid, signal.SIGCONT)

    return begin


def _kill_server(server: MockProcess) -> Callable[[Random], End]:
    def begin(_: Random) -> End:
        server.kill()
        return server.start

    return begin


def _from(begin: Callable[[], object], end: End) -> Callable[[Random], End]:
    """A beginning and an end that nothing is drawn for."""

    def at_once(_: Random) -> End:
        begin()
        return end

    return at_once


def faults_of_files(server: MockProcess) -> Iterator[Fault]:
    """What can strike a server whose logs are in files."""
    yield Fault("worker kill -9, files", _kill_worker(server))
    yield Fault("worker stands still, files", _stop_worker(server), STANDS)
    yield Fault("server kill -9, files", _kill_server(server))


def faults_of_redis(server: MockProcess, redises: Redises) -> Iterator[Fault]:
    """What can strike one of two servers that share a Redis, the Redis, or what leads to it."""
    wire = redises.wires[1]

    def stand_still(_: Random) -> End:
        paused = redises.primary
        paused.pause()
        return paused.resume

    def kill_both(random: Random) -> End:
        redises.primary.stop()
        os.kill(random.choice(_workers(server)), signal.SIGKILL)
        return redises.restart

    yield Fault("worker kill -9, Redis", _kill_worker(server))
    yield Fault("worker stands still, Redis", _stop_worker(server), STANDS)
    yield Fault("server kill -9, Redis", _kill_server(server))
    yield Fault("clocks an hour apart", _from(_nothing, _nothing))
    kill = _from(lambda: redises.primary.stop(), redises.restart)
    yield Fault("Redis kill -9", kill)
    yield Fault("Redis is down", kill, A_WHILE)
    yield Fault("Redis and a worker kill -9", kill_both, A_WHILE)
    yield Fault("Redis stands still", stand_still, STANDS)
    yield Fault("Redis is slow", _from(wire.slow_down, wire.recover), A_WHILE)
    yield Fault("Redis is cut off", _from(wire.fall_silent, wire.recover), A_WHILE)
    yield Fault("connections break", _from(wire.cut, wire.recover), A_WHILE)
    lose = _from(redises.lose_tail, redises.restart)
    yield Fault("Redis loses a second", lose, ONCE, LOSES_S + 0.5)
    yield Fault(
        "Redis fails over",
        _from(redises.fail_over, redises.revive),
        A_WHILE,
        LOSES_S,
        redises.settle,
    )
    if redises.has_own_disks:
        yield Fault("disk full", _full_disk(redises), A_WHILE)


def _full_disk(redises: Redises) -> Callable[[Random], End]:
    def begin(_: Random) -> End:
        redises.configure("appendfsync", "everysec")
        ballast = redises.primary.folder / "ballast"
        with ballast.open("wb", buffering=0) as file:
            while True:
                try:
                    file.write(bytes(_BALLAST_BYTES))
                except OSError:
                    break

        def end() -> None:
            ballast.unlink()
            redises.write_anew()
            redises.configure("appendfsync", "always")

        return end

    return begin
