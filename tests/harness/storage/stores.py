"""Stores of objects for tests: in memory, with what may go wrong on the way."""

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.storage import ObjectStore, open_mirror

fsspec = pytest.importorskip("fsspec", reason="the extra `stores` is not installed")


class Weather:
    """Lets calls of a file system fail.

    Attributes:
        errors: What the next calls raise, in order; None is a call that goes well.
        always: What every call raises.
        lost: How many of the next calls are done, and their answers lost.
        calls: The names of the calls that were made.
    """

    def __init__(self) -> None:
        self.errors: list[BaseException | None] = []
        self.always: Exception | None = None
        self.lost = 0
        self.calls: list[str] = []

    def over(self, store: ObjectStore) -> ObjectStore:
        """The same store, whose calls are under this weather."""
        fs, root = store._open()
        store._opened = (_Weathered(fs, self), root)
        store._sleep = lambda _seconds: None
        return store


def weather_of_all(patch: pytest.MonkeyPatch) -> Weather:
    """The weather of every store that is asked from now on."""
    weather, opened = Weather(), ObjectStore._open

    def under_weather(store: ObjectStore) -> tuple[Any, str]:
        fs, root = opened(store)
        return _Weathered(fs, weather), root

    patch.setattr(ObjectStore, "_open", under_weather)
    return weather


class _Weathered:
    def __init__(self, fs: Any, weather: Weather) -> None:
        self._fs, self._weather = fs, weather

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            self._weather.calls.append(name)
            if self._weather.always is not None:
                raise self._weather.always
            if self._weather.errors and (error := self._weather.errors.pop(0)) is not None:
                raise error
            answer = getattr(self._fs, name)(*args, **more)
            if self._weather.lost:
                self._weather.lost -= 1
                raise TimeoutError
            return answer

        return call


class Machines:
    """Mirrors of one store, each as on a machine of its own."""

    def __init__(self, base: Path, patch: pytest.MonkeyPatch) -> None:
        self.url = f"memory://{secrets.token_hex(8)}/runs"
        self._base, self._patch = base, patch

    def runs(self, machine: str) -> Path:
        self._patch.setenv("XDG_CACHE_HOME", str(self._base / machine))
        return open_mirror(self.url)
