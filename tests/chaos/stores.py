"""`harness run` into a store of objects that is slow, refuses, loses answers, or goes away.

Afterwards the store has each record that the run has, and the run is as an undisturbed one.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from harness.storage.mirror import MARKER
from harness.storage.object_store import ObjectStore
from tests.chaos.processes import Forked, Program
from tests.chaos.runs import Runs, records_of, write_suite
from tests.chaos.servers import MockProcess
from tests.chaos.subjects import Found, Striker, Subject

_CALLS = 60
_SLOW_S = 0.3


class Weather:
    """What each call of a file system meets on its way to the store and back.

    Args:
        random: Where is drawn what a call meets.
        before: Called before it is done.
        after: Called before its answer is given.
    """

    def __init__(
        self,
        random: Random,
        before: Callable[[Random, int], object],
        after: Callable[[Random, int], object],
    ) -> None:
        self._random, self._before, self._after = random, before, after
        self._lock, self._calls = threading.Lock(), 0

    def over(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same call under this weather."""

        def call(*args: Any, **more: Any) -> Any:
            with self._lock:
                self._calls += 1
                number, chance = self._calls, Random(self._random.random())
            self._before(chance, number)
            answer = work(*args, **more)
            self._after(chance, number)
            return answer

        return call


class _Weathered:
    def __init__(self, fs: Any, weather: Weather) -> None:
        self._fs, self._weather = fs, weather

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return self._weather.over(getattr(self._fs, name))


def under(weather: Weather, program: Program) -> Program:
    """A program whose stores are all under this weather; for a process of its own."""

    def run() -> int:
        opened = ObjectStore._open

        def open_under(store: ObjectStore) -> tuple[Any, str]:
            fs, root = opened(store)
            return _Weathered(fs, weather), root

        setattr(ObjectStore, "_open", open_under)  # noqa: B010  (a double of what is private)
        return program()

    return run


def _calm(_random: Random, _number: int) -> None:
    """Nothing happens."""


def _slow(random: Random, _number: int) -> None:
    time.sleep(random.uniform(0, _SLOW_S))


def _refused(random: Random, _number: int) -> None:
    if random.random() < 0.3:
        raise OSError("503 Slow Down")


def _lost(random: Random, _number: int) -> None:
    if random.random() < 0.3:
        raise TimeoutError


def _away_after(calls: int) -> Callable[[Random, int], None]:
    def away(_random: Random, number: int) -> None:
        if number > calls:
            raise ConnectionError("no route to host")

    return away


_WEATHERS: Mapping[str, Callable[[Random], Weather]] = {
    "store is slow": lambda random: Weather(random, _slow, _slow),
    "store answers 503": lambda random: Weather(random, _refused, _calm),
    "answers are lost": lambda random: Weather(random, _calm, _lost),
    "store goes away": lambda random: Weather(random, _away_after(random.randrange(_CALLS)), _calm),
}


def _struck(runs: Runs, what: str, weather: Callable[[Random], Weather]) -> Striker:
    def once(folder: Path, random: Random) -> Found:
        mirror, store = folder / "runs", folder / "store"
        mirror.mkdir()
        (mirror / MARKER).write_text(f'{{"store": "file://{store}"}}', encoding="utf-8")
        program = under(weather(Random(random.random())), runs.new(mirror))
        struck = Forked(program, folder, mirror).wait()
        found = runs.compare(folder, f"run, {what}", struck)
        stored = records_of(store)
        lacking = [
            f"{name} is not in the store"
            for name, content in records_of(mirror).items()
            if stored.get(name) != content
        ]
        return Found(found.what, (*found.losses, *lacking), found.differences)

    return once


@contextmanager
def opened(folder: Path) -> Iterator[Mapping[str, Striker]]:
    """Runs beside a server of their own, each with a store of its own."""
    with MockProcess(write_suite(folder)) as server:
        sys.path.insert(0, str(folder))
        runs = Runs(folder, server)
        yield {name: _struck(runs, name, weather) for name, weather in _WEATHERS.items()}


SUBJECT = Subject("stored run", opened)
