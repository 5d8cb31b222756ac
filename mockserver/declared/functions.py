"""The Python functions of a trusted suite, loaded from its folder."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from mockserver.declared.files import DeclaredFile
from mockserver.errors import InvalidFilesError, Problem
from mockserver.googleapi.call import Handler
from mockserver.storage import APIS


def functions_of(files: Sequence[DeclaredFile], suite: Path) -> Mapping[str, Handler]:
    """The functions that declarations name, by their names there.

    Modules are looked for in the suite's `apis/`, in the suite, and where Python looks.

    Raises:
        InvalidFilesError: One cannot be loaded, or is no function.
    """
    folders = [str((suite / APIS).resolve()), str(suite.resolve())]
    sys.path[:0] = [each for each in folders if each not in sys.path]
    found: dict[str, Handler] = {}
    problems: list[Problem] = []
    for file in files:
        for name in _function_names(file):
            module, _, function = name.partition(":")
            try:
                loaded = getattr(import_module(module), function)
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


def _function_names(file: DeclaredFile) -> Iterator[str]:
    """The functions that a declaration names.

    Yields:
        Each name, as often as it stands there.
    """
    for handler in file.declaration.handlers.values():
        yield handler.handler
    for collection in file.declaration.collections.values():
        for action in collection.actions.values():
            if action.handler is not None:
                yield action.handler
