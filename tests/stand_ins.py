"""Modules that stand in for frameworks, which only slow tests install."""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

StandIn = Callable[..., None]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """Makes a module of that name with these attributes, with the packages above it."""

    def make(name: str, **attributes: Any) -> None:
        parts = name.split(".")
        for length in range(1, len(parts)):
            above = ".".join(parts[:length])
            if above not in sys.modules:
                monkeypatch.setitem(sys.modules, above, ModuleType(above))
        module = ModuleType(name)
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, name, module)
        if len(parts) > 1:
            above = ".".join(parts[:-1])
            monkeypatch.setattr(sys.modules[above], parts[-1], module, raising=False)

    return make


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]
