"""Stores of objects for tests: in memory, with what may go wrong on the way."""

from collections.abc import Callable
from typing import Any

import pytest

from harness.storage import ObjectStore

fsspec = pytest.importorskip("fsspec", reason="the extra `stores` is not installed")


class Weather:
    """Lets calls of a file system fail.

    Attributes:
        errors: What the next calls raise, in order; None is a call that goes well.
        always: What every call raises.
        calls: The names of the calls that were made.
    """

    def __init__(self) -> None:
        self.errors: list[Exception | None] = []
        self.always: Exception | None = None
        self.calls: list[str] = []

    def over(self, store: ObjectStore) -> ObjectStore:
        """The same store, whose calls are under this weather."""
        fs, root = store._open()
        store._opened = (_Weathered(fs, self), root)
        store._sleep = lambda _seconds: None
        return store


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
            return getattr(self._fs, name)(*args, **more)

        return call
