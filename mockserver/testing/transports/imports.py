"""Patches modules that are loaded, and others once they are imported."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from threading import RLock
from types import ModuleType
from typing import Any

from typing_extensions import override

Patch = Callable[[ModuleType, ExitStack], None]
"""Patches a module; what undoes it is put on the stack."""

_MISSING = object()


def replace_attribute(owner: Any, name: str, value: object, undo: ExitStack) -> None:
    """Set an attribute of a class or module; undone, it is as it was, inherited or its own."""
    before = vars(owner).get(name, _MISSING)
    setattr(owner, name, value)

    def restore() -> None:
        if before is _MISSING:
            delattr(owner, name)
        else:
            setattr(owner, name, before)

    undo.callback(restore)


class ImportPatches(MetaPathFinder):
    """Patches for modules by name: applied at once to those that are loaded, later to the others.

    Args:
        patches: Module name to its patch.
    """

    def __init__(self, patches: Mapping[str, Patch]) -> None:
        self._patches = patches
        self._undo = ExitStack()
        self._waiting: set[str] = set()
        self._lock = RLock()

    def install(self) -> None:
        """Patch what is loaded, and watch for the others."""
        for name in self._patches:
            module = sys.modules.get(name)
            if module is not None:
                self._apply(module)
            else:
                self._waiting.add(name)
        sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Leave everything as it was."""
        with self._lock:
            self._waiting.clear()
            sys.meta_path.remove(self)
            self._undo.close()

    @override
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._waiting:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _PatchingLoader(spec.loader, self)
                return spec
        return None

    def applied_after(self, module: ModuleType) -> None:
        """Patch a module that was just imported, unless all is over."""
        with self._lock:
            if module.__name__ in self._waiting:
                self._waiting.discard(module.__name__)
                self._apply(module)

    def _apply(self, module: ModuleType) -> None:
        self._patches[module.__name__](module, self._undo)


class _PatchingLoader(Loader):
    """Loads a module as its own loader does, then patches it."""

    def __init__(self, loader: Loader, patches: ImportPatches) -> None:
        self._loader = loader
        self._patches = patches

    @override
    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    @override
    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._patches.applied_after(module)
