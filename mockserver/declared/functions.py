"""The Python functions of a trusted suite, loaded from its folder."""

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

from mockserver.declared.files import DeclaredFile
from mockserver.errors import InvalidFilesError, Problem
from mockserver.googleapi.call import Handler
from mockserver.storage import APIS


def functions_of(files: Sequence[DeclaredFile], suite: Path) -> Mapping[str, Handler]:
    """The functions that declarations name, by their names there.

    Modules are looked for in the suite's `apis/`, in the suite, and where Python looks; what they
    import, where Python looks first: no file of a suite stands in for a module of this server.

    Raises:
        InvalidFilesError: One cannot be loaded, or is no function.
    """
    folders = [str((suite / APIS).resolve()), str(suite.resolve())]
    sys.path[:] = dict.fromkeys((*sys.path, *folders))
    found: dict[str, Handler] = {}
    problems: list[Problem] = []
    for file in files:
        for _, name in file.declaration.functions():
            module, _, function = name.partition(":")
            try:
                loaded = getattr(_load(module, folders), function)
            except Exception as error:  # noqa: BLE001  (their code may fail in any way)
                text = f"{name} cannot be loaded: {type(error).__name__}: {error}"
                problems.append(Problem(str(file.path), text))
                continue
            if callable(loaded):
                found[name] = loaded
            else:
                problems.append(Problem(str(file.path), f"{name} is no function"))
    if problems:
        raise InvalidFilesError(problems)
    return found


def _load(module: str, folders: Sequence[str]) -> ModuleType:
    """A module of the suite, else of anywhere.

    Raises:
        ImportError: It is not there, or bears the name of a module of Python.
    """
    package = module.partition(".")[0]
    spec = PathFinder.find_spec(package, folders)
    if spec is not None and package in sys.stdlib_module_names:
        raise ImportError(f"{package!r} is a module of Python: give the file another name")
    if spec is not None and package not in sys.modules:
        loaded = sys.modules[package] = module_from_spec(spec)
        try:
            if spec.loader is not None:
                spec.loader.exec_module(loaded)
        except BaseException:
            del sys.modules[package]
            raise
    return import_module(module)
